# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a gate or a fact is any value of it
"""Which event of which stream a canary reads, and how finely a time is read."""

from dataclasses import replace
from fractions import Fraction
from typing import Any, cast

import msgspec
import pytest

from app.core.protocol.gate import CanaryGate, FairnessGate, parse_gates
from app.core.protocol.plan import plan
from app.core.reason import Reason
from app.core.score import observe_number
from app.core.score.interval import Interval, finite, point
from app.core.score.observe import evidence_of, observe
from app.core.score.observe_number import lanes_of
from app.core.score.reading import NOTHING_CAPTURED, Ending, readings_of
from app.core.score.scored_slot import ScoredSlot
from app.core.statement.gate_record import Metric, StreamEvent
from tests import contended, facts
from tests.contended import TTFT, fairness
from tests.documents import document, streams_cell
from tests.results import claim
from tests.scores import COMPLETE, FAILED, MISSING

OF = document()
CANARY = next(each for each in parse_gates(OF) if isinstance(each, CanaryGate))
YES, NO = point(1), point(0)


def canary(
    left: StreamEvent, right: StreamEvent, newcomer: Any, incumbent: Any = None, **changes: Any
) -> Any:
    gate = replace(
        CANARY,
        left=msgspec.structs.replace(CANARY.left, event=left),
        right=msgspec.structs.replace(CANARY.right, event=right),
        **changes,
    )
    seen = facts.capture(incumbent or facts.incumbent(), newcomer)
    filled = (*COMPLETE[:3], (seen,))
    slot = ScoredSlot(plan(OF)[0], *filled)
    (unit,) = observe(gate, [evidence_of(OF, slot)], document=OF)
    return unit.observed.interval


def test_canary_reads_the_event_that_each_side_names() -> None:
    late = facts.newcomer(last=30_000_000)
    assert canary("last_content", "last_content", facts.newcomer()) == YES
    assert canary("last_content", "first_content", facts.newcomer()) == NO
    assert canary("last_content", "last_content", late) == NO
    assert canary("first_content", "last_content", late) == YES


def test_canary_that_asks_for_no_answer_needs_none() -> None:
    silent = facts.newcomer(answer_matched=None)
    assert canary("last_content", "last_content", silent, answer=False) == YES
    assert canary("last_content", "last_content", silent) != YES


@pytest.mark.parametrize(
    ("resolution", "clock_us", "half"),
    [
        (None, 0, Fraction(0)),
        (None, 1000, Fraction(1, 1000)),
        ("0.5", 1000, Fraction(1, 2)),
        ("0.0001", 1000, Fraction(1, 1000)),
    ],
)
def test_time_is_read_no_finer_than_its_metric_and_its_clock(
    resolution: str | None, clock_us: int, half: Fraction
) -> None:
    metric = TTFT if resolution is None else TTFT | {"resolution": resolution}
    of = contended.protocol(fairness(metric), lanes=2, repetitions=1)
    gate = cast("FairnessGate", parse_gates(of)[0])
    seen = contended.seen(contended.lane(0, 2), contended.lane(1, 2))
    clock = msgspec.structs.replace(seen.clock, resolution_us=clock_us)
    capture = msgspec.structs.replace(seen, clock=clock)
    cell = next(each for each in of.cells if each.id == contended.CELL)
    lanes = readings_of(of, cell, capture)
    two = Fraction(2)
    expected = Interval(finite(two - half), finite(two + half))
    assert lanes_of(gate, capture, lanes[:1]).interval == expected


def test_decision_of_another_tool_is_read_by_no_clock() -> None:
    metric = msgspec.convert(TTFT, Metric)
    assert observe_number._resolution(metric, claim(), Fraction(1)) == 0


def test_failed_slot_is_read_by_its_captures_and_without_any_as_failed_altogether() -> None:
    (planned, *_) = plan(OF)
    seen = evidence_of(OF, ScoredSlot(planned, *FAILED))
    assert seen.captures == FAILED[3]
    assert [each.ending for each in seen.readings[0]] == [Ending.COMPLETE, Ending.SERVER_FAILURE]
    cold = evidence_of(OF, ScoredSlot(planned, "FAILED", "sut", (Reason.SERVER_FAULT,), ()))
    assert (cold.captures, cold.cell) == ((NOTHING_CAPTURED,), seen.cell)
    assert {each.ending for each in cold.readings[0]} == {Ending.SERVER_FAILURE}
    missing = evidence_of(OF, ScoredSlot(planned, *MISSING))
    assert (missing.captures, missing.readings, missing.broken) == ((), (), False)


def test_client_that_gave_up_early_makes_a_timeout_its_own() -> None:
    (planned, *_) = plan(OF)
    deadline = streams_cell(OF).ends.slot_deadline_us
    late = facts.starved_newcomer(error_class="timeout", observed_until_us=deadline)
    seen = (facts.capture(facts.incumbent(), late),)

    def ending(*timeouts: int | None) -> Ending:
        slot = ScoredSlot(planned, "COMPLETE", None, (), seen, timeouts_us=timeouts)
        return evidence_of(OF, slot).readings[0][-1].ending

    assert ending() is ending(None) is Ending.SERVER_FAILURE
    assert ending(1) is Ending.UNKNOWN


@pytest.mark.parametrize("op", [">", ">="])
def test_stream_that_the_server_failed_never_comes_last(op: str) -> None:
    refused = facts.stream("incumbent", 0, http_status=500, error_class="http_error")
    seen = canary("last_content", "last_content", facts.newcomer(), refused, op=op)
    assert seen == NO
    refused = facts.newcomer(http_status=500, error_class="http_error", settled_us=None)
    assert canary("last_content", "last_content", refused, op=op) == NO
