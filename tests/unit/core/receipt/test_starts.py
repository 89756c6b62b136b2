# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a fact is any value of it
"""Was each stream sent when the protocol says? The clock of these captures is good to 1 ms."""

from typing import Any

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from app.core.reason import Reason
from app.core.receipt.starts import are_apart, is_off_start
from app.core.statement.capture import Stream
from app.core.statement.gate_record import EventOf
from app.core.statement.protocol_document import PlannedStream, Start, StreamsCell
from tests.documents import document, streams_cell
from tests.facts import capture, complete_stream, incumbent, newcomer, stream
from tests.unit.core.receipt.make import DOCUMENT, REPLAYED, STUDY, outcome

CELL: StreamsCell = streams_cell(document())
PLANNED: PlannedStream = CELL.streams[1]
UNSENT = stream("newcomer", 1, submitted_us=None, planned_us=None, http_status=None)


def starting(**starts: Any) -> PlannedStream:
    """Return the newcomer, starting otherwise."""
    return replace(PLANNED, starts=Start(**starts))


def off(planned: PlannedStream, submitted_us: int, awaited: Stream | None = None) -> bool:
    sent = newcomer(submitted_us=submitted_us)
    return is_off_start(planned, capture(awaited or incumbent(), sent))


# The incumbent's first content is at 430 ms, read to 1 ms as the submission is; the delay 250 ms.
@pytest.mark.parametrize(("at", "expected"), [(677_999, True), (678_000, False)])
def test_stream_is_early_only_before_the_event_it_waits_for(at: int, *, expected: bool) -> None:
    assert off(PLANNED, at) is expected


@pytest.mark.parametrize(("at", "expected"), [(427_999, True), (428_000, False)])
def test_stream_is_early_by_the_event_alone_where_no_delay_is_locked(
    at: int, *, expected: bool
) -> None:
    assert off(replace(PLANNED, starts=replace(PLANNED.starts, delay_us=UNSET)), at) is expected


@pytest.mark.parametrize(("at", "expected"), [(697_999, False), (702_000, False), (702_001, True)])
def test_stream_is_late_past_its_locked_tolerance_and_never_without_one(
    at: int, *, expected: bool
) -> None:
    tolerant = replace(PLANNED, starts=replace(PLANNED.starts, tolerance_us=20_000))
    assert off(tolerant, at) is expected
    assert not off(PLANNED, at)
    assert not off(PLANNED, 239_000_000)


# 999,095 tokens are still in prefill when the peer joins: no content of them can be waited for.
@pytest.mark.parametrize(("at", "expected"), [(1_998_999, True), (1_999_000, False)])
def test_stream_after_submitted_waits_for_no_content(at: int, *, expected: bool) -> None:
    long = stream("incumbent", 0, submitted_us=1_000)
    submitted = EventOf(stream_role="incumbent", event="submitted")
    behind = starting(after=submitted, delay_us=2_000_000)
    assert off(behind, at, long) is expected
    assert not is_off_start(behind, capture(long, newcomer(submitted_us=None)))


@pytest.mark.parametrize(
    ("at", "expected"), [(498_999, True), (499_000, False), (511_000, False), (511_001, True)]
)
def test_delay_behind_slot_start_is_by_the_clock_s_own_zero(at: int, *, expected: bool) -> None:
    assert off(starting(at="slot_start", delay_us=500_000, tolerance_us=10_000), at) is expected


def test_stream_at_slot_start_is_never_early() -> None:
    assert not off(starting(at="slot_start"), 0)
    assert not off(starting(at="slot_start"), 5_000_000)
    assert off(starting(at="slot_start", tolerance_us=0), 1_001)
    assert not off(starting(at="slot_start", tolerance_us=0), 1_000)


def test_stream_whose_event_nobody_saw_or_that_was_never_sent_is_not_off() -> None:
    assert not off(PLANNED, 0, stream("incumbent", 0))
    assert not is_off_start(PLANNED, capture(incumbent(), UNSENT))
    assert not is_off_start(PLANNED, capture(incumbent()))


def pair(tolerance_us: Any = UNSET, delay_us: Any = UNSET) -> StreamsCell:
    """Return the cell with both streams together, the second one behind by its delay."""
    first = replace(CELL.streams[0], starts=Start(at="together", tolerance_us=tolerance_us))
    second = replace(PLANNED, starts=replace(first.starts, delay_us=delay_us))
    return replace(CELL, streams=[first, second])


def sent(first: int, second: int) -> Any:
    return capture(incumbent(submitted_us=first), newcomer(submitted_us=second))


@pytest.mark.parametrize(
    ("first", "second", "apart"),
    [(0, 0, False), (0, 2_000, False), (2_000, 0, False), (0, 2_001, True), (2_001, 0, True)],
)
def test_together_is_one_instant_within_the_clock_s_resolution(
    first: int, second: int, *, apart: bool
) -> None:
    assert are_apart(pair(), sent(first, second)) is apart


@pytest.mark.parametrize(("second", "apart"), [(52_000, False), (52_001, True)])
def test_together_is_within_the_locked_tolerance(second: int, *, apart: bool) -> None:
    assert are_apart(pair(tolerance_us=50_000), sent(0, second)) is apart


@pytest.mark.parametrize(("second", "apart"), [(97_999, True), (98_000, False), (102_001, True)])
def test_together_with_a_delay_is_that_much_behind(second: int, *, apart: bool) -> None:
    assert are_apart(pair(delay_us=100_000), sent(0, second)) is apart


def test_smallest_tolerance_of_those_together_decides() -> None:
    cell = pair(tolerance_us=50_000)
    strict = replace(cell.streams[1], starts=Start(at="together", tolerance_us=0))
    assert are_apart(replace(cell, streams=[cell.streams[0], strict]), sent(0, 2_001))


def test_one_alone_is_apart_from_nobody() -> None:
    assert not are_apart(pair(), capture(incumbent(), UNSENT))
    assert not are_apart(pair(), capture(incumbent()))
    assert not are_apart(CELL, sent(0, 99_000_000))
    assert not is_off_start(pair().streams[1], sent(0, 99_000_000))


def test_slot_whose_streams_did_not_start_as_locked_is_invalid_as_not_as_planned() -> None:
    locked = replace(DOCUMENT, cells=[replace(pair(), preconditions=[])])
    seen = sent(0, 99_000)
    found = outcome(seen, locked=locked)
    assert (found.state, found.fault) == ("INVALID", "harness")
    assert found.reasons == (Reason.STREAMS_NOT_AS_PLANNED,)
    assert outcome(sent(0, 1_000), locked=locked).state == "COMPLETE"
    # What a source says of a replay's instants is held to being together, and to no more.
    told = replace(STUDY, replay=REPLAYED)
    assert outcome(seen, locked=locked, pins=told).state == "INVALID"
    assert outcome(sent(0, 99_000), pins=told).reasons == (Reason.PRECONDITION_NOT_MET,)


def test_failure_of_the_server_is_not_covered_by_a_start_out_of_place() -> None:
    locked = replace(DOCUMENT, cells=[replace(pair(), preconditions=[])])
    short = complete_stream("incumbent", 0, tokens=3)
    seen = capture(short, newcomer(submitted_us=99_000))
    assert outcome(seen, locked=locked).state == "FAILED"
