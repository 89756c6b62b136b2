# SPDX-License-Identifier: Apache-2.0
"""A second computation of every test, by scipy, statsmodels and brute force, on generated cases."""

from fractions import Fraction
from math import comb, inf
from random import Random

import pytest
from scipy.stats import (
    mannwhitneyu,
    permutation_test,
)

from app.core.protocol.contrast import Contrast
from app.core.protocol.margin import Margin
from app.core.score.blocks import judge_blocks
from app.core.score.bracket import judge_bracket
from app.core.score.interval import Interval, finite
from app.core.score.rank_sum import chance, needed_pairs, rank_sum
from app.core.score.sign_flip import sign_flip
from app.core.score.state import State
from tests.conformance.brute_force import (
    completions,
    flip_chance,
    pairs_below,
    u_chance,
)
from tests.conformance.drawn import NEAR, drawn, sample

ALPHAS = [Fraction(1, each) for each in (20, 40, 60, 80, 100)]


def point(value: Fraction) -> Interval:
    return Interval(finite(value), finite(value))


# ---- rank sums ----


def test_distribution_of_u_is_scipys_for_every_u() -> None:
    wrong = [
        (n, m, pairs)
        for n in range(1, 8)
        for m in range(1, 8)
        for pairs in range(n * m + 1)
        if abs(chance(n, m, pairs) - u_chance(n, m, pairs)) > NEAR
    ]
    assert not wrong


def test_rank_sum_of_values_without_ties_is_scipys_test_of_shifted_data() -> None:
    random = Random(1)
    for _ in range(500):
        n, m = random.randint(2, 7), random.randint(2, 7)
        values = [Fraction(each, 1000) for each in random.sample(range(1, 99_991), n + m)]
        candidate, control = values[:n], values[n:]
        margin = Fraction(random.randint(0, 30), 97)
        moved = [float(each * (1 + margin)) for each in control]
        got = rank_sum(
            [point(each) for each in candidate],
            [point(each) for each in control],
            Margin(margin, "ratio", "higher"),
        )
        plain = [float(each) for each in candidate]
        less = mannwhitneyu(plain, moved, alternative="less", method="exact").pvalue
        more = mannwhitneyu(plain, moved, alternative="greater", method="exact").pvalue
        assert abs(float(got.p_pass) - less) < NEAR
        assert abs(float(got.p_fail) - more) < NEAR


@pytest.mark.parametrize("seed", range(20))
def test_bracket_is_the_worst_and_the_best_of_all_completions(seed: int) -> None:
    random, alpha = Random(seed), Fraction(1, 20)
    contrast = Contrast("non_inferiority", Margin(Fraction(1, 10), "ratio", "higher"), alpha)
    factor = Fraction(11, 10)
    for _ in range(60):
        n, m = random.randint(2, 4), random.randint(2, 4)
        candidate = drawn(random, n, open_units=random.randint(0, 2))
        controls = [drawn(random, m, open_units=random.randint(0, 1)) for _ in range(2)]
        got = judge_bracket(contrast, sample(candidate), (sample(controls[0]), sample(controls[1])))
        for side, control in zip((got.first, got.back), controls, strict=True):
            assert side is not None
            tried = [
                pairs_below(one, other, factor)
                for one in completions(candidate)
                for other in completions(control)
            ]
            assert side.test.favourable == min(below for below, _ in tried)
            assert side.test.unfavourable == min(above for _, above in tried)
            assert side.test.p_pass == max(chance(n, m, below) for below, _ in tried)
            assert side.test.p_fail == max(chance(n, m, above) for _, above in tried)


@pytest.mark.parametrize(
    ("n", "least", "allowed"),
    [
        (3, "0.05", (0, None, None, None, None)),
        (4, "0.01429", (1, 0, 0, None, None)),
        (5, "0.00397", (4, 2, 2, 1, 1)),
        (6, "0.00108", (7, 5, 4, 3, 3)),
        (7, "0.00029", (11, 8, 7, 6, 6)),
        (8, "0.000078", (15, 13, 11, 10, 9)),
        (9, "0.000021", (21, 17, 16, 15, 14)),
        (10, "0.0000054", (27, 23, 21, 20, 19)),
    ],
)
def test_table_of_unfavourable_pairs_allowed(
    n: int, least: str, allowed: tuple[int | None, ...]
) -> None:
    assert abs(chance(n, n, n * n) - Fraction(least)) < Fraction(least) / 40
    got = [needed_pairs(n, n, alpha) for alpha in (*ALPHAS[:2], Fraction("0.0167"), *ALPHAS[3:])]
    assert tuple(None if each is None else n * n - each for each in got) == allowed


def test_shift_bound_crosses_the_margin_exactly_where_the_test_turns() -> None:
    random = Random(3)
    for _ in range(300):
        n, m = random.randint(3, 7), random.randint(3, 7)
        values = [Fraction(each, 100) for each in random.sample(range(800, 1300), n + m)]
        margin = Fraction(random.randint(0, 20), 101)
        contrast = Contrast("non_inferiority", Margin(margin, "ratio", "higher"), Fraction(1, 20))
        one = sample([(each, each) for each in values[:n]])
        other = sample([(each, each) for each in values[n:]])
        got = judge_bracket(contrast, one, (other, other))
        assert got.first is not None
        assert got.first.shift is not None
        lower, upper = got.first.shift.lower, got.first.shift.upper
        assert upper is not None
        assert lower is not None
        assert (upper.value < 1 + margin) is (got.first.test.p_pass <= contrast.alpha)
        assert (lower.value > 1 + margin) is (got.first.test.p_fail <= contrast.alpha)


# ---- blocks ----


@pytest.mark.parametrize("seed", range(20))
def test_sign_flips_are_counted_as_all_subsets_one_by_one(seed: int) -> None:
    random = Random(seed)
    for _ in range(40):
        n = random.randint(0, 8)
        values = [Fraction(random.randint(-9, 9), random.choice((1, 2, 3, 7))) for _ in range(n)]
        got = sign_flip([point(each) for each in values])
        assert got.p_pass == flip_chance(values, up=True)
        assert got.p_fail == flip_chance(values, up=False)


def test_sign_flips_of_tie_free_differences_are_scipys_exact_permutations() -> None:
    random = Random(5)
    for _ in range(60):
        n = random.randint(3, 9)
        values = [Fraction(random.choice((-1, 1)) * (2**k * 3 + 1), 100) for k in range(n)]
        plain = [float(each) for each in values]
        got = permutation_test(
            (plain,),
            lambda x, axis: x.sum(axis=axis),
            permutation_type="samples",
            alternative="less",
            n_resamples=float("inf"),
            vectorized=True,
        )
        assert abs(float(sign_flip([point(each) for each in values]).p_pass) - got.pvalue) < NEAR


@pytest.mark.parametrize("seed", range(20))
def test_blocks_are_the_worst_and_the_best_of_all_completions(seed: int) -> None:
    random = Random(seed)
    contrast = Contrast(
        "non_inferiority", Margin(Fraction(1, 10), "ratio", "higher"), Fraction(1, 20)
    )
    for _ in range(20):
        n = random.randint(3, 5)
        candidate = drawn(random, n, open_units=random.randint(0, 2))
        control = drawn(random, n, open_units=random.randint(0, 1))
        got = judge_blocks(contrast, sample(candidate), sample(control))
        most, least = Fraction(0), Fraction(0)
        for one in completions(candidate):
            for other in completions(control):
                pairs = list(zip(one, other, strict=True))
                if (inf, inf) in pairs:
                    continue
                d = [b - (a if a == inf else a * Fraction(11, 10)) for b, a in pairs]
                if inf in d and -inf in d:
                    continue
                most = max(most, flip_chance(d, up=True))
                least = max(least, flip_chance(d, up=False))
        assert got.p_pass >= most
        assert got.p_fail >= least
        decided = {State.PASS: got.p_pass, State.FAIL: got.p_fail}
        if got.state in decided:
            assert decided[got.state] <= contrast.alpha
        if not any(inf in each for each in (*candidate, *control)):
            assert (got.p_pass, got.p_fail) == (most, least)


def test_twenty_blocks_are_counted_exactly() -> None:
    differences = [Fraction(-(2**k), 7) for k in range(20)]
    assert sign_flip([point(each) for each in differences]).not_below == 1
    assert sign_flip([point(Fraction(1))] * 20).not_above == 1
    mixed = [Fraction(1), Fraction(-1)] * 10
    expected = sum(comb(20, k) for k in range(10, 21))
    assert sign_flip([point(each) for each in mixed]).not_below == expected


def test_four_blocks_can_never_pass_and_five_can() -> None:
    better = [point(Fraction(-1))] * 5
    assert sign_flip(better[:4]).p_pass == Fraction("0.0625")
    assert sign_flip(better).p_pass == Fraction("0.03125")
