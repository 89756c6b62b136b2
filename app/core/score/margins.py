# SPDX-License-Identifier: Apache-2.0
"""Where a candidate stands against a control moved by the margin, in every completion of both.

Equal to the margin counts for neither side. What may have taken for ever is below nothing: an open
end at infinity is no shorter than ``inf`` itself.
"""

from __future__ import annotations

from fractions import Fraction

from app.core.protocol.margin import Margin
from app.core.score.interval import INFINITY, End, Interval, finite


def multiplied(interval: Interval, factor: Fraction) -> Interval:
    """Return the interval times a factor that is not negative; infinity stays infinite."""
    lo, hi = interval.lo.times(factor), interval.hi.times(factor)
    return Interval(lo, hi, interval.lo_open, interval.hi_open)


def moved(interval: Interval, by: Fraction) -> Interval:
    """Return the interval moved by a distance; infinity stays infinite."""
    lo, hi = (end if end.rank else finite(end.value + by) for end in (interval.lo, interval.hi))
    return Interval(lo, hi, interval.lo_open, interval.hi_open)


def threshold(control: Interval, margin: Margin) -> Interval:
    """Return the control moved by the margin: ``(1+m)A``, ``(1-m)A``, ``A+m`` or ``A-m``."""
    by = margin.value if margin.worse == "higher" else -margin.value
    if margin.scale == "ratio":
        return multiplied(control, max(1 + by, Fraction(0)))
    return moved(control, by)


def difference(left: Interval, right: Interval) -> Interval:
    """Return all differences; two that may both take for ever may differ by anything."""
    return _closed(left).minus(_closed(right))


def quotient(top: Interval, bottom: Interval) -> Interval:
    """Return all ratios of two intervals from 0 on; by what may be 0 the ratio may be infinite."""
    return Interval(_least(top.lo, bottom.hi), _greatest(top.hi, bottom.lo))


def below(left: Interval, right: Interval) -> bool:
    """Return whether ``left`` is less than ``right`` in every completion."""
    return left.hi != INFINITY and left.high_key < right.low_key


def possibly_below(left: Interval, right: Interval) -> bool:
    """Return whether ``left`` is less than ``right`` in some completion."""
    return left.lo < right.hi


def favours(candidate: Interval, limit: Interval, margin: Margin) -> bool:
    """Return whether the candidate is on the good side of a ``threshold`` in every completion."""
    return below(candidate, limit) if margin.worse == "higher" else below(limit, candidate)


def disfavours(candidate: Interval, limit: Interval, margin: Margin) -> bool:
    """Return whether the candidate is beyond a ``threshold`` in every completion."""
    return below(limit, candidate) if margin.worse == "higher" else below(candidate, limit)


def _closed(interval: Interval) -> Interval:
    hi_open = interval.hi_open and interval.hi != INFINITY
    return Interval(interval.lo, interval.hi, interval.lo_open, hi_open)


def _least(top: End, bottom: End) -> End:
    if bottom.rank:
        return finite(0)
    if top.rank or not bottom.top:
        return INFINITY
    return finite(top.value / bottom.value)


def _greatest(top: End, bottom: End) -> End:
    if top.rank or bottom == finite(0):
        return INFINITY
    return finite(0) if bottom.rank else finite(top.value / bottom.value)
