# SPDX-License-Identifier: Apache-2.0
"""The margins at which the exact sign-flip test turns: what the blocks leave undecided.

The sum of a subset's differences reaches zero up to the margin at which its worse values are to its
better ones in just that ratio, or lie that far apart in the mean. So of all subsets in order, PASS
is given at exactly the margins above the k-th greatest and FAIL at those below the k-th least,
where k is how many ``alpha`` allows, the empty one included. Exact rationals, no distribution.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import floor, lcm
from typing import Final, Literal, TypeAlias

from app.core.protocol.margin import Margin
from app.core.score.interval import INFINITY, NEGATIVE_INFINITY, End, Interval, finite
from app.core.score.sign_flip import count_reaching
from app.core.score.subset_ratios import kth_ratio

MOST_BOUNDED: Final = 24
"""Blocks up to which bounds are computed; the test itself is exact for more."""
_ZERO: Final = finite(0)
_LEAST: Final = {"ratio": _ZERO, "abs": NEGATIVE_INFINITY}

Scale = Literal["abs", "ratio"]
Pairs: TypeAlias = Sequence[tuple[Interval, Interval]]
"""Of each block the value that is worse when it is higher, and the one that it is held against."""


@dataclass(frozen=True, slots=True)
class _Ends:
    """One end of each block: what may be compared, and what no margin changes.

    Attributes:
        tops: of the blocks with two numbers, whole numbers over a common unit.
        bottoms: what each top is divided by; of a distance 1.
        opens: whether the end itself is not possible.
        always: blocks that any subset with one of them reaches zero by.
        never: blocks that no other subset with one of them reaches zero by.
    """

    tops: tuple[int, ...]
    bottoms: tuple[int, ...]
    opens: tuple[bool, ...]
    always: int
    never: int


def limit_of(margin: Margin) -> End:
    """Return the margin as the shift that it allows: above 1 (ratio) or 0 (distance) is worse."""
    if margin.scale == "abs":
        return finite(margin.value)
    if margin.worse == "higher":
        return finite(max(1 + margin.value, Fraction(0)))
    return finite(1 / (1 - margin.value)) if margin.value < 1 else INFINITY


def undecided_margins(
    cautious: Pairs, trusting: Pairs, *, scale: Scale, alphas: tuple[Fraction, Fraction]
) -> Interval | None:
    """Return the shifts that blocks leave undecided; an end is open where it is decided itself.

    Args:
        cautious: the blocks as PASS reads them.
        trusting: the same as FAIL reads them.
        scale: of the margin.
        alphas: what PASS and what FAIL may spend.

    Returns:
        None: a value of 0 that all else is held against gives no ratio, or there are too many
        blocks. An end without bound says that no margin is decided on that side.
    """
    if len(cautious) > MOST_BOUNDED:
        return None
    if scale == "ratio" and any(_is_no_ratio(*each) for each in (*cautious, *trusting)):
        return None
    hi, hi_open = _turn(_highest(cautious, scale), alphas[0], scale, downwards=True)
    lo, lo_open = _turn(_lowest(trusting, scale), alphas[1], scale, downwards=False)
    return Interval(lo, hi, lo_open, hi_open)


def _is_no_ratio(worse: Interval, better: Interval) -> bool:
    """Tell whether a value is held against 0, or nothing may be held against nothing."""
    return better.hi == _ZERO or better.lo == worse.hi == _ZERO


def _highest(pairs: Pairs, scale: Scale) -> _Ends:
    """Return where each block is at its worst: unknown is whatever has an infinite worse value."""
    known = [(w.hi, b.lo, w.hi_open or b.lo_open) for w, b in pairs if not w.hi.rank]
    numbers = [each for each in known if not each[1].rank]
    return _ends(numbers, scale, len(pairs) - len(known), len(known) - len(numbers))


def _lowest(pairs: Pairs, scale: Scale) -> _Ends:
    """Return where each block is at its best."""
    known = [(w.lo, b.hi, w.lo_open or b.hi_open) for w, b in pairs if not b.hi.rank]
    numbers = [each for each in known if not each[0].rank]
    return _ends(numbers, scale, len(pairs) - len(known), len(known) - len(numbers))


def _ends(numbers: Sequence[tuple[End, End, bool]], scale: Scale, always: int, never: int) -> _Ends:
    unit = lcm(*(end.bottom for top, bottom, _ in numbers for end in (top, bottom)))
    pairs = [(_in(unit, top), _in(unit, bottom)) for top, bottom, _ in numbers]
    if scale == "abs":
        pairs = [(top - bottom, unit) for top, bottom in pairs]
    opens = tuple(is_open for *_, is_open in numbers)
    return _Ends(tuple(t for t, _ in pairs), tuple(b for _, b in pairs), opens, always, never)


def _in(unit: int, end: End) -> int:
    return end.top * (unit // end.bottom)


def _turn(ends: _Ends, alpha: Fraction, scale: Scale, *, downwards: bool) -> tuple[End, bool]:
    """Return the shift at which the test turns, and whether it is decided at that shift itself."""
    far, near = (INFINITY, _LEAST[scale]) if downwards else (_LEAST[scale], INFINITY)
    n = len(ends.tops)
    planned = n + ends.always + ends.never
    k = floor(alpha * 2**planned)
    k_of_numbers = k - (2**planned - 2 ** (n + ends.never))
    if k_of_numbers < 1:
        return far, False
    if k_of_numbers >= 2**n:
        return near, False
    ratio = kth_ratio(ends.tops, ends.bottoms, k_of_numbers if downwards else -k_of_numbers)
    if ratio is None:
        return far, False
    return finite(ratio), _reaching(ends, ratio, downwards=downwards) < k_of_numbers


def _reaching(ends: _Ends, shift: Fraction, *, downwards: bool) -> int:
    """Return how many subsets, the empty one left out, are not decided at the shift itself."""
    top, bottom = shift.as_integer_ratio()
    sign = 1 if downwards else -1
    places = len(ends.tops) + 1
    return (
        count_reaching(
            tuple(
                sign * places * (one * bottom - other * top) - is_open
                for one, other, is_open in zip(ends.tops, ends.bottoms, ends.opens, strict=True)
            )
        )
        - 1
    )
