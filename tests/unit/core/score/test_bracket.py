# SPDX-License-Identifier: Apache-2.0
"""A bracket at its boundaries: a p that is exactly alpha, controls apart, controls gone."""

from fractions import Fraction

import pytest

from app.core.protocol.contrast import Claim, Contrast
from app.core.protocol.gate import Domain
from app.core.protocol.margin import Margin
from app.core.reason import Reason
from app.core.score.bracket import BracketJudged, judge_bracket, pair_test
from app.core.score.interval import finite
from app.core.score.observed import Absence, Observed, absent, between, exact
from app.core.score.sample import Sample
from app.core.score.state import State

TENTH = Margin(Fraction(1, 10), "ratio", "higher")
AT = Fraction(1, 20)
"""The chance that three units are all beyond three others."""
BELOW = AT - Fraction(1, 10**9)
GONE = absent(Absence.ABANDONED)


def sample(*units: int | Observed) -> Sample:
    each = tuple(exact(unit) if isinstance(unit, int) else unit for unit in units)
    return Sample(each, Domain(Fraction(0), None))


CONTROL = sample(1000, 1001, 1002)
FASTER, SLOWER = sample(800, 801, 802), sample(2000, 2001, 2002)


def judged(
    candidate: Sample,
    first: Sample | None = CONTROL,
    back: Sample | None = CONTROL,
    *,
    alpha: Fraction = AT,
    equivalence: bool = False,
) -> BracketJudged:
    claim: Claim = "equivalence" if equivalence else "non_inferiority"
    return judge_bracket(Contrast(claim, TENTH, alpha), candidate, (first, back))


def said(found: BracketJudged) -> tuple[State, Reason]:
    return found.state, found.reason


def test_bracket_decides_at_alpha_and_not_beyond() -> None:
    assert said(judged(FASTER)) == (State.PASS, Reason.NON_INFERIOR_TO_BOTH_CONTROLS)
    assert said(judged(SLOWER)) == (State.FAIL, Reason.WORSE_THAN_BOTH_CONTROLS)
    short = (State.INCONCLUSIVE, Reason.INSUFFICIENT_N)
    assert said(judged(FASTER, alpha=BELOW)) == short
    assert said(judged(SLOWER, alpha=BELOW)) == short


@pytest.mark.parametrize("candidate", [FASTER, SLOWER])
def test_difference_on_either_side_has_half_of_alpha(candidate: Sample) -> None:
    found = judged(candidate, alpha=2 * AT, equivalence=True)
    assert said(found) == (State.FAIL, Reason.DIFFERENT_FROM_BOTH_CONTROLS)
    assert found.p_fail == 2 * AT
    assert judged(candidate, alpha=2 * BELOW, equivalence=True).state is State.INCONCLUSIVE


def test_chance_of_no_difference_at_all_is_one_and_not_two() -> None:
    found = judged(CONTROL, equivalence=True)
    assert found.state is State.PASS
    assert found.p_fail == 1


@pytest.mark.parametrize(
    ("first", "back", "reason"),
    [
        (None, CONTROL, Reason.CONTROL_MISSING),
        (CONTROL, None, Reason.RETURN_CONTROL_MISSING),
        (sample(GONE, GONE, GONE), CONTROL, Reason.CONTROL_MISSING),
        (CONTROL, sample(GONE, GONE, GONE), Reason.RETURN_CONTROL_MISSING),
    ],
)
def test_one_control_alone_certifies_nothing_and_passes_nothing(
    first: Sample | None, back: Sample | None, reason: Reason
) -> None:
    found = judged(FASTER, first, back)
    assert said(found) == (State.INCONCLUSIVE, reason)
    assert {found.p_pass, found.p_fail} == {1}
    assert not found.certified
    assert (found.drift is None) is (first is None or back is None)


def test_measured_units_that_alone_would_fail_at_alpha_are_masked() -> None:
    left = sample(2000, 2001, 2002, GONE)
    assert judged(left).reason is Reason.FAIL_MASKED
    assert judged(left, alpha=BELOW).reason is not Reason.FAIL_MASKED
    one_side = judged(left, back=sample(3000, 3001, 3002))
    assert one_side.reason is not Reason.FAIL_MASKED


def test_missing_unit_is_the_reason_only_if_it_could_decide_at_alpha() -> None:
    assert judged(sample(800, 801, GONE)).reason is Reason.MISSING_UNDECIDED
    undecidable = judged(sample(800, 5000, GONE))
    assert said(undecidable) == (State.INCONCLUSIVE, Reason.EFFECT_NEAR_MARGIN)


def test_missing_unit_that_could_decide_against_one_control_only_is_no_reason() -> None:
    apart = sample(500, 501, 502)
    for first, back in ((apart, CONTROL), (CONTROL, apart)):
        found = judged(sample(800, 801, GONE), first, back)
        assert said(found) == (State.INCONCLUSIVE, Reason.BASELINE_SPREAD)
        assert not found.certified


def test_candidate_near_the_margin_of_certified_controls_says_so() -> None:
    found = judged(sample(800, 1101, 1110))
    assert said(found) == (State.INCONCLUSIVE, Reason.EFFECT_NEAR_MARGIN)
    assert found.certified


def test_counts_of_an_equivalence_are_those_of_its_worse_side() -> None:
    contrast = Contrast("equivalence", TENTH, AT)
    same = pair_test(contrast, sample(1000, 1000).cautious, CONTROL.cautious)
    assert (same.favourable, same.unfavourable, same.pairs) == (6, 0, 6)
    mixed = pair_test(contrast, sample(1000, 2000, 500).cautious, CONTROL.cautious)
    assert (mixed.favourable, mixed.unfavourable, mixed.pairs) == (6, 3, 9)
    above = pair_test(contrast, SLOWER.cautious, CONTROL.cautious)
    assert (above.favourable, above.unfavourable, above.pairs) == (0, 9, 9)
    found = judged(SLOWER, equivalence=True, alpha=2 * AT).first
    assert found is not None
    assert (found.test.favourable, found.test.unfavourable, found.test.pairs) == (0, 9, 9)


def test_units_of_both_sides_that_only_decide_at_opposite_ends_are_undecided_by_them() -> None:
    candidate = sample(*[between(finite(1100), finite(2200))] * 3)
    control = sample(*[between(finite(1000), finite(2000))] * 3)
    assert said(judged(candidate, control, control))[1] is Reason.BOUNDS_UNDECIDED
