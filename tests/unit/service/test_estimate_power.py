# SPDX-License-Identifier: Apache-2.0
"""The chances of SCORING.md B6 and B7, by exact counts and by simulations with a seed."""

from fractions import Fraction
from itertools import product
from math import log1p, sqrt
from typing import Literal

import numpy as np
import pytest
import scipy.stats

from app.service import estimate_power
from app.service.estimate_power import (
    Comparing,
    chance_to_pass,
    critical_sum,
    most_unfavourable,
    share_chance,
)

ALPHA = Fraction(1, 20)
NEAR = 0.035
"""The table's own tolerance and that of a thousand simulated studies."""


@pytest.mark.parametrize(
    ("n", "allowed"),
    [
        (3, [0, None, None, None, None]),
        (4, [1, 0, 0, None, None]),
        (5, [4, 2, 2, 1, 1]),
        (6, [7, 5, 4, 3, 3]),
        (8, [15, 13, 11, 10, 9]),
        (10, [27, 23, 21, 20, 19]),
    ],
)
def test_pairs_that_may_speak_against_a_candidate(n: int, allowed: list[int | None]) -> None:
    alphas = [ALPHA / each for each in (1, 2, 3, 4, 5)]
    assert [most_unfavourable(n, alpha) for alpha in alphas] == allowed


@pytest.mark.parametrize(
    ("n", "single", "bracket"),
    [(3, (0.26, 0.62, 0.89), (0.12, 0.47, 0.82)), (5, (0.39, 0.86, 0.99), (0.24, 0.77, 0.99))],
)
def test_chances_of_ranks_are_those_of_the_table(
    n: int, single: tuple[float, ...], bracket: tuple[float, ...]
) -> None:
    for margin, one, two in zip((1, 2, 3), single, bracket, strict=True):
        alone = Comparing("single", n, margin, ALPHA)
        assert chance_to_pass(alone, seed=1, runs=1000) == pytest.approx(one, abs=NEAR)
        both = Comparing("bracket", n, margin, ALPHA)
        assert chance_to_pass(both, seed=1, runs=1000) == pytest.approx(two, abs=NEAR)


def test_chances_of_eight_blocks_are_those_of_the_table() -> None:
    for margin, chance in (("0.1", 0.59), ("0.2", 0.98)):
        sd = log1p(float(margin)) / 0.09
        blocks = Comparing("blocks", 8, sd, ALPHA)
        assert chance_to_pass(blocks, seed=1, runs=500) == pytest.approx(chance, abs=0.06)


def test_one_seed_gives_one_chance_and_too_few_units_none() -> None:
    of = Comparing("bracket", 3, 2, ALPHA)
    first, again = (chance_to_pass(of, seed=7, runs=50) for _ in range(2))
    assert first == again
    assert chance_to_pass(Comparing("bracket", 2, 9, ALPHA), seed=1) == 0


@pytest.mark.parametrize("design", ["blocks", "single"])
def test_being_neither_worse_nor_better_is_harder_than_one_of_both(
    design: Literal["blocks", "single"],
) -> None:
    one = chance_to_pass(Comparing(design, 6, 1.5, ALPHA), seed=3, runs=400)
    both = chance_to_pass(Comparing(design, 6, 1.5, ALPHA, two_sided=True), seed=3, runs=400)
    assert 0 < both < one


@pytest.mark.parametrize("n", [5, 7])
def test_chances_of_blocks_are_those_of_every_sign_counted_one_by_one(n: int) -> None:
    drawn = np.random.default_rng(11)
    signs = np.array(list(product((0, 1), repeat=n)))
    apart = drawn.normal(size=(4000, n)) - drawn.normal(size=(4000, n)) - 2.5
    at_least = (apart @ signs.T >= 0).sum(axis=1) / 2**n
    counted = float((at_least <= float(ALPHA)).mean())
    assert chance_to_pass(Comparing("blocks", n, 2.5, ALPHA), seed=2) == pytest.approx(
        counted, abs=NEAR
    )


def test_chances_of_ranks_are_those_of_scipy_s_exact_test() -> None:
    drawn = np.random.default_rng(12)
    candidate = drawn.normal(size=(1500, 5)) - 1.5
    p = scipy.stats.mannwhitneyu(
        candidate, drawn.normal(size=(1500, 5)), alternative="less", method="exact", axis=1
    ).pvalue
    counted = float((p <= float(ALPHA)).mean())
    assert chance_to_pass(Comparing("single", 5, 1.5, ALPHA), seed=2) == pytest.approx(
        counted, abs=NEAR
    )


def test_share_is_exact_at_its_least_n() -> None:
    share, half = Fraction(9, 10), Fraction(1, 2)
    assert share_chance(n=28, share=share, alpha=ALPHA, good=Fraction(1)) == 0
    assert share_chance(n=29, share=share, alpha=ALPHA, good=Fraction(1)) == 1
    assert share_chance(n=29, share=share, alpha=ALPHA, good=half) == half**29
    assert share_chance(n=46, share=share, alpha=ALPHA, good=half) == 47 * half**46


@pytest.mark.parametrize("n", [6, 7, 17, 18, 32])
@pytest.mark.parametrize("alpha", [0.05, 0.008, 1e-6])
def test_critical_sum_is_that_of_students_test(n: int, alpha: float) -> None:
    t = scipy.stats.t.isf(alpha, n - 1)
    assert critical_sum(n, alpha) == pytest.approx(t * sqrt(n) / sqrt(n - 1 + t**2), rel=1e-6)


@pytest.mark.parametrize("alpha", [Fraction(1, 20), Fraction(1, 125)])
@pytest.mark.parametrize("two_sided", [False, True])
def test_more_blocks_than_are_counted_pass_as_often_as_the_exact_count(
    monkeypatch: pytest.MonkeyPatch, alpha: Fraction, *, two_sided: bool
) -> None:
    of = Comparing("blocks", 17, 1.0, alpha, two_sided=two_sided)
    near = chance_to_pass(of, seed=3, runs=300)
    monkeypatch.setattr(estimate_power, "MOST_BLOCKS", 17)
    assert near == pytest.approx(chance_to_pass(of, seed=3, runs=300), abs=0.02)
