# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a gate is any JSON
"""Observed envelopes: TheGrill's rule at its boundaries, and over values that are intervals."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from typing import Any, cast

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.core.protocol.gate import ContentionGate, Domain, EnvelopeGate, parse_gates
from app.core.protocol.plan import plan
from app.core.reason import Reason
from app.core.score.envelope import EnvelopeJudged, _near, judge_envelope
from app.core.score.interval import INFINITY, NEGATIVE_INFINITY, Interval, finite
from app.core.score.judge import judge_study
from app.core.score.judge_claim import Claims
from app.core.score.judge_contended import judge_contended
from app.core.score.observe import evidence_of
from app.core.score.observed import Absence, Observed, above, absent, between, exact, never
from app.core.score.sample import Sample
from app.core.score.scored_slot import ScoredSlot
from app.core.score.state import State
from app.core.statement.judgement import CountedOf, RequiredOf
from tests import contended
from tests.contended import RATE, TTFT, envelope, lane, measured, protocol, score
from tests.scores import ABANDONED, MISSING, only, said

FROM_ZERO = Domain(Fraction(0), None)
BPS = 10_000


def judged(
    a: Sequence[Observed],
    a2: Sequence[Observed],
    b: Sequence[Observed],
    *,
    tolerance: int = 1000,
    spread: int = 2500,
    worse: str = "higher",
    **members: Any,
) -> EnvelopeJudged:
    """Judge values of three arms; tolerance and spread are in basis points."""
    metric = TTFT if worse == "higher" else RATE
    record = envelope(metric, str(Fraction(tolerance, BPS) + 0), str(0))
    record["comparison"]["margin"] = f"0.{tolerance:04d}" if tolerance < BPS else "1"
    whole, part = divmod(spread, BPS)
    record["comparison"]["max_reference_spread"] = f"{whole}.{part:04d}"
    gate = cast("EnvelopeGate", parse_gates(protocol(record))[0])
    arms = [Sample(tuple(each), FROM_ZERO) for each in (b, a, a2)]
    required = {"required_n": max(len(each.units) for each in arms)} | members
    return judge_envelope(gate, arms[0], (arms[1], arms[2]), **required)


def said_of(found: EnvelopeJudged) -> tuple[str, str]:
    return found.state.value, found.reason.value


def points(*values: int | Fraction) -> list[Observed]:
    return [exact(each) for each in values]


# ---- the published boundary vectors ----


@pytest.mark.parametrize(
    ("b", "expected"),
    [(19_999, ("PASS", "WITHIN_ENVELOPE")), (20_000, ("FAIL", "BEYOND_ENVELOPE"))],
)
def test_tolerance_is_met_to_the_last_unit(b: int, expected: tuple[str, str]) -> None:
    controls = points(10_000)
    assert said_of(judged(controls, controls, points(b), tolerance=9999)) == expected


def test_candidate_between_its_controls_straddles_the_tolerance() -> None:
    arms = (points(20_000), points(40_000), points(30_000))
    found = judged(*arms, tolerance=0, spread=10_000)
    assert said_of(found) == ("INCONCLUSIVE", "EFFECT_NEAR_MARGIN")
    arms = (points(20_000), points(40_002), points(30_000))
    found = judged(*arms, tolerance=0, spread=10_000)
    assert said_of(found) == ("INCONCLUSIVE", "BASELINE_SPREAD")


@pytest.mark.parametrize("pair", [(10_000, 16_022), (10_000, 20_492)])
def test_a06_unchanged_controls_that_far_apart_are_no_yardstick(pair: tuple[int, int]) -> None:
    for candidate in (1, 12_000, 10**9):
        found = judged(points(pair[0]), points(pair[1]), points(candidate))
        assert said_of(found) == ("INCONCLUSIVE", "BASELINE_SPREAD")


@pytest.mark.parametrize(
    ("b", "expected"),
    [
        (9000, "PASS"),
        (8999, "INCONCLUSIVE"),
        (7200, "INCONCLUSIVE"),
        (7199, "FAIL"),
    ],
)
def test_rates_are_mirrored(b: int, expected: str) -> None:
    found = judged(points(8000), points(10_000), points(b), worse="lower")
    assert found.state == expected


def test_spread_is_met_to_the_last_unit() -> None:
    assert judged(points(10_000), points(12_500), points(10_000)).state == "PASS"
    found = judged(points(10_000), points(12_501), points(10_000))
    assert said_of(found) == ("INCONCLUSIVE", "BASELINE_SPREAD")


@pytest.mark.parametrize(
    ("least", "greatest", "spread"), [(10, 12, Fraction(1, 5)), (10, 10, 0), (10, 13, "3/10")]
)
def test_spread_of_the_controls_is_what_lies_above_the_least(
    least: int, greatest: int, spread: Fraction | int | str
) -> None:
    end = finite(Fraction(spread))
    found = judged(points(greatest), points(least), points(10))
    assert found.envelope.spread == Interval(end, end)


def test_spread_of_bounded_controls_is_never_below_nothing() -> None:
    wide = [between(finite(10), finite(20))]
    found = judged(wide, wide, points(10))
    assert found.envelope.spread == Interval(finite(0), finite(1))


# ---- what is not exactly known ----


def test_server_failure_of_the_candidate_is_beyond_every_margin() -> None:
    assert judged(points(10, 10), points(10, 10), [never(), never()]).state == "FAIL"
    found = judged(points(10, 10), points(10, 10), [exact(10), never()])
    assert said_of(found) == ("INCONCLUSIVE", "EFFECT_NEAR_MARGIN")


@pytest.mark.parametrize("dead", [[never(), never()], [exact(10), never()], points(0, 10)])
def test_controls_that_failed_or_are_nothing_are_no_yardstick(dead: list[Observed]) -> None:
    found = judged(dead, points(10, 10), points(1, 1))
    assert said_of(found) == ("INCONCLUSIVE", "BASELINE_SPREAD")


def test_censored_units_are_bounds() -> None:
    good, late = points(10, 10), [exact(10), above(20)]
    assert judged(good, good, [above(20), above(20)]).state == "FAIL"
    near = [exact(10), above(5)]
    assert said_of(judged(good, good, near)) == ("INCONCLUSIVE", "CENSORING_UNDECIDED")
    assert said_of(judged(late, good, good)) == ("INCONCLUSIVE", "BASELINE_SPREAD")
    assert said_of(judged(near, good, good)) == ("INCONCLUSIVE", "CENSORING_UNDECIDED")


def test_absent_units_and_arms_are_said() -> None:
    good, gone = points(10, 10), [absent(Absence.NOT_STARTED)] * 2
    one = [exact(10), absent(Absence.NOT_STARTED)]
    assert said_of(judged(good, good, one)) == ("INCONCLUSIVE", "MISSING_UNDECIDED")
    assert said_of(judged(gone, good, good)) == ("INCONCLUSIVE", "CONTROL_MISSING")
    assert said_of(judged(good, gone, good)) == ("INCONCLUSIVE", "RETURN_CONTROL_MISSING")
    assert said_of(judged(good, good, gone)) == ("NOT_RUN", "NO_MEASURED_SLOT")
    bad = [exact(100), absent(Absence.ABANDONED)]
    assert said_of(judged(good, good, bad)) == ("INCONCLUSIVE", "FAIL_MASKED")


def test_pass_needs_the_units_and_no_cap() -> None:
    arms = (points(10, 10), points(10, 10), points(10, 10))
    found = judged(*arms, required_n=3)
    assert said_of(found) == ("INCONCLUSIVE", "INSUFFICIENT_N")
    found = judged(*arms, caps=(Reason.DEVIATION,))
    assert said_of(found) == ("INCONCLUSIVE", "DEVIATION")


def test_bounded_control_is_not_held_against_itself() -> None:
    bounded, read = [between(finite(10), finite(13))], points(11)
    for arms in ((bounded, read), (read, bounded)):
        assert judged(*arms, points(9)).state == "PASS"
    wide = [between(finite(10), finite(20))]
    found = judged(wide, points(11), points(9))
    assert said_of(found) == ("INCONCLUSIVE", "BOUNDS_UNDECIDED")


@pytest.mark.parametrize("dead", [points(0), [never()]])
def test_controls_that_are_all_nothing_or_never_are_no_yardstick(dead: list[Observed]) -> None:
    found = judged(dead, dead, points(0))
    assert said_of(found) == ("INCONCLUSIVE", "BASELINE_SPREAD")


def test_nothing_is_masked_by_a_control_that_does_not_say_so_itself() -> None:
    bad = [exact(100), absent(Absence.ABANDONED)]
    for arms in ((points(100, 100), points(10, 10)), (points(10, 10), points(100, 100))):
        assert said_of(judged(*arms, bad)) == ("INCONCLUSIVE", "BASELINE_SPREAD")


def test_change_of_what_never_came_or_came_from_nothing_has_no_end() -> None:
    assert judged(points(10), points(10), [never()]).envelope.adverse.hi == INFINITY
    from_nothing = judged(points(0), points(1), points(1), worse="lower")
    assert from_nothing.envelope.adverse.lo == NEGATIVE_INFINITY


# ---- against every completion, by cross-multiplied integers ----

WHOLE = st.integers(1, 8)


@st.composite
def arm(draw: st.DrawFn) -> list[Observed]:
    ends = draw(st.lists(st.tuples(WHOLE, WHOLE), min_size=1, max_size=2))
    return [between(finite(min(each)), finite(max(each))) for each in ends]


def rule(a: Sequence[int], b: Sequence[int], tolerance: int, spread: int, worse: str) -> str:
    """Return what the tool's rule says of whole numbers, written from its own words."""
    least, greatest = min(a), max(a)
    if greatest * BPS > least * (BPS + spread):
        return "spread"
    if worse == "higher":
        passes = max(b) * BPS <= least * (BPS + tolerance)
        regresses = min(b) * BPS > greatest * (BPS + tolerance)
    else:
        passes = min(b) * BPS >= greatest * (BPS - tolerance)
        regresses = max(b) * BPS < least * (BPS - tolerance)
    return "PASS" if passes else "FAIL" if regresses else "straddles"


@given(
    st.tuples(arm(), arm(), arm()),
    st.tuples(st.sampled_from((0, 1000, 2500, 5000)), st.sampled_from((0, 2500, 10_000))),
    st.sampled_from(("higher", "lower")),
)
@example(([exact(4)], [exact(4)], [exact(4)]), (0, 0), "lower")
def test_state_is_that_of_every_completion(arms: Any, locked: tuple[int, int], worse: str) -> None:
    (a, a2, b), (tolerance, spread) = arms, locked
    found = judged(a, a2, b, tolerance=tolerance, spread=spread, worse=worse, required_n=1)
    grids = [
        range(int(each.interval.lo.value), int(each.interval.hi.value) + 1)
        for each in (*a, *a2, *b)
    ]
    n = len(a) + len(a2)
    words = {rule(values[:n], values[n:], tolerance, spread, worse) for values in product(*grids)}
    only_word = words.pop() if len(words) == 1 else None
    expected = only_word if only_word in ("PASS", "FAIL") else "INCONCLUSIVE"
    assert found.state == expected
    if all(each.interval.is_point for each in (*a, *a2, *b)):
        reasons = {"spread": "BASELINE_SPREAD", "straddles": "EFFECT_NEAR_MARGIN"}
        assert reasons.get(str(only_word), found.reason) == found.reason


@given(arm(), arm(), arm(), st.sampled_from(("higher", "lower")))
def test_adverse_change_is_the_range_over_every_pair(a: Any, a2: Any, b: Any, worse: str) -> None:
    found = judged(a, a2, b, worse=worse).envelope

    def adverse(one: Fraction, other: Fraction) -> Fraction:
        return one / other - 1 if worse == "higher" else 1 - one / other

    ends = [[end.value for end in (each.interval.lo, each.interval.hi)] for each in (*b, *a, *a2)]
    pairs = [
        adverse(one, other)
        for mine in ends[: len(b)]
        for theirs in ends[len(b) :]
        for one in mine
        for other in theirs
    ]
    assert found.adverse == Interval(finite(min(pairs)), finite(max(pairs)))


# ---- in a study ----


def slot(first: float) -> Any:
    return measured(lane(0, first), lane(1, first / 2))


def test_study_is_judged_by_the_worst_lane_of_each_slot_of_three_arms() -> None:
    of = protocol(envelope(), lanes=2, repetitions=2)
    found = score(of, {"A": slot(10), "A2": slot(12), "B": slot(11)}, rest=slot(10))
    gate: Any = only(found, "envelope-b")
    assert said(gate) == ("PASS", "WITHIN_ENVELOPE")
    assert (gate.limit, gate.unit, gate.observed.lo, gate.observed.hi, gate.margin) == (
        "0.1",
        "1",
        "-1/12",
        "0.1",
        "0",
    )
    record = gate.envelope
    assert (record.reference_least.lo, record.reference_greatest.hi) == ("10", "12")
    assert (record.candidate_least.lo, record.candidate_greatest.hi) == ("11", "11")
    assert (record.spread.hi, record.max_spread) == ("0.2", "0.25")
    assert len(gate.observations) == 6
    assert gate.rule == (
        "every ttft of B/C4 within 0.1 of it of every one of A and A2 pooled, which lie within "
        "0.25 of one another (higher is worse)"
    )
    assert found.scopes[0].state == "PASS"


def test_study_whose_accounts_do_not_close_says_so_of_an_envelope_too() -> None:
    of = protocol(envelope(), lanes=2, repetitions=1)
    gate = only(judge_study(of, []), "envelope-b")
    assert said(gate) == ("INVALID", "LEDGER_UNBALANCED")


def test_study_without_a_control_or_with_an_unread_one_says_so() -> None:
    of = protocol(envelope(), lanes=2, repetitions=2)
    found = score(of, {"A": MISSING}, rest=slot(10))
    assert said(only(found, "envelope-b")) == ("INCONCLUSIVE", "CONTROL_MISSING")
    found = score(of, {"B": ABANDONED}, rest=slot(10))
    assert said(only(found, "envelope-b")) == ("INVALID", "ABANDONED")
    rates = protocol(envelope(RATE), lanes=2, repetitions=1)
    slow = measured(lane(0, 1, 10), lane(1, 1, 5))
    found = score(rates, {"B": slow}, rest=measured(lane(0, 1, 10), lane(1, 1, 10)))
    assert said(only(found, "envelope-b")) == ("FAIL", "BEYOND_ENVELOPE")
    assert only(found, "envelope-b").margin == "-0.4"
    assert contended.SOLO in {each.cell for each in found.judgements} or found.judgements


def test_controls_agree_at_nothing_where_no_end_is_finite() -> None:
    gone = Interval(INFINITY, INFINITY)
    assert _near([gone], [gone]) == [0]


@pytest.mark.parametrize("record", [envelope(), contended.contention()])
def test_gate_about_contention_gives_no_pass_beside_a_cap(record: Any) -> None:
    of = protocol(record, lanes=2, repetitions=2)
    (gate,) = parse_gates(of)
    assert isinstance(gate, EnvelopeGate | ContentionGate)
    evidence: Any = {}
    for each in plan(of):
        filled = slot(10) if each.cell == contended.CELL else measured(lane(0, 1))
        seen = evidence_of(of, ScoredSlot(each, *filled))
        evidence.setdefault((each.arm, each.cell), []).append(seen)
    found = judge_contended(gate, Claims(of, evidence, {}, ()))
    assert found.judged.state is State.PASS
    capped = judge_contended(gate, Claims(of, evidence, {}, (Reason.DEVIATION,)))
    assert (capped.judged.state, capped.judged.reason) == (State.INCONCLUSIVE, Reason.DEVIATION)


def test_unit_that_could_only_fail_is_why_an_envelope_is_undecided() -> None:
    found = judged(points(100), points(120), [above(115)])
    assert said_of(found) == ("INCONCLUSIVE", "CENSORING_UNDECIDED")


def test_envelope_says_how_many_units_it_needs_where_that_is_not_each_planned_one() -> None:
    of = protocol(envelope(required_n=1), lanes=2, repetitions=2)
    slots = measured(lane(0, 10), lane(1, 10))
    gate = only(score(of, {}, rest=slots), "envelope-b")
    assert gate.required == RequiredOf(
        n=1, counted=[CountedOf(arm=arm, n=2) for arm in ("B", "A", "A2")]
    )
