# SPDX-License-Identifier: Apache-2.0
"""Statistics of intervals: exact, because each of them is monotone in every unit.

The least value of the statistic is that of all least values, and the greatest that of all greatest
(SCORING.md B3). No statistic interpolates: of an even number of units the median is the middle one
that is worse for the candidate.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from app.core.protocol.gate import Demand, SlotSummary
from app.core.score.interval import INFINITY, End, Interval, Truth, finite, hull


def statistic_of(demand: Demand, intervals: Sequence[Interval]) -> Interval:
    """Return what is known of the demand's statistic over ``intervals``, of which there is one."""
    n = len(intervals)
    match demand.statistic:
        case "max":
            return ranked(intervals, n)
        case "min":
            return ranked(intervals, 1)
        case "kth":
            return ranked(intervals, min(demand.k or 1, n))
        case "median":
            return hull(ranked(intervals, rank) for rank in middle_ranks(demand, n))
        case "sum" | "count":
            return total(intervals)
        case "all":
            return _of_each(demand, intervals, worst=True)
        case "any":
            return _of_each(demand, intervals, worst=False)


def truth_of(demand: Demand, intervals: Sequence[Interval]) -> Truth:
    """Return whether the demand holds in every completion, in none, or in some."""
    limit = finite(demand.limit)
    match demand.statistic:
        case "all":
            return _every(each.compared(demand.op, limit) for each in intervals)
        case "any":
            denied = _every(_not(each.compared(demand.op, limit)) for each in intervals)
            return _not(denied)
        case "median":
            ranks = middle_ranks(demand, len(intervals))
            return _every(ranked(intervals, rank).compared(demand.op, limit) for rank in ranks)
        case "kth" if (demand.k or 1) > len(intervals):
            return Truth.OPEN
        case _:
            return statistic_of(demand, intervals).compared(demand.op, limit)


def middle_ranks(demand: Demand, n: int) -> tuple[int, ...]:
    """Return the rank of the median, or for ``==`` on an even number both middle ones."""
    lower, upper = (n + 1) // 2, n // 2 + 1
    match demand.op:
        case "<" | "<=":
            return (upper,)
        case ">" | ">=":
            return (lower,)
        case "==":
            return (lower, upper)


def ranked(intervals: Sequence[Interval], rank: int) -> Interval:
    """Return the ``rank``-th smallest, from 1."""
    if rank in (1, len(intervals)):
        return _extreme(intervals, -1 if rank == 1 else 1)
    low = sorted(intervals, key=lambda each: each.low_key)[rank - 1]
    high = sorted(intervals, key=lambda each: each.high_key)[rank - 1]
    return Interval(low.lo, high.hi, low.lo_open, high.hi_open)


def _extreme(intervals: Sequence[Interval], sign: int) -> Interval:
    """Return the greatest of all (``sign`` 1) or the least (-1), in one walk."""
    low = high = intervals[0]
    for each in intervals[1:]:
        above = sign * (each.lo.against(low.lo) or each.lo_open - low.lo_open)
        if each.hi is each.lo and high is low and low.hi is low.lo:
            beyond = above
        else:
            beyond = sign * (each.hi.against(high.hi) or high.hi_open - each.hi_open)
        low = each if above > 0 else low
        high = each if beyond > 0 else high
    return Interval(low.lo, high.hi, low.lo_open, high.hi_open)


def total(intervals: Sequence[Interval]) -> Interval:
    """Return the sum; it is open where any part is, and infinite where any part is."""
    return Interval(
        _sum([each.lo for each in intervals]),
        _sum([each.hi for each in intervals]),
        any(each.lo_open for each in intervals),
        _open_above(intervals),
    )


def summary_of(
    summary: SlotSummary, k: int | None, intervals: Sequence[Interval], *, higher_is_worse: bool
) -> Interval:
    """Return one interval for the several streams of a slot, or the several slots of a boot.

    ``only`` promises that there is one value; where there are more, all of them stay possible.
    """
    n = len(intervals)
    match summary:
        case "max":
            return ranked(intervals, n)
        case "min":
            return ranked(intervals, 1)
        case "median":
            return ranked(intervals, n // 2 + 1 if higher_is_worse else (n + 1) // 2)
        case "kth":
            return ranked(intervals, min(k or 1, n))
        case "sum":
            return total(intervals)
        case "only":
            return hull(intervals)


def _of_each(demand: Demand, intervals: Sequence[Interval], *, worst: bool) -> Interval:
    if demand.op == "==":
        return hull(intervals)
    higher_is_worse = demand.op in ("<", "<=")
    return ranked(intervals, len(intervals) if higher_is_worse is worst else 1)


def _every(truths: Iterable[Truth]) -> Truth:
    answer = Truth.TRUE
    for truth in truths:
        answer = answer.both(truth)
    return answer


def _not(truth: Truth) -> Truth:
    opposite = {Truth.TRUE: Truth.FALSE, Truth.FALSE: Truth.TRUE, Truth.OPEN: Truth.OPEN}
    return opposite[truth]


def _sum(ends: Sequence[End]) -> End:
    if any(end.rank for end in ends):
        return INFINITY
    return finite(sum((end.value for end in ends), Fraction(0)))


def _open_above(intervals: Sequence[Interval]) -> bool:
    never = any(each.hi == INFINITY and not each.hi_open for each in intervals)
    return not never and any(each.hi_open for each in intervals)
