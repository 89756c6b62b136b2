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
    n, simulated = least_units(of, seed=5)
    assert n is not None
    assert simulated
    assert chance(design, n, margin_sd) >= 0.8
    assert chance(design, n - 1, margin_sd) < 0.8


def test_more_blocks_than_are_simulated_follow_the_formula_of_the_scoring() -> None:
    assert least_units(Comparing("blocks", 8, 0.8, ALPHA), seed=1) == (22, False)
    assert least_units(Comparing("blocks", 8, 0.05, ALPHA), seed=1) == (None, False)
    assert least_units(Comparing("bracket", 8, 0.05, ALPHA), seed=1) == (None, True)


def test_alpha_that_no_number_of_blocks_reaches_is_told_by_the_formula_alone() -> None:
    least = Comparing("blocks", 8, 4, Fraction(1, 2**20))
    assert least_units(least, seed=1) == (17, False)


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
