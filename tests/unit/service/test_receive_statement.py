# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a statement is any JSON
"""What a body must be before anybody asks whether it may enter."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import zstandard
from msgspec.structs import replace as changed

from app.core.admission.state import LedgerState
from app.core.canonical import canonical, parse_strict
from app.core.digest import sha256_hex
from app.core.errors import (
    FairtrialError,
    MalformedDocument,
    NotAuthenticated,
    NotCanonical,
    NotSanitized,
    SchemaViolation,
    TooLarge,
    Unprocessable,
    WrongAudience,
)
from app.core.identity import Role
from app.core.signing.envelope import Envelope, Signature, parse_envelope, sign, to_json
from app.core.statement.receipt import ReceiptPredicate
from app.service.receive_statement import Candidate, receive
from app.service.refused_content import Content, ContentRefused, Refused
from tests import facts
from tests.drafts import HEAD, REPOSITORY, Draft, signing_key, zstd
from tests.factories import Story, opened

SLOT = "B/C2-canary/1"


@pytest.fixture
def story() -> Story:
    """Return a ledger with an open study and one reserved slot."""
    one = opened()
    one.reserve(SLOT)
    return one


def take(story: Story, body: bytes, *, kind: str, capture: bytes | None = None) -> Candidate:
    ledger: LedgerState = story.ledger
    assert ledger.ref is not None
    return receive(body, kind=kind, keyring=ledger.keyring, audience=ledger.ref, capture=capture)


def take_draft(story: Story, draft: Draft, **given: Any) -> Candidate:
    capture = None if draft.capture is None else zstd(draft.capture_bytes)
    return take(story, draft.json, **({"kind": draft.parsed.kind, "capture": capture} | given))


def refusal_of(work: Callable[[], object]) -> tuple[FairtrialError, Refused]:
    with pytest.raises(ContentRefused) as caught:
        work()
    return caught.value.error, caught.value.refused


def resigned(draft: Draft, payload: bytes) -> bytes:
    return to_json(sign(payload, [signing_key("runner")]))


def test_receipt_comes_with_its_capture_in_our_own_compression(story: Story) -> None:
    draft = story.receipt(SLOT)
    sent = zstandard.ZstdCompressor(level=19).compress(draft.capture_bytes)
    candidate = take(story, draft.json, kind="receipt", capture=sent)
    assert candidate.parsed == draft.parsed
    assert candidate.signers == {signing_key("runner").key_id}
    assert candidate.capture == draft.capture
    assert candidate.blob is not None
    assert candidate.blob.zstd != sent
    assert zstandard.ZstdDecompressor().decompress(candidate.blob.zstd) == draft.capture_bytes
    assert (candidate.blob.sha256, candidate.blob.size) == (
        sha256_hex(draft.capture_bytes),
        len(draft.capture_bytes),
    )


def test_signature_that_nobody_verified_is_not_kept(story: Story) -> None:
    draft = story.make.deviation(story.study().digest)
    stray = Signature("hf_" + "a" * 32, b"anything")
    envelope = replace(draft.envelope, signatures=(stray, *draft.envelope.signatures))
    candidate = take(story, to_json(envelope), kind="deviation")
    assert parse_envelope(candidate.envelope) == draft.envelope


def test_stranger_and_wrong_signature_are_401(story: Story) -> None:
    draft = story.make.deviation(story.study().digest, signer="stranger")
    with pytest.raises(NotAuthenticated) as refused:
        take_draft(story, draft)
    assert refused.value.code == "unknown-key"
    good = story.make.deviation(story.study().digest)
    (signature,) = good.envelope.signatures
    forged = replace(good.envelope, signatures=(replace(signature, sig=bytes(64)),))
    with pytest.raises(NotAuthenticated) as refused:
        take(story, to_json(forged), kind="deviation")
    assert refused.value.code == "bad-signature"


def test_signer_must_be_one_of_those_who_signed(story: Story) -> None:
    draft = story.make.deviation(story.study().digest, signer="maintainer")
    other = to_json(sign(draft.parsed.payload, [signing_key("runner")]))
    with pytest.raises(NotAuthenticated) as refused:
        take(story, other, kind="deviation")
    assert refused.value.code == "unsigned"


def test_key_that_is_registered_may_sign_itself(story: Story) -> None:
    draft = story.make.key("runner-2", Role.RUNNER, checkpoint=story.checkpoint())
    candidate = take_draft(story, draft)
    assert candidate.signers == {signing_key(one).key_id for one in ("admin", "runner-2")}
    alone = Envelope(
        draft.envelope.payload_type, draft.parsed.payload, draft.envelope.signatures[:1]
    )
    candidate = take(story, to_json(alone), kind="key")
    assert candidate.signers == {signing_key("admin").key_id}
    admin, own = draft.envelope.signatures
    forged = replace(draft.envelope, signatures=(admin, replace(own, sig=bytes(64))))
    with pytest.raises(NotAuthenticated):
        take(story, to_json(forged), kind="key")


def test_payload_of_another_type_is_422_when_it_was_signed(story: Story) -> None:
    draft = story.make.deviation(story.study().digest)
    envelope = sign(draft.parsed.payload, [signing_key("maintainer")], payload_type="text/plain")
    with pytest.raises(SchemaViolation) as refused:
        take(story, to_json(envelope), kind="deviation")
    assert refused.value.code == "payload-type"


def test_other_kind_than_the_route_takes_is_refused(story: Story) -> None:
    with pytest.raises(SchemaViolation) as refused:
        take_draft(story, story.make.deviation(story.study().digest), kind="policy")
    assert refused.value.code == "wrong-kind"
    with pytest.raises(SchemaViolation) as refused:
        take_draft(story, story.receipt(SLOT), kind="deviation")
    assert refused.value.code == "wrong-kind"


def test_l13_other_ledger_is_no_audience(story: Story) -> None:
    story.make.genesis_digest = "0" * 64
    with pytest.raises(WrongAudience):
        take_draft(story, story.make.deviation(story.study().digest))


def test_unsanitary_statement_of_another_kind_is_refused_and_no_slot_is_named(
    story: Story,
) -> None:
    draft = story.make.deviation(story.study().digest, what="seen on 192.168.0.7")
    with pytest.raises(NotSanitized):
        take_draft(story, draft)


def test_capture_must_be_there_for_receipts_and_only_for_them(story: Story) -> None:
    with pytest.raises(Unprocessable) as refused:
        take_draft(story, story.receipt(SLOT), capture=None)
    assert refused.value.code == "capture-missing"
    with pytest.raises(Unprocessable) as refused:
        take_draft(story, story.make.deviation(story.study().digest), capture=b"x")
    assert refused.value.code == "capture-unexpected"


def test_capture_must_be_the_one_that_was_signed_for(story: Story) -> None:
    draft = story.receipt(SLOT)
    data = draft.capture_bytes
    for sent, error, code in (
        (zstd(data[:-1]), Unprocessable, "capture-digest"),
        (zstd(data[:-1] + b" "), Unprocessable, "capture-digest"),
        (zstd(data + b" "), TooLarge, "capture-size"),
        (b"not zstd", MalformedDocument, "zstd"),
        (b"", MalformedDocument, "zstd"),
        (zstd(data) + b"x", MalformedDocument, "zstd"),
        (zstd(data) * 2, MalformedDocument, "zstd"),
        (zstd(data)[:-1], MalformedDocument, "zstd"),
    ):
        with pytest.raises(error) as refused:
            take_draft(story, draft, capture=sent)
        assert refused.value.code == code


def test_bomb_is_refused_before_anything_is_made_room_for(story: Story) -> None:
    draft = story.receipt(SLOT)
    bomb = zstd(bytes(256 * 1024 * 1024))
    with pytest.raises(TooLarge):
        take_draft(story, draft, capture=bomb)
    writer = zstandard.ZstdCompressor(write_content_size=False).compressobj()
    unsized = writer.compress(bytes(64 * 1024 * 1024)) + writer.flush()
    with pytest.raises(MalformedDocument):
        take_draft(story, draft, capture=unsized)


def test_l15_unsanitary_receipt_is_refused_with_its_slot_and_without_a_digest(
    story: Story,
) -> None:
    draft = story.receipt(SLOT, claims={"note": "token hf_" + "a1" * 16})
    error, refused = refusal_of(lambda: take_draft(story, draft))
    assert isinstance(error, NotSanitized)
    assert (refused.code, refused.content) == ("not-sanitized", None)
    # ``claims`` is a name of ours, ``note`` is the sender's.
    assert refused.pointer == "/predicate/claims"
    claim = refused.claim
    assert (claim.repository, claim.head, claim.slot, claim.attempt) == (REPOSITORY, HEAD, SLOT, 1)
    assert claim.signer == signing_key("runner").key_id


def test_l15_unsanitary_capture_is_refused_without_a_digest(story: Story) -> None:
    boot = changed(facts.capture(), boot_id="hf_" + "a1" * 16)
    draft = story.receipt(SLOT, boot)
    error, refused = refusal_of(lambda: take_draft(story, draft))
    assert isinstance(error, NotSanitized)
    assert (refused.content, refused.pointer) == (None, "/boot_id")


def _capture_as(story: Story, data: bytes) -> Callable[[], object]:
    """Return the sending of a receipt whose signed capture is any bytes."""
    predicate = story.receipt(SLOT).parsed.predicate
    assert isinstance(predicate, ReceiptPredicate)
    ref = changed(predicate.capture, sha256=sha256_hex(data), size=len(data))
    whole = changed(predicate, capture=ref)
    made = story.make.draft("receipt", whole, "runner")
    return lambda: take(story, made.json, kind="receipt", capture=zstd(data))


def test_capture_of_another_shape_is_refused_with_its_slot_and_digest(story: Story) -> None:
    document: Any = parse_strict(story.receipt(SLOT).capture_bytes)
    document["streams"][0]["lane"] = "zero"
    data = canonical(document)
    error, refused = refusal_of(_capture_as(story, data))
    assert isinstance(error, SchemaViolation)
    assert refused.content == sha256_hex(data)
    assert (refused.rule, refused.pointer) == ("type", "/streams/0/lane")


def test_l15_capture_refused_by_its_shape_gives_no_digest_where_it_is_unsanitary_too(
    story: Story,
) -> None:
    document: Any = parse_strict(story.receipt(SLOT).capture_bytes)
    document["authorization"] = "Bearer abcdefghijkl"
    document["a prompt that nobody should read"] = 1
    error, refused = refusal_of(_capture_as(story, canonical(document)))
    assert isinstance(error, SchemaViolation)
    assert refused.content is None
    assert refused.pointer == ""
    assert refused.rule == "additional-properties"


def test_capture_that_is_no_json_or_not_canonical_is_no_refusal_of_content(story: Story) -> None:
    for data, error in ((b"{", MalformedDocument), (b"{ }", NotCanonical)):
        with pytest.raises(error):
            _capture_as(story, data)()


def _changed_receipt(story: Story, change: Callable[[Any], None]) -> bytes:
    statement: Any = parse_strict(story.receipt(SLOT).parsed.payload)
    change(statement)
    return resigned(story.receipt(SLOT), canonical(statement))


def test_receipt_of_another_shape_is_refused_with_its_slot(story: Story) -> None:
    def change(statement: Any) -> None:
        statement["predicate"]["topology"]["ranks"] = {"a secret name": 1}

    body = _changed_receipt(story, change)
    error, refused = refusal_of(lambda: take(story, body, kind="receipt", capture=b""))
    assert isinstance(error, SchemaViolation)
    assert refused.pointer == "/predicate/topology/ranks"
    assert refused.content is not None


@pytest.mark.parametrize(
    "change",
    [
        lambda s: s.update(subject=[]),
        lambda s: s.update(subject={}),
        lambda s: s.update(predicate=[]),
        lambda s: s["predicate"].update(signer=7),
        lambda s: s["predicate"].update(signer="0" * 64, attempt="one"),
        lambda s: s.update(predicateType="urn:fairtrial:receipt:v9"),
    ],
)
def test_refused_receipt_that_names_no_slot_of_its_sender_is_no_refusal_of_content(
    story: Story, change: Callable[[Any], None]
) -> None:
    body = _changed_receipt(story, change)
    with pytest.raises((SchemaViolation, ContentRefused)) as refused:
        take(story, body, kind="receipt", capture=b"")
    if isinstance(refused.value, ContentRefused):
        # It names itself as the sender's; that the slot is held is for the sequencer to say.
        assert refused.value.refused.claim.repository == ""


def test_statement_that_is_no_json_names_no_slot(story: Story) -> None:
    content = Content(b"{", b"{", frozenset())

    def refuse(_data: bytes) -> None:
        message = "no"
        raise SchemaViolation(message)

    with pytest.raises(SchemaViolation):
        content.checked(refuse)


def test_refusal_without_a_finding_or_with_a_strange_rule_is_told_in_our_own_words(
    story: Story,
) -> None:
    payload = story.receipt(SLOT).parsed.payload
    content = Content(payload, payload, frozenset({signing_key("runner").key_id}))

    def plain(_data: bytes) -> None:
        message = "no"
        raise SchemaViolation(message, code="instant")

    def strange(_data: bytes) -> None:
        message = "no"
        raise SchemaViolation(message, code="$ref!")

    _, refused = refusal_of(lambda: content.checked(plain))
    assert (refused.code, refused.rule, refused.pointer) == ("instant", "instant", "")
    _, refused = refusal_of(lambda: content.checked(strange))
    assert refused.rule == "shape"
