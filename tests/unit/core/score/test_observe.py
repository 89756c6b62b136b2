# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a gate or a fact is any value of it
"""Which event of which stream a canary reads, and how finely a time is read."""

from dataclasses import replace
from fractions import Fraction
from typing import Any, cast

import msgspec
import pytest

from app.core.protocol.gate import BoundGate, CanaryGate, FairnessGate, parse_gates
from app.core.protocol.plan import plan
from app.core.reason import Reason
from app.core.score import observe_number
from app.core.score.interval import INFINITY, NEGATIVE_INFINITY, Interval, finite, point
from app.core.score.observe import _unread, evidence_of, observe
from app.core.score.observe_number import folded_of, lanes_of
from app.core.score.observed import Absence, Basis, exact
from app.core.score.reading import NOTHING_CAPTURED, Ending, readings_of
from app.core.score.scored_slot import ScoredSlot
from app.core.statement.gate_record import Metric, StreamEvent
from tests import contended, facts
from tests.contended import TTFT, fairness
from tests.documents import completeness_gate, document, streams_cell
from tests.gates import bound, population
from tests.results import CPU, claim, gate, number, with_cells
from tests.scores import COMPLETE, FAILED, MISSING, protocol

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


def units(record: Any, filled: Any) -> list[Interval | None]:
    of = protocol(record)
    (gate,) = parse_gates(of)
    planned = next(each for each in plan(of) if each.arm == "B")
    evidence = [evidence_of(of, ScoredSlot(planned, *filled))]
    return [each.observed.interval for each in observe(cast("Any", gate), evidence, document=of)]


def completed(role: str, **members: Any) -> list[Interval | None]:
    at = population("B", role=role)
    return units(completeness_gate("B", 1) | {"population": at} | members, FAILED)


def test_completeness_of_a_slot_folds_the_streams_of_its_role() -> None:
    assert (completed("incumbent"), completed("newcomer")) == ([YES], [NO])
    assert completed("any", slot_summary="min") == [NO]
    assert completed("any", slot_summary="kth", slot_k=2) == [YES]


def test_time_of_a_slot_is_that_of_the_rank_that_was_locked() -> None:
    at = population("B")
    first, second = (
        units(bound(unit="slot", slot_summary="kth", slot_k=k) | {"population": at}, COMPLETE)
        for k in (1, 2)
    )
    assert first != second


def test_time_of_each_stream_is_its_own() -> None:
    record = bound() | {"population": population("B", unit="stream")}
    first, second = units(record, COMPLETE)
    assert first != second


@pytest.mark.parametrize(("op", "middle"), [("<", 2), ("<=", 2), ("==", 2), (">", 1), (">=", 1)])
def test_median_of_two_streams_is_the_one_that_is_worse(op: Any, middle: int) -> None:
    (gate,) = parse_gates(protocol(bound()))
    of = cast("BoundGate", replace(gate, demand=replace(gate.demand, op=op)))
    assert folded_of(of, [exact(1), exact(2)], "median", None).interval == point(middle)


def test_slot_of_doubted_receipts_stays_doubted() -> None:
    of = protocol(bound())
    (gate,) = parse_gates(of)
    slot = replace(ScoredSlot(plan(of)[0], *COMPLETE), doubted=True)
    (unit,) = observe(cast("Any", gate), [evidence_of(of, slot)], document=of)
    assert unit.observed.absence is Absence.DOUBTED


def test_lane_that_is_not_known_may_be_anything_beside_the_others() -> None:
    of = contended.protocol(contended.ratio(), lanes=2, repetitions=1)
    gate = cast("FairnessGate", parse_gates(of)[0])
    seen = contended.seen(contended.lane(0, 2), contended.lane(1, 2))
    cell = next(each for each in of.cells if each.id == contended.CELL)
    known, other = readings_of(of, cell, seen)
    found = lanes_of(gate, seen, [known, replace(other, ending=Ending.UNKNOWN)])
    assert found.basis is Basis.UNKNOWN
    assert found.interval is not None
    assert found.interval.hi == INFINITY


def test_stream_of_conflicting_receipts_is_held_against_itself_alone() -> None:
    record = bound() | {"population": population("B", unit="stream")}
    twice = ("INVALID", None, (Reason.CONFLICTING_RECEIPTS,), (*COMPLETE[3], *COMPLETE[3]))
    assert units(record, twice) == units(record, COMPLETE)


@pytest.mark.parametrize(("op", "end"), [("<=", INFINITY), (">=", NEGATIVE_INFINITY)])
def test_number_that_a_failed_server_did_not_report_lies_beyond_every_limit(
    op: str, end: Any
) -> None:
    comparison = {"kind": "absolute", "op": op, "limit": "0"}
    record = gate("bound", CPU, metric=number(), statistic="all", comparison=comparison)
    of = with_cells(record, cells=[CPU])
    (read,) = parse_gates(of)
    slot = ScoredSlot(plan(of)[0], "FAILED", "sut", (Reason.SERVER_FAULT,), ())
    assert _unread(cast("BoundGate", read), slot).interval == Interval(end, end)


@pytest.mark.parametrize("op", [">", ">="])
def test_throughput_of_a_slot_with_a_failed_stream_is_still_counted_where_more_is_wanted(
    op: str,
) -> None:
    rate = {"unit": "tokens_per_s", "fallback_bounds": "content_deltas_to_max_tokens"}
    record = bound("throughput", metric=rate) | {"population": population("B")}
    record["comparison"]["op"] = op
    assert units(record, FAILED) != [NO]
