# SPDX-License-Identifier: Apache-2.0
"""Blocks at their boundaries: a p that is exactly alpha, and what may be said beside it."""

from fractions import Fraction
from typing import Literal

import pytest

from app.core.protocol.contrast import Claim, Contrast
from app.core.protocol.gate import Domain
from app.core.protocol.margin import Margin
from app.core.reason import Reason
from app.core.score.blocks import BlocksJudged, judge_blocks, judge_differences
from app.core.score.interval import point
from app.core.score.observed import Absence, Observed, absent, conflicting, exact
from app.core.score.sample import Sample
from app.core.score.state import State

TENTH = Margin(Fraction(1, 10), "ratio", "higher")
AT = Fraction(1, 32)
"""The chance that five blocks all agree."""
JUST = Fraction(1, 10**9)
Worse = Literal["higher", "lower"]
GONE = absent(Absence.ABANDONED)


def sample(*units: int | Observed) -> Sample:
    each = tuple(exact(unit) if isinstance(unit, int) else unit for unit in units)
    return Sample(each, Domain(Fraction(0), None))


CONTROL = sample(*[1000] * 5)
FASTER, SLOWER = sample(*[800] * 5), sample(*[2000] * 5)


def judged(
    candidate: Sample,
    control: Sample = CONTROL,
    *,
    alpha: Fraction = AT,
    equivalence: bool = False,
    required_n: int | None = None,
) -> BlocksJudged:
    claim: Claim = "equivalence" if equivalence else "non_inferiority"
    return judge_blocks(Contrast(claim, TENTH, alpha, required_n=required_n), candidate, control)


def said(found: BlocksJudged) -> tuple[State, Reason]:
    return found.state, found.reason


def test_blocks_decide_at_alpha_and_not_beyond() -> None:
    assert said(judged(FASTER)) == (State.PASS, Reason.NON_INFERIOR_IN_BLOCKS)
    assert said(judged(SLOWER)) == (State.FAIL, Reason.WORSE_IN_BLOCKS)
    short = (State.INCONCLUSIVE, Reason.INSUFFICIENT_N)
    assert said(judged(FASTER, alpha=AT - JUST)) == short
    assert said(judged(SLOWER, alpha=AT - JUST)) == short


@pytest.mark.parametrize("candidate", [FASTER, SLOWER])
def test_difference_on_either_side_has_half_of_alpha(candidate: Sample) -> None:
    found = judged(candidate, alpha=2 * AT, equivalence=True)
    assert said(found) == (State.FAIL, Reason.DIFFERENT_IN_BLOCKS)
    assert found.p_fail == 2 * AT
    beyond = judged(candidate, alpha=2 * AT - JUST, equivalence=True)
    assert beyond.state is State.INCONCLUSIVE


def test_chance_of_no_difference_at_all_is_one_and_not_two() -> None:
    assert judged(CONTROL, equivalence=True).p_fail == 1


@pytest.mark.parametrize("worse", ["higher", "lower"])
@pytest.mark.parametrize(
    ("candidate", "expected"),
    [(905, State.FAIL), (910, State.PASS), (1099, State.PASS), (1105, State.FAIL)],
)
def test_difference_is_a_share_of_the_lower_one_whichever_way_is_worse(
    candidate: int, expected: State, worse: Worse
) -> None:
    contrast = Contrast("equivalence", Margin(Fraction(1, 10), "ratio", worse), 2 * AT)
    assert judge_blocks(contrast, sample(*[candidate] * 5), CONTROL).state is expected


def test_missing_control_is_said_and_passes_nothing() -> None:
    gone = sample(*[GONE] * 5)
    assert said(judged(FASTER, gone)) == (State.INCONCLUSIVE, Reason.CONTROL_MISSING)


def test_blocks_that_alone_would_fail_at_alpha_are_masked() -> None:
    left = sample(*[2000] * 5, GONE)
    control = sample(*[1000] * 6)
    assert judged(left, control).reason is Reason.FAIL_MASKED
    assert judged(left, control, alpha=AT - JUST).reason is not Reason.FAIL_MASKED
    behind = sample(*[1000] * 5, GONE)
    assert judged(sample(*[2000] * 6), behind).reason is Reason.FAIL_MASKED


def test_missing_unit_is_the_reason_only_if_it_could_decide_at_alpha() -> None:
    one_gone = sample(*[800] * 4, GONE)
    assert judged(one_gone).reason is Reason.MISSING_UNDECIDED
    undecidable = sample(800, 800, 800, 5000, GONE)
    assert judged(undecidable).reason is Reason.EFFECT_NEAR_MARGIN
    control_gone = sample(*[1000] * 4, GONE)
    assert judged(FASTER, control_gone).reason is Reason.MISSING_UNDECIDED


def test_controls_that_agree_at_alpha_do_not_spread() -> None:
    near = judged(sample(800, 800, 1200, 1200, 1200))
    assert near.baseline.p_pass == AT
    assert near.reason is Reason.EFFECT_NEAR_MARGIN
    wild = sample(1000, 3000, 1000, 3000, 1000)
    assert judged(sample(2000, 2000, 2000, 2000, 2000), wild).reason is Reason.BASELINE_SPREAD


def test_baseline_holds_each_control_against_the_next_and_the_last_against_the_first() -> None:
    rising = sample(100, 200, 400, 800, 1600)
    assert judged(CONTROL, rising).baseline.subsets == 32
    falling = sample(*reversed([100, 200, 400, 800, 1600]))
    up, down = judged(CONTROL, rising).baseline, judged(CONTROL, falling).baseline
    assert (up.not_below, down.not_below) == (16, 14)


def test_pass_needs_the_required_units_of_both_arms() -> None:
    more = sample(*[100] * 7, GONE)
    control = sample(*[1000] * 8)
    assert judged(sample(*[100] * 8), control, required_n=8).state is State.PASS
    assert judged(sample(*[100] * 8), control, required_n=9).reason is Reason.INSUFFICIENT_N
    assert judged(more, control, required_n=7).reason is Reason.MISSING_UNDECIDED


def test_conflicting_receipts_alone_fail_by_their_hull_at_alpha() -> None:
    twice = [conflicting([exact(2000), exact(3000)]) for _ in range(5)]
    assert judged(sample(*twice)).state is State.FAIL
    beyond = judged(sample(*twice), alpha=AT - JUST)
    assert said(beyond) == (State.INVALID, Reason.CONFLICTING_RECEIPTS)
    doubted = [conflicting([exact(2000), exact(3000)], Absence.DOUBTED) for _ in range(5)]
    assert said(judged(sample(*doubted))) == (State.INVALID, Reason.TAINTED)


def test_differences_alone_decide_at_alpha() -> None:
    assert judge_differences([point(-1)] * 5, alpha=AT).state is State.PASS
    assert judge_differences([point(1)] * 5, alpha=AT).state is State.FAIL
    near = judge_differences([point(-1)] * 5, alpha=AT - JUST)
    assert said(near) == (State.INCONCLUSIVE, Reason.INSUFFICIENT_N)
    undecided = judge_differences([point(-1), point(1), *[point(-1)] * 3], alpha=AT)
    assert said(undecided) == (State.INCONCLUSIVE, Reason.EFFECT_NEAR_MARGIN)


def test_differences_alone_fail_by_their_own_words_and_are_shown() -> None:
    worse = [point(each) for each in range(1, 6)]
    found = judge_differences(worse, alpha=AT)
    assert said(found) == (State.FAIL, Reason.WORSE_IN_BLOCKS)
    assert (found.p_pass, found.p_fail) == (Fraction(1), AT)
    assert found.differences == tuple(worse)
    assert judge_differences(worse, alpha=AT - JUST).state is State.INCONCLUSIVE


@pytest.mark.parametrize(("worse", "faster"), [("higher", 800), ("lower", 1250)])
def test_margin_of_superiority_keeps_its_sign_and_its_side(worse: Worse, faster: int) -> None:
    better = Contrast("superiority", Margin(Fraction(-1, 10), "ratio", worse), AT)
    assert said(judge_blocks(better, sample(*[faster] * 5), CONTROL))[0] is State.PASS
    assert said(judge_blocks(better, sample(*[1000] * 5), CONTROL))[0] is State.FAIL


@pytest.mark.parametrize(
    ("worse", "bound"), [("higher", Fraction(4, 5)), ("lower", Fraction(5, 4))]
)
def test_blocks_hold_the_worse_side_against_the_other(worse: Worse, bound: Fraction) -> None:
    contrast = Contrast("non_inferiority", Margin(Fraction(1, 10), "ratio", worse), AT)
    assert judge_blocks(contrast, FASTER, CONTROL).undecided == (point(bound),)
