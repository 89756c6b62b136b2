# SPDX-License-Identifier: Apache-2.0
"""The exact sign-flip test of block differences, over all subsets (SCORING.md B6).

``p_pass`` is the share of all subsets, the empty one included, whose sum of differences at their
worst is not below zero; ``p_fail`` that whose sum at their best is not above it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import lcm

from app.core.protocol.margin import Margin, least_sign_flip_p
from app.core.score.interval import INFINITY, NEGATIVE_INFINITY, End, Interval
from app.core.score.margins import difference, threshold


@dataclass(frozen=True, slots=True)
class FlipTest:
    """What the blocks say.

    Attributes:
        not_below: subsets whose sum is not below zero in the worst completion.
        not_above: subsets whose sum is not above zero in the best one.
        subsets: all of them.
    """

    not_below: int
    not_above: int
    subsets: int

    @property
    def p_pass(self) -> Fraction:
        """How likely that is if no block were better than the margin."""
        return Fraction(self.not_below, self.subsets)

    @property
    def p_fail(self) -> Fraction:
        """How likely that is if no block were worse than the margin."""
        return Fraction(self.not_above, self.subsets)

    @property
    def least_p(self) -> Fraction:
        """What all blocks together would give if they agreed."""
        return least_sign_flip_p(self.subsets.bit_length() - 1)


def block_difference(candidate: Interval, control: Interval, margin: Margin) -> Interval:
    """Return how far beyond the margin a block is; above zero is worse."""
    limit = threshold(control, margin)
    if margin.worse == "higher":
        return difference(candidate, limit)
    return difference(limit, candidate)


def sign_flip(differences: Sequence[Interval]) -> FlipTest:
    """Return the test of the differences, margin already taken off."""
    worst = [(each.hi, each.hi_open) for each in differences]
    best = [(_negative(each.lo), each.lo_open) for each in differences]
    return FlipTest(_not_below(worst), _not_below(best), 1 << len(differences))


def _not_below(ends: Sequence[tuple[End, bool]]) -> int:
    """Return how many subsets of ends have a sum that may reach zero.

    A sum with ``inf`` in it reaches it, whatever else is in it; one with ``-inf`` otherwise not.
    """
    above = sum(end == INFINITY for end, _ in ends)
    finite = [(end, is_open) for end, is_open in ends if not end.rank]
    with_infinity = (1 << len(ends)) - (1 << (len(ends) - above))
    return with_infinity + count_reaching(_scaled(finite))


def _scaled(ends: Sequence[tuple[End, bool]]) -> tuple[int, ...]:
    """Return the ends as integers; an open one is a little less, too little to change a sign."""
    unit = lcm(*(end.bottom for end, _ in ends)) * (len(ends) + 1)
    return tuple(end.top * (unit // end.bottom) - is_open for end, is_open in ends)


@lru_cache(maxsize=256)
def count_reaching(values: tuple[int, ...]) -> int:
    """Return how many subsets sum to zero or more: the two halves meet in the middle.

    Of ``n`` values each half has ``2**(n/2)`` sums in order. While one walks up its sums, the least
    sum of the other that still reaches zero with it only walks down. Exact for any integers, and
    asked once for the same ones: most studies have one completion.
    """
    half = len(values) // 2
    left, right = _sums(values[:half]), _sums(values[half:])
    hits, place = 0, len(right)
    for each in left:
        while place and each + right[place - 1] >= 0:
            place -= 1
        hits += len(right) - place
    return hits


def _sums(values: Iterable[int]) -> list[int]:
    """Return the sums of all subsets in order: two runs in order, which sorting only merges."""
    sums = [0]
    for value in values:
        moved = [each + value for each in sums]
        sums = [*sums, *moved] if value >= 0 else [*moved, *sums]
        sums.sort()
    return sums


def _negative(end: End) -> End:
    if end.rank:
        return INFINITY if end == NEGATIVE_INFINITY else NEGATIVE_INFINITY
    return End(0, -end.top, end.bottom)
