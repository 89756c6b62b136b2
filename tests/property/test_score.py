# SPDX-License-Identifier: Apache-2.0
"""Scoring for every input: completions, widening, missing captures, order, and the lattice."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import product
from typing import get_args

from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from app.core.protocol.gate import Demand, Domain, Statistic
from app.core.protocol.plan import PlannedSlot, plan
from app.core.reason import Reason
from app.core.score.decide import judge, margin_of
from app.core.score.interval import Interval, Truth, finite
from app.core.score.judge import ScoredSlot, judge_study
from app.core.score.lattice import SEVERITY, combine, together
from app.core.score.observed import (
    Absence,
    Basis,
    Observed,
    above,
    absent,
    at_least,
    between,
    conflicting,
    exact,
    never,
    unknown,
)
from app.core.score.state import State
from app.core.score.statistic import statistic_of, truth_of
from app.core.statement.capture import StreamsCapture
from app.core.statement.gate_record import Operator
from app.core.statement.judgement import SlotState
from tests import documents, facts

FROM_ZERO = Domain(Fraction(0), None)
SMALL = st.integers(0, 6).map(lambda each: Fraction(each, 2))
EACH_STATISTIC: tuple[Statistic, ...] = get_args(Statistic)
EACH_OPERATOR: tuple[Operator, ...] = get_args(Operator)
STATES = st.lists(st.sampled_from(list(State)), max_size=6)


@st.composite
def demands(draw: st.DrawFn) -> Demand:
    return Demand(
        "bound",
        draw(st.sampled_from(EACH_STATISTIC)),
        draw(st.sampled_from(EACH_OPERATOR)),
        draw(SMALL),
        FROM_ZERO,
        k=draw(st.integers(1, 2)),
        required_n=draw(st.none() | st.integers(1, 5)),
    )


@st.composite
def measured(draw: st.DrawFn) -> Observed:
    low, wide = draw(SMALL), draw(SMALL)
    made = draw(st.sampled_from(("exact", "read", "above", "at_least", "between", "never")))
    match made:
        case "exact":
            return exact(low)
        case "read":
            return exact(low, wide)
        case "above":
            return above(low)
        case "at_least":
            return at_least(low)
        case "between":
            return between(finite(low), finite(low + wide))
        case _:
            return never()


absences = st.sampled_from([each for each in Absence if each is not Absence.CONFLICT]).map(absent)
conflicts = st.lists(measured(), min_size=2, max_size=2).map(conflicting)
anything = measured() | absences | conflicts | st.just(unknown())
several = st.lists(anything, min_size=2, max_size=5)


def widened(observed: Observed, by: Fraction) -> Observed:
    assert observed.interval is not None
    interval = observed.interval
    lo = interval.lo if interval.lo.rank else finite(interval.lo.value - by)
    hi = interval.hi if interval.hi.rank else finite(interval.hi.value + by)
    return structs.replace(observed, interval=Interval(lo, hi, interval.lo_open, interval.hi_open))


@given(demands(), st.lists(measured(), min_size=1, max_size=4), st.data())
def test_widening_an_observation_moves_pass_and_fail_only_to_inconclusive(
    demand: Demand, observations: list[Observed], data: st.DataObject
) -> None:
    before = judge(demand, observations)
    index = data.draw(st.integers(0, len(observations) - 1))
    after = judge(
        demand,
        [
            widened(each, data.draw(SMALL)) if number == index else each
            for number, each in enumerate(observations)
        ],
    )
    assert after.state in (before.state, State.INCONCLUSIVE)


@given(demands(), several, st.data())
def test_replacing_a_capture_by_missing_never_creates_a_pass(
    demand: Demand, observations: list[Observed], data: st.DataObject
) -> None:
    index = data.draw(st.integers(0, len(observations) - 1))
    without = list(observations)
    without[index] = data.draw(absences)
    if judge(demand, without).state is State.PASS:
        assert judge(demand, observations).state is State.PASS


@given(demands(), several, st.data())
def test_order_of_units_changes_nothing(
    demand: Demand, observations: list[Observed], data: st.DataObject
) -> None:
    shuffled = data.draw(st.permutations(observations))
    assert judge(demand, shuffled) == judge(demand, observations)


@given(demands(), several)
def test_every_planned_unit_stays_in_the_denominator(
    demand: Demand, observations: list[Observed]
) -> None:
    required = replace(demand, required_n=None)
    unknown_units = any(each.basis is Basis.UNKNOWN for each in observations)
    assert not unknown_units or judge(required, observations).state is not State.PASS


@given(demands(), several)
def test_margin_is_on_the_side_of_the_state(demand: Demand, observations: list[Observed]) -> None:
    judged = judge(demand, observations)
    margin = margin_of(demand, judged)
    assert margin is not None or demand.op == "=="
    if margin is not None and judged.state is State.PASS:
        assert margin >= finite(0)
    if margin is not None and judged.state is State.FAIL:
        assert margin <= finite(0)


# ---- against every completion, one by one ----

CLOSED = st.tuples(SMALL, SMALL).map(lambda ends: between(finite(ends[0]), finite(sum(ends))))
HAIR = Fraction(1, 64)


def points(interval: Interval, limit: Fraction) -> list[Fraction]:
    """Return values all over an interval, its ends and the limit among them where possible."""
    lo = interval.lo.value + (HAIR if interval.lo_open else 0)
    hi = interval.hi.value if not interval.hi.rank else lo + 20
    return sorted({lo, hi, (lo + hi) / 2, *({limit} if lo <= limit <= hi else ())})


COMPARE: dict[str, Callable[[Fraction, Fraction], bool]] = {
    "<": lambda limit, each: each < limit,
    "<=": lambda limit, each: each <= limit,
    "==": lambda limit, each: each == limit,
    ">=": lambda limit, each: each >= limit,
    ">": lambda limit, each: each > limit,
}


def holds(demand: Demand, values: Sequence[Fraction]) -> bool:
    """Return whether the demand holds of exact values; written without the code under test."""
    compare = partial(COMPARE[demand.op], demand.limit)
    ordered, n = sorted(values), len(values)
    match demand.statistic:
        case "all":
            return all(map(compare, values))
        case "any":
            return any(map(compare, values))
        case "median":
            # No interpolation: the middle value that is worse for the candidate.
            return compare(ordered[(n - 1) // 2]) and compare(ordered[n // 2])
        case "sum" | "count":
            return compare(sum(values, Fraction(0)))
        case "max":
            return compare(ordered[-1])
        case "min":
            return compare(ordered[0])
        case "kth":
            return compare(ordered[(demand.k or 1) - 1])


UNITS = CLOSED | SMALL.map(above) | SMALL.map(at_least) | SMALL.map(exact)


@given(demands(), st.lists(UNITS, min_size=2, max_size=4))
def test_truth_is_that_of_every_completion(demand: Demand, units: list[Observed]) -> None:
    intervals = [each.interval for each in units if each.interval is not None]
    grids = [points(each, demand.limit) for each in intervals]
    found = {holds(demand, values) for values in product(*grids)}
    truth = truth_of(demand, intervals)
    if truth is Truth.TRUE:
        assert found == {True}
    if truth is Truth.FALSE:
        assert found == {False}
    if truth is Truth.OPEN and demand.op != "==":
        assert found == {True, False}


@given(demands(), st.lists(CLOSED, min_size=2, max_size=4))
def test_statistic_of_intervals_is_the_range_of_its_completions(
    demand: Demand, units: list[Observed]
) -> None:
    intervals = [each.interval for each in units if each.interval is not None]
    ends = [(each.lo.value, each.hi.value) for each in intervals]
    values = []
    for completion in product(*ends):
        exactly = [Interval(finite(each), finite(each)) for each in completion]
        values.append(statistic_of(demand, exactly))
    seen = statistic_of(demand, intervals)
    assert seen.lo == min(each.lo for each in values)
    assert seen.hi == max(each.hi for each in values)


# ---- the lattice ----


@given(STATES, STATES)
def test_combining_in_parts_is_combining_at_once(left: list[State], right: list[State]) -> None:
    parts = [combine(each) for each in (left, right) if each]
    assert combine(parts) is combine(left + right)


@given(STATES, st.sampled_from(list(State)))
def test_another_state_never_improves_what_must_all_pass(states: list[State], new: State) -> None:
    if states:
        rank = SEVERITY.index
        assert rank(combine([*states, new])) <= rank(combine(states))
    assert combine([]) is State.NOT_RUN


@given(STATES)
def test_pass_is_only_what_passes_everywhere(states: list[State]) -> None:
    assert (combine(states) is State.PASS) == (bool(states) and set(states) == {State.PASS})


@given(STATES, st.integers(1, 4))
def test_k_of_n_fails_only_when_it_is_impossible(states: list[State], k: int) -> None:
    state = combine(states, mode="k_of_n", k=k)
    passing, failing = states.count(State.PASS), states.count(State.FAIL)
    if not states:
        assert state is State.NOT_RUN
    else:
        assert (state is State.PASS) == (passing >= k)
        assert (state is State.FAIL) == (len(states) - failing < k)
    assert combine(states, mode="any") is combine(states, mode="k_of_n", k=1)


@given(STATES, st.data())
def test_order_of_states_changes_nothing(states: list[State], data: st.DataObject) -> None:
    for mode in ("all", "any", "k_of_n"):
        shuffled = data.draw(st.permutations(states))
        assert combine(shuffled, mode=mode, k=2) is combine(states, mode=mode, k=2)


@given(STATES)
def test_a_scope_without_a_gate_is_not_run_whatever_was_reported(states: list[State]) -> None:
    said = [(each, Reason.NO_STUDY) for each in states]
    state, reason = together(said)
    assert state is combine(states)
    assert (reason is Reason.NO_GATE_EVALUATED) == (not states)


# ---- studies ----

PROTOCOL = documents.document(repetitions=2)


Made = tuple[SlotState, Reason, tuple[StreamsCapture, ...]]
TWICE = (facts.starved(), facts.starved())
MADE: tuple[Made, ...] = (
    ("COMPLETE", Reason.ALL_STREAMS_COMPLETE, (facts.capture(),)),
    ("FAILED", Reason.SERVER_FAULT, (facts.starved(),)),
    ("MISSING", Reason.MISSING, ()),
    ("ABANDONED", Reason.ABANDONED, ()),
    ("INVALID", Reason.IMAGE_MISMATCH, (facts.capture(),)),
    ("INVALID", Reason.CONFLICTING_RECEIPTS, TWICE),
    ("WARMUP_FAILED", Reason.WARMUP_NOT_COMPLETED, ()),
)


@st.composite
def scored(draw: st.DrawFn, planned: PlannedSlot) -> ScoredSlot:
    state, reason, captures = draw(st.sampled_from(MADE))
    return ScoredSlot(planned, state, None, (reason,), captures)


studies = st.tuples(*(scored(each) for each in plan(PROTOCOL))).map(list)


@given(studies, st.data())
def test_order_of_slots_changes_no_judgement(slots: list[ScoredSlot], data: st.DataObject) -> None:
    shuffled = data.draw(st.permutations(slots))
    assert judge_study(PROTOCOL, shuffled) == judge_study(PROTOCOL, slots)


@given(studies, st.data())
def test_emptying_slots_never_makes_a_scope_pass(
    slots: list[ScoredSlot], data: st.DataObject
) -> None:
    emptied = [
        ScoredSlot(each.planned, "MISSING", None, (Reason.MISSING,), ())
        if data.draw(st.booleans())
        else each
        for each in slots
    ]
    if judge_study(PROTOCOL, emptied).scopes[0].state == State.PASS:
        assert judge_study(PROTOCOL, slots).scopes[0].state == State.PASS
