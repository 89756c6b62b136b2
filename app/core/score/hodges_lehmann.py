# SPDX-License-Identifier: Apache-2.0
"""How much worse a candidate is than a control: the middle of all pairs, and one-sided bounds.

Oriented so that above 1 (ratio) or above 0 (distance) means worse. No number interpolates: of an
even number of pairs the middle one that is worse. The bounds are the margins at which the rank-sum
test turns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from app.core.protocol.margin import Margin
from app.core.score.interval import End, Interval, finite
from app.core.score.margins import difference, quotient
from app.core.score.rank_sum import needed_pairs

_ZERO = finite(0)


@dataclass(frozen=True, slots=True)
class Shift:
    """The size of an effect.

    Attributes:
        middle: the middle of all pairs; an interval where units are.
        lower: above which the effect is established; None: no margin decides with so few units.
        upper: below which it is established.
    """

    middle: Interval
    lower: End | None
    upper: End | None


def shift_of(
    candidate: Sequence[Interval], control: Sequence[Interval], margin: Margin, alpha: Fraction
) -> Shift | None:
    """Return the shift; None where there is no pair, or a control of 0 gives no ratio."""
    ratio = margin.scale == "ratio"
    if not candidate or not control or (ratio and any(each.hi == _ZERO for each in control)):
        return None
    worse, better = (candidate, control) if margin.worse == "higher" else (control, candidate)
    of = _ratio if ratio else _distance
    pairs = [of(one, other) for one in worse for other in better]
    lows = sorted(lo for lo, _ in pairs)
    highs = sorted(hi for _, hi in pairs)
    middle = Interval(lows[len(pairs) // 2], highs[len(pairs) // 2])
    needed = needed_pairs(len(candidate), len(control), alpha)
    if needed is None:
        return Shift(middle, None, None)
    return Shift(middle, lows[len(pairs) - needed], highs[needed - 1])


def _distance(worse: Interval, better: Interval) -> tuple[End, End]:
    apart = difference(worse, better)
    return apart.lo, apart.hi


def _ratio(worse: Interval, better: Interval) -> tuple[End, End]:
    ratio = quotient(worse, better)
    return ratio.lo, ratio.hi
