# SPDX-License-Identifier: Apache-2.0
"""What units that are good, bad or open say of a share of all units."""

from fractions import Fraction

from app.core.protocol.gate import Domain
from app.core.reason import Reason
from app.core.score.interval import finite
from app.core.score.observed import Absence, Observed, absent, between, exact
from app.core.score.sample import Sample
from app.core.score.share import ShareClaim, ShareJudged, judge_counts, judge_share
from app.core.score.state import State

ALPHA = Fraction(1, 20)
GOOD, BAD, OPEN = exact(1), exact(3), between(finite(1), finite(3))
GONE = absent(Absence.ABANDONED)


def claim(share: Fraction, required_n: int | None = None) -> ShareClaim:
    return ShareClaim(share, ALPHA, "<=", Fraction(2), required_n)


def judged(share: Fraction, *units: Observed, caps: tuple[Reason, ...] = ()) -> ShareJudged:
    return judge_share(claim(share), Sample(units, Domain(Fraction(0), None)), caps=caps)


def said(share: Fraction, *units: Observed) -> tuple[State, Reason]:
    found = judged(share, *units)
    return found.state, found.reason


def test_one_measured_unit_is_masked_where_it_would_fail_alone_at_alpha() -> None:
    assert said(Fraction(19, 20), BAD, GONE) == (State.INCONCLUSIVE, Reason.FAIL_MASKED)
    assert said(Fraction(18, 20), BAD, GONE)[1] is not Reason.FAIL_MASKED
    assert said(Fraction(19, 20), GOOD, GONE)[1] is not Reason.FAIL_MASKED


def test_units_that_are_enough_and_too_few_of_them_good_are_near_the_margin() -> None:
    half = Fraction(1, 2)
    assert said(half, GOOD, GOOD, GOOD, GOOD, BAD)[1] is Reason.EFFECT_NEAR_MARGIN
    assert said(half, GOOD, GOOD, GOOD, GOOD)[1] is Reason.INSUFFICIENT_N
    assert said(half, *[GOOD] * 5) == (State.PASS, Reason.CLAIM_ESTABLISHED)
    assert said(half, *[BAD] * 5) == (State.FAIL, Reason.CLAIM_REFUTED)


def test_open_unit_counts_against_what_is_to_be_shown_and_is_named_where_it_decides() -> None:
    half = Fraction(1, 2)
    found = judged(half, GOOD, GOOD, GOOD, GOOD, OPEN)
    assert (found.n, found.least_good, found.most_good, found.least_n) == (5, 4, 5, 5)
    assert found.p_pass == Fraction(6, 32)
    assert found.p_fail == 1
    assert found.bound == judge_counts(claim(half), n=5, good=4).bound
    assert found.reason is Reason.BOUNDS_UNDECIDED
    assert said(ALPHA, OPEN) == (State.INCONCLUSIVE, Reason.BOUNDS_UNDECIDED)
    assert said(half, OPEN, GOOD, BAD, BAD, GOOD)[1] is Reason.EFFECT_NEAR_MARGIN


def test_cap_leaves_no_pass_of_a_share() -> None:
    found = judged(Fraction(1, 2), *[GOOD] * 5, caps=(Reason.DEVIATION,))
    assert (found.state, found.reason) == (State.INCONCLUSIVE, Reason.DEVIATION)


def test_required_units_are_observed_or_the_claim_is_short_of_them() -> None:
    sample, half = Sample((*[GOOD] * 8, GONE), Domain(Fraction(0), None)), Fraction(1, 2)
    assert judge_share(claim(half, 8), sample).state is State.PASS
    assert judge_share(claim(half), sample).reason is Reason.INSUFFICIENT_N
    assert judge_share(claim(half, 9), sample).reason is Reason.INSUFFICIENT_N
