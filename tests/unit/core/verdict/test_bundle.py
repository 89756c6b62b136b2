# SPDX-License-Identifier: Apache-2.0
"""A bundle gives the served bytes, or says what is wrong with it."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace
from msgspec.structs import replace as changed

from app.core.canonical import canonical
from app.core.digest import from_base64, sha256_hex, to_base64
from app.core.errors import IntegrityBroken
from app.core.log.leaf import parse_leaf
from app.core.signing.envelope import sign, to_json
from app.core.verdict.bundle import (
    bundle_entry,
    bundled_captures,
    read_bundle,
    score_bundle,
    write_bundle,
)
from tests import facts
from tests.factories import Story, begun, signing_key
from tests.unit.core.verdict.bundles import (
    data_of,
    kind_of,
    lines_of,
    passed,
    resigned,
    served,
    unknown_record,
)
from tests.unit.core.verdict.tales import (
    A,
    B,
    bundled,
    end,
    run_study,
)


def opened_with_receipts() -> Story:
    story = begun()
    run_study(story)
    story.open()
    story.reserve(A, B)
    story.push(A, facts.starved())
    return story


def stories() -> list[Callable[[], Story]]:
    return [begun, passed, opened_with_receipts, _conflicting, _warmup_failed, _rank_mismatch]


def _conflicting() -> Story:
    story = begun()
    story.open()
    story.reserve(B)
    story.push(B)
    story.push(B, facts.starved())
    return story


def _warmup_failed() -> Story:
    story = begun()
    story.open()
    story.reserve(A)
    story.push(A, facts.warmup_failed())
    return story


def _rank_mismatch() -> Story:
    story = begun()
    story.open()
    story.reserve(A)
    study = story.study().predicate
    receipt = story.receipt(A).parsed.predicate
    ranks = [facts.rank(0, study.arms["A"])]
    topology = replace_member(receipt, "topology", ranks=ranks)
    story.push(A, topology=topology)
    return story


def replace_member(shape: Any, name: str, **changes: Any) -> Any:  # noqa: ANN401  any shape
    return changed(getattr(shape, name), **changes)


@pytest.mark.parametrize("tell", stories())
def test_a_bundle_scores_to_the_served_bytes(tell: Callable[[], Story]) -> None:
    story = tell()
    data = write_bundle(bundled(story))
    assert score_bundle(data) == served(story)
    assert write_bundle(read_bundle(data)) == data


def test_the_captures_of_an_open_study_are_not_in_the_bundle() -> None:
    story = opened_with_receipts()
    records = lines_of(write_bundle(bundled(story)))
    kinds = [record["record"] for record in records]
    assert (kinds.count("sealed"), kinds.count("capture")) == (1, 3)
    (sealed,) = [record for record in records if record["record"] == "sealed"]
    assert (sealed["state"], sealed["fault"], sealed["reasons"]) == ("FAILED", None, [])


def test_late_receipts_of_closed_studies_are_bundled_with_their_captures() -> None:
    story = begun()
    story.open()
    story.reserve(B)
    end(story)
    late = facts.capture(boot_id="late")
    story.push(B, late)
    assert len(bundled_captures(story.standing(), story.now_us)) == 1
    assert score_bundle(write_bundle(bundled(story))) == served(story)


def test_l26_a_verdict_that_has_read_more_than_there_is_names_the_line() -> None:
    """Although the ledger itself signs for the shorter line."""
    story = passed()
    records = lines_of(write_bundle(bundled(story)))
    policy = next(n for n, r in enumerate(records) if kind_of(r) == "policy")
    with pytest.raises(IntegrityBroken) as caught:
        score_bundle(data_of(resigned(records[:policy] + records[policy + 1 :], story=story)))
    assert caught.value.code == "line-incomplete"
    assert "line repo:" in caught.value.detail


def test_l30_a_bundle_with_a_kind_this_reader_does_not_know_holds() -> None:
    story = passed()
    standing = story.standing()
    assert standing.head is not None
    payload = canonical(
        {
            "_type": "https://in-toto.io/Statement/v1",
            "subject": [],
            "predicateType": "urn:fairtrial:foo:v9",
            "predicate": {},
        }
    )
    records = lines_of(write_bundle(bundled(story)))
    entry = unknown_record(story, payload)
    at = max(n for n, r in enumerate(records) if r["record"] == "entry") + 1
    grown = resigned([*records[:at], entry, *records[at:]], size=story.size + 1)
    (document,) = score_bundle(data_of(grown)).values()
    said = json.loads(document)
    assert (said["word"], said["reasons"][0]["code"]) == ("HOLD", "UNKNOWN_STATEMENT")


def test_the_bundles_of_one_state_are_the_same_bytes() -> None:
    assert write_bundle(bundled(passed())) == write_bundle(bundled(passed()))


def test_stored_bytes_become_an_entry() -> None:
    step = begun().steps[0]
    one = bundle_entry(0, step.entry.leaf.to_bytes(), step.draft.json, ())
    assert one.entry == step.entry
    assert one.envelope == step.draft.envelope


def test_behind_an_unknown_entry_of_the_ledgers_line_an_unknown_key_holds() -> None:
    """A kind of a later version may have granted it; the word is HOLD whatever it says."""
    story = begun()
    run_study(story)
    records = lines_of(write_bundle(bundled(story)))
    # The last one: what another key's statement names as its tree stays as it was.
    key = max(n for n, r in enumerate(records) if kind_of(r) == "key")
    leaf = parse_leaf(from_base64(records[key]["leaf"]))
    payload = canonical({"predicateType": "urn:fairtrial:key:v2"})
    unknown = replace(leaf, kind="key", statement=sha256_hex(payload), size=len(payload))
    records[key]["leaf"] = to_base64(unknown.to_bytes())
    records[key]["envelope"] = json.loads(to_json(sign(payload, [signing_key("admin")])))
    (document,) = score_bundle(data_of(resigned(records))).values()
    said = json.loads(document)
    assert (said["word"], said["reasons"][0]["code"]) == ("HOLD", "UNKNOWN_STATEMENT")
