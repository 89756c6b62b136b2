# SPDX-License-Identifier: Apache-2.0
"""Shares, quantiles and families by scipy, statsmodels and brute force."""

import gc
from collections.abc import Iterator
from fractions import Fraction
from random import Random

import pytest
from scipy.stats import (
    binomtest,
    quantile_test,
)
from statsmodels.stats.multitest import multipletests

from app.core.protocol.margin import least_quantile_n
from app.core.score.binomial import at_least, at_most, lower_bound
from app.core.score.holm import holm, rejected
from app.core.score.sample_size import units_needed
from app.core.score.share import ShareClaim, judge_counts, judge_share
from tests.conformance.brute_force import (
    completions,
    share_chances,
)
from tests.conformance.drawn import NEAR, drawn, sample

# ---- shares ----


def test_tails_and_bounds_of_shares_are_scipys() -> None:
    random = Random(7)
    for _ in range(1500):
        n = random.randint(1, 120)
        good, share = random.randint(0, n), Fraction(random.randint(1, 99), 100)
        more, less = share_chances(n, good, share)
        assert abs(float(at_least(n, good, share)) - more) < NEAR
        assert abs(float(at_most(n, good, share)) - less) < NEAR


def test_lower_bounds_are_clopper_and_pearsons() -> None:
    random = Random(8)
    for _ in range(200):
        n = random.randint(1, 60)
        good, alpha = random.randint(0, n), random.choice((0.05, 0.01, 0.1))
        interval = binomtest(good, n, alternative="greater").proportion_ci(1 - alpha, "exact")
        assert abs(float(lower_bound(n, good, Fraction(str(alpha)))) - interval.low) < NEAR


def test_quantile_claims_are_scipys_quantile_test() -> None:
    random = Random(9)
    for _ in range(500):
        n, p = random.randint(2, 80), Fraction(random.choice((50, 75, 90, 95)), 100)
        values = random.sample(range(1000), n)
        limit = random.randint(0, 1000)
        if limit in values:
            continue
        got = judge_counts(
            ShareClaim(p, Fraction(1, 20), "<=", Fraction(limit)),
            n=n,
            good=sum(each <= limit for each in values),
        )
        less = quantile_test(values, q=limit, p=float(p), alternative="less").pvalue
        more = quantile_test(values, q=limit, p=float(p), alternative="greater").pvalue
        assert abs(float(got.p_pass) - less) < NEAR
        assert abs(float(got.p_fail) - more) < NEAR


@pytest.mark.parametrize("seed", range(10))
def test_shares_are_the_worst_and_the_best_of_all_completions(seed: int) -> None:
    random = Random(seed)
    claim = ShareClaim(Fraction(1, 2), Fraction(1, 10), "<=", Fraction(10))
    for _ in range(60):
        units = drawn(random, random.randint(1, 7), open_units=random.randint(0, 3))
        got = judge_share(claim, sample(units))
        counts = [sum(each <= 10 for each in one) for one in completions(units)]
        n = len(units)
        assert got.p_pass == max(at_least(n, good, claim.share) for good in counts)
        assert got.p_fail == max(at_most(n, good, claim.share) for good in counts)


LEAST_N = {
    "0.5": (4, 5, 7),
    "0.75": (9, 11, 17),
    "0.9": (22, 29, 44),
    "0.95": (45, 59, 90),
    "0.99": (230, 299, 459),
    "0.999": (2302, 2995, 4603),
}
BY_EXCEEDANCES = {
    "0.9": (29, 46, 61, 76, 89, 103),
    "0.95": (59, 93, 124, 153, 181, 208),
    "0.99": (299, 473, 628, 773, 913, 1049),
}


@pytest.mark.parametrize(("p", "expected"), LEAST_N.items())
def test_table_of_least_n_by_confidence(p: str, expected: tuple[int, ...]) -> None:
    confidences = [Fraction(each) for each in ("0.9", "0.95", "0.99")]
    assert tuple(least_quantile_n(Fraction(p), 1 - each) for each in confidences) == expected
    assert expected == tuple(
        units_needed(Fraction(p), exceedances=0, confidence=each) for each in confidences
    )


@pytest.mark.parametrize(("p", "expected"), BY_EXCEEDANCES.items())
def test_table_of_n_by_exceedances(p: str, expected: tuple[int, ...]) -> None:
    got = [units_needed(Fraction(p), exceedances=k, confidence=Fraction("0.95")) for k in range(6)]
    assert tuple(got) == expected


def test_five_of_five_canaries_support_more_than_fifty_four_percent_only() -> None:
    assert lower_bound(5, 5, Fraction(1, 20)) == Fraction("0.5492802716")


# ---- families ----


@pytest.fixture
def frozen_heap() -> Iterator[None]:
    """Statsmodels collects garbage in every call, and everything imported is in its way."""
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.mark.usefixtures("frozen_heap")
def test_holm_is_statsmodels() -> None:
    random = Random(11)
    for _ in range(1000):
        p_values = [Fraction(random.randint(0, 400), 4000) for _ in range(random.randint(1, 9))]
        adjusted = holm(p_values)
        found, theirs, _, _ = multipletests([float(each) for each in p_values], 0.05, "holm")
        assert all(abs(float(o) - t) < NEAR for o, t in zip(adjusted, theirs, strict=True))
        if all(abs(float(each) - 0.05) > NEAR for each in adjusted):
            assert list(rejected(adjusted, Fraction(1, 20))) == list(found)
