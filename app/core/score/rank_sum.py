# SPDX-License-Identifier: Apache-2.0
"""The exact shifted rank-sum test, without ties (SCORING.md B6).

Of all pairs of a candidate's and a control's unit, those on the good side of the margin in every
completion speak for the candidate, those beyond it in every completion against; U is the number of
such pairs if every order of the units is equally likely.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import accumulate
from math import comb

from app.core.protocol.margin import Margin
from app.core.score.interval import Interval
from app.core.score.margins import disfavours, favours, possibly_below, threshold


@dataclass(frozen=True, slots=True)
class PairTest:
    """What the pairs say.

    Attributes:
        favourable: pairs on the good side, whatever is unknown.
        unfavourable: pairs beyond the margin, whatever is unknown.
        p_pass: how likely as many favourable pairs are if nothing were better than the margin.
        p_fail: how likely as many unfavourable pairs are if nothing were worse than it.
    """

    favourable: int
    unfavourable: int
    pairs: int
    p_pass: Fraction
    p_fail: Fraction


def rank_sum(
    candidate: Sequence[Interval], control: Sequence[Interval], margin: Margin
) -> PairTest:
    """Return the test of ``candidate`` against ``control`` moved by ``margin``."""
    limits = [threshold(other, margin) for other in control]
    pairs = [(one, limit) for one in candidate for limit in limits]
    favourable = sum(favours(one, limit, margin) for one, limit in pairs)
    unfavourable = sum(disfavours(one, limit, margin) for one, limit in pairs)
    n, m = len(candidate), len(control)
    return PairTest(
        favourable, unfavourable, len(pairs), chance(n, m, favourable), chance(n, m, unfavourable)
    )


def possible_chance(low: Sequence[Interval], high: Sequence[Interval], margin: Margin) -> Fraction:
    """Return the least p, over all completions, that ``high`` lies beyond the margin on ``low``."""
    limits = [threshold(one, margin) for one in low]
    pairs = sum(possibly_below(limit, other) for limit in limits for other in high)
    return chance(len(low), len(high), pairs)


def chance(n: int, m: int, pairs: int) -> Fraction:
    """Return how likely U is at least ``pairs`` for ``n`` against ``m`` units."""
    return Fraction(_tails(n, m)[pairs], comb(n + m, n))


def needed_pairs(n: int, m: int, alpha: Fraction) -> int | None:
    """Return how many pairs of one side decide at ``alpha``; None: all of them do not."""
    orders = comb(n + m, n)
    return next((u for u, tail in enumerate(_tails(n, m)) if tail <= alpha * orders), None)


@cache
def orders_by_pairs(n: int, m: int) -> tuple[int, ...]:
    """Return in how many of the orders of ``n`` and ``m`` units U is 0, 1, ... n*m.

    These are the coefficients of the Gaussian binomial: the product over i of
    ``(1 - q**(m+i)) / (1 - q**i)``.
    """
    top = n * m
    counts = [1, *([0] * top)]
    for i in range(1, n + 1):
        for u in range(top, m + i - 1, -1):
            counts[u] -= counts[u - m - i]
        for u in range(i, top + 1):
            counts[u] += counts[u - i]
    return tuple(counts)


@cache
def _tails(n: int, m: int) -> tuple[int, ...]:
    return tuple(accumulate(reversed(orders_by_pairs(n, m))))[::-1]
