# SPDX-License-Identifier: Apache-2.0
"""Tails that are added up from their shorter end, held against every term of a short one."""

from fractions import Fraction
from math import comb

import pytest

from app.core.score.binomial import at_least, at_most, lower_bound


@pytest.mark.parametrize("n", range(8))
@pytest.mark.parametrize("tenths", [0, 1, 5, 9, 10])
def test_tail_from_its_shorter_end_is_the_sum_of_its_terms(n: int, tenths: int) -> None:
    p = Fraction(tenths, 10)
    terms = [comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)]
    for k in range(n + 1):
        assert at_most(n, k, p) == sum(terms[: k + 1])
        assert at_least(n, k, p) == sum(terms[k:])
    assert at_most(n, n, p) == at_least(n, -1, p) == 1
    assert at_least(n, n + 1, p) == 0


def test_p999_at_99_per_cent_needs_exactly_4603_units() -> None:
    p, alpha = Fraction(999, 1000), Fraction(1, 100)
    assert at_least(4603, 4603, p) <= alpha < at_least(4602, 4602, p)
    assert at_most(4603, 4603, p) == 1
    assert lower_bound(4603, 4603, alpha) >= p > lower_bound(4602, 4602, alpha)


def test_bound_below_no_success_is_zero_and_ten_decimals_are_rounded_down() -> None:
    alpha = Fraction(1, 20)
    assert lower_bound(5, 0, alpha) == 0
    bound = lower_bound(5, 5, alpha)
    assert bound == Fraction(5492802716, 10**10)
    assert at_least(5, 5, bound) <= alpha < at_least(5, 5, bound + Fraction(1, 10**10))
