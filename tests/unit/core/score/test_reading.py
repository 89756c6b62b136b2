# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a fact is any value of it
"""How a stream ended, by the locked fault table."""

from dataclasses import replace
from typing import Any

import msgspec
import pytest

from app.core.reason import Reason
from app.core.receipt.faults import Fault
from app.core.score.reading import Ending, Reading, _ending, after_event, readings_of
from app.core.statement.capture import Counter, Stream
from tests import facts
from tests.documents import document, streams_cell
from tests.gates import bound, integrity
from tests.results import CPU, checks, checks_gate, with_cells
from tests.scores import only, protocol, study

NEWCOMER = streams_cell(document()).streams[1]
UNSENT = facts.stream("newcomer", 1, submitted_us=None)


def reading(ending: Ending = Ending.COMPLETE) -> Reading:
    return Reading(NEWCOMER, facts.newcomer(), ending, 0, deadline_passed=False)


def endings(*streams: Stream, **capture: Any) -> list[Ending]:
    protocol = document()
    seen = facts.capture(*streams, **capture)
    return [each.ending for each in readings_of(protocol, streams_cell(protocol), seen)]


COMPLETE = Ending.COMPLETE


@pytest.mark.parametrize(
    ("newcomer", "ending"),
    [
        (facts.newcomer(), COMPLETE),
        (facts.starved_newcomer(), Ending.SERVER_FAILURE),
        (facts.stream("newcomer", 1, submitted_us=680_000), Ending.UNFINISHED),
        (facts.starved_newcomer(error_class="cancelled_by_person"), Ending.UNFINISHED),
        (facts.starved_newcomer(error_class="connection_reset"), Ending.UNFINISHED),
        (facts.starved_newcomer(error_class="malformed_stream"), Ending.UNFINISHED),
        (facts.starved_newcomer(error_class="interrupted"), Ending.UNFINISHED),
        (facts.starved_newcomer(error_class="timeout"), Ending.UNKNOWN),
        (facts.starved_newcomer(error_class=None, http_status=429), Ending.UNKNOWN),
        (facts.starved_newcomer(error_class="name_resolution"), Ending.UNKNOWN),
        (facts.starved_newcomer(error_class="error_event_in_stream"), Ending.SERVER_FAILURE),
        (UNSENT, Ending.UNKNOWN),
    ],
)
def test_l21_ending_of_a_stream_is_by_its_facts(newcomer: Stream, ending: Ending) -> None:
    assert endings(facts.incumbent(), newcomer) == [COMPLETE, ending]


def test_shorter_stream_than_locked_is_short() -> None:
    assert endings(facts.incumbent(tokens=1000), facts.newcomer())[0] is Ending.SHORT


def test_planned_stream_that_the_capture_leaves_out_is_unknown() -> None:
    assert endings(facts.incumbent()) == [COMPLETE, Ending.UNKNOWN]


def test_stream_whose_event_never_came_is_the_servers_failure() -> None:
    silent = facts.stream("incumbent", 0, observed_until_us=240_000_000, error_class="deadline")
    assert endings(silent, UNSENT) == [Ending.SERVER_FAILURE, Ending.SERVER_FAILURE]


def test_warm_up_that_the_server_failed_fails_every_stream() -> None:
    protocol = document()
    cell = streams_cell(protocol)
    for capture, ending in (
        (facts.warmup_failed(500), Ending.SERVER_FAILURE),
        (facts.warmup_failed(404), Ending.UNKNOWN),
    ):
        seen = readings_of(protocol, cell, capture)
        assert [each.ending for each in seen] == [ending, ending]


def test_what_follows_a_restart_is_unknown_and_what_was_over_stays() -> None:
    assert after_event(reading(), 0).ending is Ending.UNKNOWN
    assert after_event(reading(), 9_023_001).ending is COMPLETE
    assert after_event(reading(), 9_023_000).ending is Ending.UNKNOWN
    failed = reading(Ending.SERVER_FAILURE)
    assert after_event(failed, 0) == failed
    assert after_event(replace(reading(), stream=None), 0).ending is Ending.UNKNOWN


def test_restart_of_which_nobody_says_when_leaves_nothing_that_was_over_before_it() -> None:
    at_once = facts.newcomer(
        submitted_us=0, planned_us=0, first=0, last=0, settled_us=0, observed_until_us=0
    )
    seen = facts.capture(facts.incumbent(), at_once)
    counted = msgspec.structs.replace(
        seen.observations, counters=[Counter(name="restarts", before=0, after=1)]
    )
    restarted = msgspec.structs.replace(seen, observations=counted)
    for capture, expected in ((seen, "PASS"), (restarted, "INCONCLUSIVE")):
        score = study(protocol(integrity(), bound()), {"B": ("COMPLETE", None, (), (capture,))})
        assert only(score, "bound-b").state == expected


def test_streams_of_another_kind_of_cell_or_capture_are_not_read() -> None:
    of, suites = document(), with_cells(checks_gate(), cells=[CPU])
    assert readings_of(of, streams_cell(of), checks()) == ()
    assert readings_of(suites, suites.cells[0], facts.capture()) == ()
    assert readings_of(suites, suites.cells[0], checks()) == ()


@pytest.mark.parametrize("fault", ["harness", "environment", "identity"])
def test_stream_that_failed_by_no_server_is_unknown(fault: Fault) -> None:
    seen = facts.capture()
    cell = streams_cell(document())
    stream = seen.streams[0]
    assert _ending(cell, seen, cell.streams[0], stream, fault) is Ending.UNKNOWN


def test_stream_of_unknown_end_says_whose_fault_that_is_and_a_replaced_server_what_it_was() -> None:
    protocol = document()
    cell = streams_cell(protocol)
    late = facts.starved_newcomer(error_class="timeout")
    seen = readings_of(protocol, cell, facts.capture(facts.incumbent(), late))
    assert [each.lost for each in seen] == [None, Reason.HARNESS_FAULT]
    assert after_event(seen[0], 0).lost is Reason.SERVER_REPLACED
    (_, left_out) = readings_of(protocol, cell, facts.capture(facts.incumbent()))
    assert left_out.lost is None
