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
    low, high, whole = 0, DECIMALS, alpha.numerator * DECIMALS**n
    while low < high:
        middle = (low + high + 1) // 2
        fits = _among(n, k, n, (middle, DECIMALS - middle)) * alpha.denominator <= whole
        low, high = (middle, high) if fits else (low, middle - 1)
    return Fraction(low, DECIMALS)


def _weight(n: int, first: int, last: int, p: Fraction) -> int:
    """Return the chance of ``first`` to ``last`` of ``n``, times the denominator to the ``n``."""
    return _among(n, first, last, (p.numerator, p.denominator - p.numerator))


def _among(n: int, first: int, last: int, odds: tuple[int, int]) -> int:
    """Return the weight of ``first`` to ``last`` hits of ``n``; all of them weigh ``sum(odds)**n``.

    One end is that of all counts, so what is outside is one tail; the shorter of the two is added
    up, each term from the one before it.
    """
    hit, miss = odds
    first = max(first, 0)
    if 2 * (last - first) > n:
        outside = (0, first - 1) if last == n else (last + 1, n)
        return int((hit + miss) ** n) - _among(n, *outside, odds)
    total, term = 0, comb(n, first)
    for k in range(first, last + 1):
        total = total * miss + term
        term = term * (n - k) // (k + 1) * hit
    return int(total * hit**first * miss ** (n - last)) if total else 0
