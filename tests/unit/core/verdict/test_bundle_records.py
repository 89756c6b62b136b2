# SPDX-License-Identifier: Apache-2.0
"""Sealed words and captures: one order, no duplicates, no extras."""

from dataclasses import replace
from typing import Any

import pytest

from app.core.errors import (
    IntegrityBroken,
    MalformedDocument,
)
from app.core.verdict.bundle import (
    score_bundle,
    write_bundle,
)
from tests import facts
from tests.drafts import zstd
from tests.factories import Story, begun
from tests.unit.core.verdict.bundles import (
    data_of,
    passed,
    records_of,
    refused,
)
from tests.unit.core.verdict.tales import (
    A,
    B,
    bundled,
)


def open_and_closed() -> Story:
    story = passed()
    story.open()
    story.reserve(A, B)
    story.push(A, facts.starved())
    story.push(B, facts.interrupted())
    return story


def test_captures_and_sealed_words_stand_in_the_order_of_the_entries() -> None:
    story = open_and_closed()
    records = records_of(story)
    receipts: list[Any] = [
        step.draft.parsed.predicate for step in story.steps if step.entry.leaf.kind == "receipt"
    ]
    captures = [record["sha256"] for record in records if record["record"] == "capture"]
    assert captures == [one.capture.sha256 for one in receipts[:3]]
    sealed = [record["receipt"] for record in records if record["record"] == "sealed"]
    assert sealed == [step.digest for step in story.steps[-2:]]


@pytest.mark.parametrize("kind", ["sealed", "capture"])
def test_records_in_another_order_are_refused(kind: str) -> None:
    records = records_of(open_and_closed())
    places = [n for n, record in enumerate(records) if record["record"] == kind]
    first, last = places[0], places[-1]
    records[first], records[last] = records[last], records[first]
    error = refused(data_of(records))
    assert (type(error), error.code) == (IntegrityBroken, "bundle-records")


@pytest.mark.parametrize("kind", ["sealed", "capture"])
def test_a_record_that_stands_twice_is_refused(kind: str) -> None:
    records = records_of(open_and_closed())
    place = next(n for n, record in enumerate(records) if record["record"] == kind)
    error = refused(data_of([*records[: place + 1], *records[place:]]))
    assert (type(error), error.code) == (MalformedDocument, "bundle")


def test_a_capture_of_an_open_study_is_an_extra() -> None:
    story = open_and_closed()
    bundle = bundled(story)
    capture = story.steps[-1].draft
    predicate: Any = capture.parsed.predicate
    compressed = {**bundle.captures, predicate.capture.sha256: zstd(capture.capture_bytes)}
    error = refused(write_bundle(replace(bundle, captures=compressed)))
    assert (type(error), error.code) == (IntegrityBroken, "bundle-records")


def test_a_sealed_word_that_says_more_than_may_be_shown_is_refused() -> None:
    records = records_of(open_and_closed())
    place = next(n for n, record in enumerate(records) if record["record"] == "sealed")
    records[place] = {**records[place], "fault": "sut", "reasons": ["SERVER_FAULT"]}
    assert refused(data_of(records)).code == "bundle-records"


def test_a_receipt_with_neither_capture_nor_sealed_word_is_refused() -> None:
    records = records_of(open_and_closed())
    left = [record for record in records if record["record"] != "sealed"]
    assert refused(data_of(left)).code == "capture-missing"


def test_a_sealed_warm_up_that_failed_may_be_tried_again() -> None:
    """What a sealed capture makes of its receipt decides what the ledger took after it."""
    story = begun()
    story.open()
    story.reserve(A)
    story.push(A, facts.warmup_failed(404))
    story.reserve(A, attempt=2)
    story.push(A)
    assert score_bundle(write_bundle(bundled(story)))
