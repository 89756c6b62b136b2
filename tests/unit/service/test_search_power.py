# SPDX-License-Identifier: Apache-2.0
"""The least units and the least margin: one fewer, or a little less, decides too seldom."""

from fractions import Fraction
from typing import Literal

import pytest
import scipy.stats

from app.service.estimate_power import Comparing, chance_to_pass
from app.service.search_power import (
    SEARCH_RUNS,
    greatest_share,
    least_margin_sd,
    least_share_units,
    least_units,
)

Design = Literal["blocks", "bracket"]
ALPHA = Fraction(1, 25)
"""What a first attempt may spend of 0.05."""


def chance(design: Design, n: int, margin_sd: float) -> float:
    of = Comparing(design, n, margin_sd, ALPHA)
    return chance_to_pass(of, seed=5, runs=SEARCH_RUNS)


@pytest.mark.parametrize(("design", "margin_sd"), [("blocks", 2.2), ("bracket", 2.0)])
def test_least_units_decide_and_one_fewer_do_not(design: Design, margin_sd: float) -> None:
    of = Comparing(design, 99, margin_sd, ALPHA)
    n = least_units(of, seed=5)
    assert n is not None
    assert chance(design, n, margin_sd) >= 0.8
    assert chance(design, n - 1, margin_sd) < 0.8


def by_formula(alpha: float, margin_sd: float) -> float:
    """Return SCORING.md B6's number of blocks, which at .05 is 6.2 (s_d / margin)^2 + 2."""
    z = scipy.stats.norm.isf(alpha) + scipy.stats.norm.isf(0.2)
    return float(z**2 * 2 / margin_sd**2 + 2)


@pytest.mark.parametrize("alpha", [Fraction(1, 20), Fraction(1, 25), Fraction(1, 125)])
def test_more_blocks_than_are_counted_are_as_many_as_normal_theory_has_it(alpha: Fraction) -> None:
    n = least_units(Comparing("blocks", 8, 0.9, alpha), seed=1)
    assert n == pytest.approx(by_formula(float(alpha), 0.9), abs=2)


def test_units_that_nobody_offers_are_none() -> None:
    for design in ("blocks", "bracket"):
        of = Comparing(design, 8, 0.05, ALPHA)
        assert least_units(of, seed=1) is None
    assert least_units(Comparing("blocks", 8, 4, Fraction(1, 2**33)), seed=1) is None


def test_either_side_needs_more_blocks_than_one() -> None:
    one, both = (
        least_units(Comparing("blocks", 8, 0.9, ALPHA, two_sided=each), seed=1)
        for each in (False, True)
    )
    assert one is not None
    assert both is not None
    assert 16 < one < both


def test_many_blocks_decide_at_an_alpha_that_few_never_reach() -> None:
    n = least_units(Comparing("blocks", 8, 4, Fraction(1, 2**20)), seed=1)
    assert n is not None
    assert 20 <= n <= 22


def test_least_margin_decides_and_a_little_less_does_not() -> None:
    least = least_margin_sd(Comparing("blocks", 6, 1, ALPHA), seed=5)
    assert least is not None
    assert chance("blocks", 6, least) >= 0.8
    assert chance("blocks", 6, least - 0.01) < 0.8
    assert least_margin_sd(Comparing("blocks", 4, 1, ALPHA), seed=5) is None


def established(n: int, share: float, good: float) -> float:
    """Return the chance that scipy gives to a share claim."""
    bad = -1
    while scipy.stats.binom.cdf(bad + 1, n, 1 - share) <= float(ALPHA):
        bad += 1
    return float(scipy.stats.binom.cdf(bad, n, 1 - good)) if bad >= 0 else 0.0


@pytest.mark.parametrize(("share", "good"), [("0.9", "0.99"), ("0.5", "0.8"), ("0.75", "1")])
def test_least_units_of_a_share_are_those_of_scipy(share: str, good: str) -> None:
    n = least_share_units(share=Fraction(share), alpha=ALPHA, good=Fraction(good))
    fits = (each for each in range(1, 200) if established(each, float(share), float(good)) >= 0.8)
    assert n == next(fits)


def test_share_of_a_control_that_has_no_more_is_established_by_no_units() -> None:
    half = Fraction(1, 2)
    assert least_share_units(share=half, alpha=ALPHA, good=half) is None
    nine = Fraction(9, 10)
    assert least_share_units(share=nine, alpha=Fraction(1, 10**50), good=Fraction(1)) is None


def test_greatest_share_is_established_and_the_next_is_not() -> None:
    good = Fraction(99, 100)
    most = greatest_share(n=29, alpha=ALPHA, good=good)
    assert most is not None
    assert established(29, float(most), 0.99) >= 0.8
    assert established(29, float(most) + 0.001, 0.99) < 0.8
    assert greatest_share(n=1, alpha=ALPHA, good=Fraction(0)) is None
