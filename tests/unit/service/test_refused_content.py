# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a statement is any JSON
"""What is told of a receipt refused for what it says: slot, rule, and no digest that leaks."""

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace as changed

from app.core.canonical import canonical, parse_strict
from app.core.digest import sha256_hex
from app.core.errors import (
    FairtrialError,
    MalformedDocument,
    NotCanonical,
    NotSanitized,
    SchemaViolation,
)
from app.core.signing.envelope import sign, to_json
from app.core.statement.receipt import ReceiptPredicate
from app.service.refused_content import Content, ContentRefused, Refused
from tests import facts
from tests.drafts import HEAD, REPOSITORY, Draft, signing_key, zstd
from tests.factories import Story
from tests.unit.service.receiving import SLOT, take, take_draft


def refusal_of(work: Callable[[], object]) -> tuple[FairtrialError, Refused]:
    with pytest.raises(ContentRefused) as caught:
        work()
    return caught.value.error, caught.value.refused


def resigned(draft: Draft, payload: bytes) -> bytes:
    return to_json(sign(payload, [signing_key("runner")]))


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
