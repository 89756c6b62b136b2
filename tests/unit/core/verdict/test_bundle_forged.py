# SPDX-License-Identifier: Apache-2.0
"""Bundles that no ledger wrote, or that a ledger wrote against its own rules."""

from dataclasses import replace
from typing import Any

import pytest
from msgspec.structs import replace as changed

from app.core.errors import (
    IntegrityBroken,
    NotAuthenticated,
    SchemaViolation,
)
from app.core.identity import instant_of
from app.core.signing.envelope import sign
from app.core.verdict.bundle import (
    Bundle,
    BundleEntry,
    read_bundle,
    write_bundle,
)
from app.core.verdict.bundle_head import PAYLOAD_TYPE
from tests.documents import DAY_US
from tests.factories import Story, begun, signing_key
from tests.unit.core.verdict.bundles import (
    Records,
    data_of,
    kind_of,
    passed,
    records_of,
    refused,
    resigned,
    tricked,
    with_leaf,
)
from tests.unit.core.verdict.tales import (
    A,
    B,
    append_verdicts,
    bundled,
    run_study,
    word,
)


def late() -> Story:
    """A receipt that came after its deadline; the study is closed and judged."""
    story = begun()
    story.open()
    story.reserve(B)
    story.push(B, after_us=3 * DAY_US)
    story.close_due()
    append_verdicts(story)
    return story


def test_a_receipt_whose_leaf_is_moved_before_its_deadline_is_refused() -> None:
    records = records_of(late())
    at = {kind_of(record): n for n, record in enumerate(records)}
    reserved = read_bundle(data_of(records)).entries[at["reservation"] - 1].entry.leaf.at
    records[at["receipt"]] = with_leaf(records[at["receipt"]], at=reserved)
    assert refused(data_of(resigned(records))).code == "closure"


def test_log_times_that_go_back_are_refused() -> None:
    story = passed()
    records = records_of(story)
    receipt = next(n for n, record in enumerate(records) if kind_of(record) == "receipt")
    records[receipt] = with_leaf(records[receipt], at=instant_of(story.now_us - DAY_US))
    assert refused(data_of(records)).code == "bundle-log-time"


@pytest.mark.parametrize("change", ["word", "annotations", "claim"])
def test_a_verdict_that_does_not_follow_is_damage(
    change: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    story = begun()
    run_study(story)
    story.close_due()
    document = word(story)
    match change:
        case "word":
            draft = story.make.verdict(changed(document, word="HOLD"))
        case "annotations":
            predicate: Any = story.make.verdict(document).parsed.predicate
            noted = changed(predicate, annotations={"note": "more"})
            draft = story.make.draft("verdict", noted, "ledger")
        case _:
            draft = story.make.verdict(changed(document, claim="another"))
    tricked(story, draft, monkeypatch)
    error = refused(write_bundle(bundled(story)))
    expected = "not-admitted" if change == "claim" else "verdict"
    assert (type(error), error.code) == (IntegrityBroken, expected)


def test_a_closure_that_does_not_follow_is_damage(monkeypatch: pytest.MonkeyPatch) -> None:
    story = passed()
    closure = next(s for s in story.steps if s.entry.leaf.kind == "closure")
    again = begun()
    run_study(again)
    predicate: Any = closure.draft.parsed.predicate
    flow = changed(predicate.flow, complete=0, failed=3)
    draft = again.make.draft("closure", changed(predicate, flow=flow), "ledger")
    tricked(again, draft, monkeypatch)
    error = refused(write_bundle(bundled(again)))
    assert (type(error), error.code) == (IntegrityBroken, "closure")


def test_a_verdict_is_given_again_from_captures_and_not_from_sealed_words() -> None:
    """A sealed word for each receipt closes the study too, but nothing can be judged from it."""
    story = passed()
    records = records_of(story)
    receipts = [r for r in records if kind_of(r) == "receipt"]
    sealed: Records = [
        {
            "record": "sealed",
            "receipt": read_bundle(data_of(records)).entries[r["index"]].entry.leaf.statement,
            "state": "COMPLETE",
            "fault": None,
            "reasons": ["ALL_STREAMS_COMPLETE"],
            "measured": True,
            "retryable": False,
        }
        for r in receipts
    ]
    left = [r for r in records if r["record"] != "capture"]
    assert refused(data_of([*left, *sealed])).code == "capture-missing"


def reserved() -> Story:
    story = begun()
    story.open()
    story.reserve(A, B)
    return story


def test_a_receipt_for_another_challenge_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    story = reserved()
    tricked(story, story.receipt(B, challenge="0" * 64), monkeypatch)
    error = refused(write_bundle(bundled(story)))
    assert (type(error), error.code) == (IntegrityBroken, "not-admitted")


def test_a_receipt_by_another_key_than_the_runner_s_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    story = reserved()
    tricked(story, story.receipt(A, signer="maintainer"), monkeypatch)
    error = refused(write_bundle(bundled(story)))
    assert (type(error), error.code) == (IntegrityBroken, "not-admitted")


def test_a_receipt_for_a_slot_that_is_not_planned_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    story = reserved()
    draft = story.receipt(A)
    predicate: Any = draft.parsed.predicate
    other = changed(predicate, slot="B/C2-canary/9")
    tricked(story, story.make.draft("receipt", other, "runner", capture=draft.capture), monkeypatch)
    records = records_of(story)
    sealed: Records = [
        {
            "record": "sealed",
            "receipt": story.steps[-1].digest,
            "state": "COMPLETE",
            "fault": None,
            "reasons": [],
            "measured": True,
            "retryable": False,
        }
    ]
    assert refused(data_of([*records, *sealed])).code == "not-admitted"


def test_a_signature_of_a_stranger_beside_the_signer_s_is_refused() -> None:
    story = begun()
    bundle = bundled(story)
    last = bundle.entries[-1]
    stranger = sign(last.envelope.payload, [signing_key("stranger")]).signatures
    more = replace(last.envelope, signatures=last.envelope.signatures + stranger)
    assert refused(written(bundle, replace(last, envelope=more))).code == "unknown-key"
    alone = replace(last.envelope, signatures=stranger)
    error = refused(written(bundle, replace(last, envelope=alone)))
    assert (type(error), error.code) == (NotAuthenticated, "unsigned")


def test_a_statement_signed_under_another_payload_type_is_refused() -> None:
    bundle = bundled(begun())
    last = bundle.entries[-1]
    maintainer = [signing_key("maintainer")]
    typed = sign(last.envelope.payload, maintainer, payload_type=PAYLOAD_TYPE)
    error = refused(written(bundle, replace(last, envelope=typed)))
    assert (type(error), error.code) == (SchemaViolation, "payload-type")


def written(bundle: Bundle, last: BundleEntry) -> bytes:
    return write_bundle(replace(bundle, entries=(*bundle.entries[:-1], last)))
