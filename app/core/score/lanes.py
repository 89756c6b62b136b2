# SPDX-License-Identifier: Apache-2.0
"""How far the lanes of one slot lie apart: a high order statistic over a low one (SCORING.md B5).

Both ends are exact. The ratio is greatest where enough lanes are as high as they can be and enough
others as low, and least where as many as can be agree. A lane that never answered has no greatest
value, so its ratio has none either: it is unbounded and never absent. By nothing the ratio is
infinite, also where all lanes are nothing or never came: a server that failed all of them alike
has not been fair to any.
"""

from __future__ import annotations

from collections.abc import Sequence

from app.core.score.interval import INFINITY, End, Interval, finite
from app.core.statement.gate_record import LaneRatio

_Key = tuple[End, int]
_ZERO = finite(0)
_ONE = finite(1)


def lane_ratio(lanes: Sequence[Interval], ratio: LaneRatio) -> Interval:
    """Return what is known of the ratio over ``lanes``, at least as many as it leaves apart."""
    if all(each.hi is each.lo for each in lanes):
        ordered = sorted(each.lo for each in lanes)
        end, _ = _divided((ordered[-ratio.highest], 0), (ordered[ratio.lowest - 1], 0))
        return Interval(end, end)
    lo, lo_open = _least(lanes, ratio)
    hi, open_above = max(_greatest(lanes, ratio), key=lambda each: (each[0], -each[1]))
    return Interval(lo, hi, bool(lo_open), bool(open_above))


def _least(lanes: Sequence[Interval], ratio: LaneRatio) -> _Key:
    """Return the ratio of the least possible numerator to the greatest possible denominator.

    If the one is not above the other, a value between them is possible for both.
    """
    top, top_open = sorted((each.low_key for each in lanes), reverse=True)[ratio.highest - 1]
    bottom, below = sorted(each.high_key for each in lanes)[ratio.lowest - 1]
    either_open = int(bool(top_open or below))
    if top < bottom or (top == bottom and not top.rank and bottom != _ZERO):
        return (_ONE, either_open if top == bottom else 0)
    return _divided((top, top_open), (bottom, -below))


def _greatest(lanes: Sequence[Interval], ratio: LaneRatio) -> list[_Key]:
    """Return, for every choice of lanes as high as possible, the greatest ratio with it.

    With the ``k`` lanes of the highest upper ends to choose from, the numerator may take any of
    them but the ``k - highest`` that the denominator takes.
    """
    order = sorted(range(len(lanes)), key=lambda each: lanes[each].high_key, reverse=True)
    rising = sorted(range(len(lanes)), key=lambda each: lanes[each].low_key)
    found = []
    for k in range(ratio.highest, len(lanes) + 1):
        raised, spare = set(order[:k]), k - ratio.highest
        lowered: list[int] = []
        for lane in rising:
            if lane in raised:
                spare -= 1
            if lane not in raised or spare >= 0:
                lowered.append(lane)
        top, above = lanes[order[k - 1]].high_key
        found.append(_divided((top, -above), lanes[lowered[ratio.lowest - 1]].low_key))
    return found


def _divided(top: _Key, bottom: _Key) -> _Key:
    """Return the ratio of two ends and whether it is open there."""
    either_open = int(bool(top[1] or bottom[1]))
    if bottom[0].rank and not top[0].rank:
        # What came over what never came: a choice of lanes that is never the greatest.
        return (_ZERO, either_open)
    if bottom[0] == _ZERO or top[0].rank:
        attained = (bottom[0] == _ZERO and not bottom[1]) or (bool(top[0].rank) and not top[1])
        return (INFINITY, 0 if attained else 1)
    return (finite(top[0].value / bottom[0].value), either_open)
