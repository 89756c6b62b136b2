# SPDX-License-Identifier: Apache-2.0

"""What a body must be before anybody asks whether it may enter."""

from dataclasses import replace

import pytest
import zstandard

from app.core.digest import sha256_hex
from app.core.errors import (
    MalformedDocument,
    NotAuthenticated,
    NotSanitized,
    SchemaViolation,
    TooLarge,
    Unprocessable,
    WrongAudience,
)
from app.core.identity import Role
from app.core.signing.envelope import Envelope, Signature, parse_envelope, sign, to_json
from tests.drafts import signing_key, zstd
from tests.factories import Story
from tests.unit.service.receiving import SLOT, take, take_draft


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
