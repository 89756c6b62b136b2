# SPDX-License-Identifier: Apache-2.0
"""A chance that is exactly alpha is within it: in shares, bounds, masks and corrections."""

from fractions import Fraction

import pytest

from app.core.protocol.gate import Domain
from app.core.reason import Reason
from app.core.score.binomial import lower_bound
from app.core.score.holm import rejected
from app.core.score.observed import Absence, absent, exact
from app.core.score.sample import Sample
from app.core.score.share import ShareClaim, judge_counts, judge_exceedances, judge_share
from app.core.score.state import State

HALF = Fraction(1, 2)
AT = Fraction(1, 32)
"""The chance of five of five, or of none of five, at a half."""
BELOW = AT - Fraction(1, 10**9)
GOOD, BAD = exact(9), exact(11)


def claim(alpha: Fraction, share: Fraction = HALF) -> ShareClaim:
    return ShareClaim(share, alpha, "<=", Fraction(10))


def sample(good: int, bad: int, missing: int) -> Sample:
    units = [GOOD] * good + [BAD] * bad + [absent(Absence.CAPTURE_MISSING)] * missing
    return Sample(tuple(units), Domain(Fraction(0), None))


@pytest.mark.parametrize(
    ("alpha", "good", "state"),
    [
        (AT, 5, State.PASS),
        (BELOW, 5, State.INCONCLUSIVE),
        (AT, 0, State.FAIL),
        (BELOW, 0, State.INCONCLUSIVE),
    ],
)
def test_share_is_decided_at_alpha_and_not_beyond(alpha: Fraction, good: int, state: State) -> None:
    assert judge_counts(claim(alpha), n=5, good=good).state is state
    assert judge_share(claim(alpha), sample(good, 5 - good, 0)).state is state


def test_units_beyond_the_limit_are_taken_from_the_good_ones() -> None:
    judged = judge_exceedances(claim(AT), n=5, above=4)
    assert (judged.least_good, judged.most_good) == (1, 1)
    assert judge_exceedances(claim(AT), n=5, above=5).state is State.FAIL


@pytest.mark.parametrize(("good", "bad"), [(4, 0), (0, 4)])
def test_missing_unit_is_the_reason_only_if_it_could_decide_at_alpha(good: int, bad: int) -> None:
    one = sample(good, bad, 1)
    assert judge_share(claim(AT), one).reason is Reason.MISSING_UNDECIDED
    assert judge_share(claim(BELOW), one).reason is not Reason.MISSING_UNDECIDED


@pytest.mark.parametrize(
    ("alpha", "masked"), [(Fraction(1, 20), True), (Fraction(1, 20) - Fraction(1, 10**9), False)]
)
def test_one_measured_unit_that_alone_would_fail_is_masked_at_alpha(
    alpha: Fraction, *, masked: bool
) -> None:
    judged = judge_share(claim(alpha, Fraction(19, 20)), sample(0, 1, 1))
    assert (judged.reason is Reason.FAIL_MASKED) is masked


@pytest.mark.parametrize(
    ("n", "k", "alpha", "bound"),
    [
        (1, 1, Fraction(1, 20), Fraction(1, 20)),
        (2, 2, Fraction(1, 4), HALF),
        (3, 3, Fraction(1, 1000), Fraction(1, 10)),
        (1, 1, Fraction(1, 3), Fraction(3333333333, 10**10)),
        (2, 1, Fraction(3, 4), HALF),
        (5, 0, Fraction(1, 20), Fraction(0)),
        (1, 1, Fraction(1), Fraction(1)),
    ],
)
def test_bound_below_a_share_is_the_greatest_that_is_within_alpha(
    n: int, k: int, alpha: Fraction, bound: Fraction
) -> None:
    assert lower_bound(n, k, alpha) == bound


def test_bound_of_a_share_is_that_of_the_units_known_to_be_good() -> None:
    judged = judge_share(claim(AT), sample(3, 0, 2))
    assert judged.bound == lower_bound(5, 3, AT) < lower_bound(5, 5, AT)


def test_correction_rejects_at_alpha() -> None:
    assert rejected([AT, AT + Fraction(1, 10**9)], AT) == (True, False)
