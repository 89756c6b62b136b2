# SPDX-License-Identifier: Apache-2.0
"""Exact binomial tails, and the bounds of a proportion that follow from them."""

from __future__ import annotations

from fractions import Fraction
from math import comb
from typing import Final

DECIMALS: Final = 10**10
"""Bounds are given to ten decimals."""


def at_most(n: int, k: int, p: Fraction) -> Fraction:
    """Return how likely ``k`` or fewer of ``n`` are, each with chance ``p``."""
    return Fraction(_weight(n, 0, k, p), p.denominator**n)


def at_least(n: int, k: int, p: Fraction) -> Fraction:
    """Return how likely ``k`` or more of ``n`` are, each with chance ``p``."""
    return Fraction(_weight(n, k, n, p), p.denominator**n)


def lower_bound(n: int, k: int, alpha: Fraction) -> Fraction:
    """Return the one-sided Clopper-Pearson bound below a proportion, ten decimals, rounded down.

    It is the greatest chance under which ``k`` or more of ``n`` are no likelier than ``alpha``.
    """
    low, high = 0, DECIMALS
    while low < high:
        middle = (low + high + 1) // 2
        fits = at_least(n, k, Fraction(middle, DECIMALS)) <= alpha
        low, high = (middle, high) if fits else (low, middle - 1)
    return Fraction(low, DECIMALS)


def _weight(n: int, first: int, last: int, p: Fraction) -> int:
    """Return the chance of ``first`` to ``last`` of ``n``, times the denominator to the ``n``."""
    hit, miss = p.numerator, p.denominator - p.numerator
    return sum(comb(n, k) * hit**k * miss ** (n - k) for k in range(max(first, 0), last + 1))
