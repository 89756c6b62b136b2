# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a gate is any JSON
"""Fairness: the worst lane, and how far lanes lie apart, over what is known of each."""

from fractions import Fraction
from itertools import product
from math import inf
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from app.core.score.interval import INFINITY, Interval, finite
from app.core.score.lanes import lane_ratio
from app.core.score.observed import above, exact, never, unknown
from app.core.statement.gate_record import LaneRatio
from tests import contended
from tests.contended import RATE, TTFT, fairness, of_firsts, of_rates, protocol, ratio, score
from tests.scores import MISSING, NOT_WARM, only, said

ALIKE = of_firsts(1, 1, 1, 1)


def judged(gate: Any, *filled: Any, **members: Any) -> Any:
    of = protocol(gate, repetitions=len(filled), arms=("A", "B", "A2"), **members)
    slots = {f"B/{contended.CELL}/{number}": each for number, each in enumerate(filled, 1)}
    return only(score(of, slots, rest=ALIKE), gate["id"])


# ---- the worst lane ----


def test_worst_lane_of_all_slots_decides() -> None:
    gate = judged(fairness(limit="30"), of_firsts(1, 2, 29, 30), of_firsts(1, 1, 1, 1))
    assert said(gate) == ("PASS", "BOUND_HELD")
    assert (gate.counts.planned, len(gate.observations)) == (8, 8)
    gate = judged(fairness(limit="30"), of_firsts(1, 1, 1, 1), of_firsts(1, 1, 30.5, 1))
    assert said(gate) == ("FAIL", "BOUND_VIOLATED")
    assert gate.observations[6].lane == 2


def test_worst_lane_of_a_rate_is_the_slowest() -> None:
    assert judged(fairness(RATE, "10"), of_rates(10, 50, 50, 50)).state == "PASS"
    assert judged(fairness(RATE, "10"), of_rates(9, 50, 50, 50)).state == "FAIL"


def test_lane_that_never_answered_fails_the_worst_lane() -> None:
    assert said(judged(fairness(limit="30"), of_firsts(1, 1, 1, None))) == (
        "FAIL",
        "BOUND_VIOLATED",
    )


def test_lane_that_the_server_refused_at_once_is_the_worst_lane() -> None:
    quick = contended.measured(
        *(contended.lane(number, 1) for number in range(3)), contended.failed(3), state="FAILED"
    )
    assert judged(fairness(limit="30"), quick).state == "FAIL"
    assert judged(fairness(RATE, "1"), quick).state == "FAIL"


# ---- how far lanes lie apart ----


def test_b07_same_lanes_flip_with_the_order_statistic_that_is_locked() -> None:
    lanes = of_rates(10, 20, 20, 20.1)
    assert said(judged(ratio(), lanes)) == ("FAIL", "BOUND_VIOLATED")
    assert said(judged(ratio(highest=2), lanes)) == ("PASS", "BOUND_HELD")


def test_ratio_of_each_slot_is_one_unit_and_the_worst_slot_decides() -> None:
    gate = judged(ratio(), of_rates(10, 10, 10, 20), of_rates(10, 10, 10, 25))
    assert (gate.state, gate.counts.planned, gate.unit) == ("FAIL", 2, "1")
    assert [each.interval.lo for each in gate.observations] == ["2", "2.5"]
    assert (gate.limit, gate.margin) == ("2", "-0.5")


def test_lane_that_never_answered_makes_the_ratio_unbounded_not_absent() -> None:
    gate = judged(ratio(TTFT, "4"), of_firsts(1, 20, 20, None))
    (unit,) = gate.observations
    assert (unit.interval.lo, unit.interval.hi, unit.basis) == ("100", "inf", "censored")
    assert said(gate) == ("FAIL", "BOUND_VIOLATED")
    near = judged(ratio(TTFT, "4"), of_firsts(30, 30, 30, None))
    assert said(near) == ("INCONCLUSIVE", "CENSORING_UNDECIDED")


def test_lanes_that_all_failed_are_not_fair() -> None:
    dead = contended.measured(*(contended.failed(each) for each in range(4)), state="FAILED")
    for gate in (ratio(), ratio(TTFT)):
        (unit,) = judged(gate, dead).observations
        assert (unit.interval.lo, unit.interval.hi) == ("inf", "inf")
        assert judged(gate, dead).state == "FAIL"


def test_ratio_improves_while_the_worst_lane_gets_worse_and_only_the_other_gate_sees_it() -> None:
    both_worse = of_firsts(40, 40, 41, 41)
    assert judged(ratio(TTFT), both_worse).state == "PASS"
    assert judged(fairness(limit="30"), both_worse).state == "FAIL"


def test_slots_that_were_not_measured_leave_a_ratio_undecided() -> None:
    fair = of_rates(10, 10, 10, 11)
    assert said(judged(ratio(), fair, MISSING)) == ("INCONCLUSIVE", "MISSING_UNDECIDED")
    assert said(judged(ratio(), NOT_WARM, NOT_WARM)) == ("INVALID", "HARNESS_FAULT")
    unfair = of_rates(10, 10, 10, 50)
    assert said(judged(ratio(), unfair, MISSING)) == ("FAIL", "BOUND_VIOLATED")


def test_lanes_that_failed_beside_one_that_was_read_break_the_gate_and_not_the_judge() -> None:
    lanes = [contended.lane(0, 1), *(contended.failed(each) for each in (1, 2, 3))]
    state, fault, reasons, (capture,) = contended.measured(*lanes, state="FAILED")
    coarse = replace(capture, clock=replace(capture.clock, resolution_us=1000))
    gate = judged(ratio(TTFT, "4", highest=1, lowest=2), (state, fault, reasons, (coarse,)))
    assert said(gate) == ("FAIL", "BOUND_VIOLATED")


RULES = {
    "2nd highest": "decode_rate of the 2nd highest reader lane over that of the lowest, max of the "
    "slots of B/C4 <= 2",
    "3rd lowest": "ttft of the highest reader lane over that of the 3rd lowest, max of the slots "
    "of B/C4 <= 2",
    "worst": "max of ttft over reader lanes of B/C4 <= 30 s",
}


@pytest.mark.parametrize(
    ("gate", "rule"),
    [
        (fairness(limit="30"), "worst"),
        (ratio(highest=2), "2nd highest"),
        (ratio(TTFT, highest=1, lowest=3), "3rd lowest"),
    ],
)
def test_rule_says_which_lanes_are_divided(gate: Any, rule: str) -> None:
    assert judged(gate, ALIKE).rule == RULES[rule]


def test_an_end_is_no_number() -> None:
    assert finite(1) != Fraction(1)
    assert finite(1) == finite(Fraction(1))
    assert finite(1) <= INFINITY


# ---- against every completion ----

VALUES = st.integers(1, 5).map(Fraction)


@st.composite
def lanes(draw: st.DrawFn) -> tuple[list[Interval], LaneRatio]:
    ends = draw(st.lists(st.tuples(VALUES, VALUES), min_size=2, max_size=4))
    highest = draw(st.integers(1, len(ends) - 1))
    lowest = draw(st.integers(1, len(ends) - highest))
    made = [Interval(finite(min(pair)), finite(max(pair))) for pair in ends]
    return made, LaneRatio(highest=highest, lowest=lowest)


def divided(values: tuple[Fraction, ...], of: LaneRatio) -> Fraction:
    ordered = sorted(values)
    return ordered[-of.highest] / ordered[of.lowest - 1]


@given(lanes())
def test_ratio_is_the_range_over_every_completion(made: tuple[list[Interval], LaneRatio]) -> None:
    intervals, of = made
    ends = sorted({end.value for each in intervals for end in (each.lo, each.hi)})
    grids = [[end for end in ends if one.lo.value <= end <= one.hi.value] for one in intervals]
    found = {divided(values, of) for values in product(*grids)}
    assert lane_ratio(intervals, of) == Interval(finite(min(found)), finite(max(found)))


def interval(observed: Any) -> Interval:
    found = observed.interval
    return Interval(finite(0), INFINITY, hi_open=True) if found is None else found


@pytest.mark.parametrize(
    ("observed", "expected"),
    [
        ([exact(2), above(4)], (2, inf, True, True)),
        ([above(2), above(4)], (1, inf, False, True)),
        ([exact(2), never()], (inf, inf, False, False)),
        ([never(), never()], (inf, inf, False, False)),
        ([exact(0), exact(3)], (inf, inf, False, False)),
        ([exact(0), exact(0)], (inf, inf, False, False)),
        ([exact(0), above(3)], (inf, inf, False, False)),
        ([exact(2), unknown()], (1, inf, False, False)),
        ([exact(3), above(3)], (1, inf, True, True)),
        ([above(3), exact(3, 1)], (1, inf, False, True)),
    ],
)
def test_ends_of_a_ratio_with_lanes_that_may_take_for_ever(observed: Any, expected: Any) -> None:
    found = lane_ratio([interval(each) for each in observed], LaneRatio(highest=1, lowest=1))
    ends = [inf if end.rank else end.value for end in (found.lo, found.hi)]
    assert (*ends, found.lo_open, found.hi_open) == expected


def test_lanes_that_cannot_agree_on_a_number_are_infinitely_apart() -> None:
    dead, some = Interval(INFINITY, INFINITY), Interval(finite(1), finite(2))
    assert lane_ratio([dead, dead, some], LaneRatio(highest=1, lowest=2)) == dead
    nothing, little = Interval(finite(0), finite(0)), Interval(finite(0), finite(3))
    assert lane_ratio([nothing, nothing, little], LaneRatio(highest=1, lowest=1)).lo == INFINITY
    one = Interval(finite(1), finite(1))
    assert lane_ratio([one, one, some], LaneRatio(highest=1, lowest=1)).lo == finite(1)
