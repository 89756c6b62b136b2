# SPDX-License-Identifier: Apache-2.0
"""Exact numbers as text, the only form in which they leave scoring."""

from __future__ import annotations

from fractions import Fraction
from math import gcd

from app.core.score.interval import End, Interval
from app.core.statement.interval import Interval as IntervalShape

_MAX_DIGITS = 40
_MAX_PLACES = 30


def number_text(end: End) -> str:
    """Return a decimal, a fraction where no decimal is exact, ``inf`` or ``-inf``."""
    if end.rank:
        return "inf" if end.rank > 0 else "-inf"
    shared = gcd(end.top, end.bottom)
    return _decimal(end.top // shared, end.bottom // shared)


def chance_text(p: Fraction) -> str:
    """Return a chance, exactly where a fraction of forty digits says it, else rounded up."""
    if p.denominator < 10**_MAX_DIGITS:
        return _decimal(p.numerator, p.denominator)
    rounded = -(-p.numerator * 10**_MAX_PLACES // p.denominator)
    return number_text(End(0, rounded, 10**_MAX_PLACES))


def interval_shape(interval: Interval) -> IntervalShape:
    """Return the interval as it stands in a judgement."""
    lo = number_text(interval.lo)
    return IntervalShape(
        lo=lo,
        hi=lo if interval.hi is interval.lo else number_text(interval.hi),
        lo_open=interval.lo_open,
        hi_open=interval.hi_open,
    )


def bounds_shape(interval: Interval) -> IntervalShape:
    """Return bounds as they stand in a judgement; ends of too many digits move outwards a little.

    What lies between such an end and the text that stands for it is decided, so that one is open.
    """
    lo, lo_open = _outwards(interval.lo, is_open=interval.lo_open, up=False)
    hi, hi_open = _outwards(interval.hi, is_open=interval.hi_open, up=True)
    return interval_shape(Interval(lo, hi, lo_open, hi_open))


def _outwards(end: End, *, is_open: bool, up: bool) -> tuple[End, bool]:
    top, bottom = end.value.as_integer_ratio()
    if max(abs(top), bottom) < 10**_MAX_DIGITS:
        return end, is_open
    places = 10**_MAX_PLACES
    scaled = -(-top * places // bottom) if up else top * places // bottom
    return End(0, scaled, places), True


def _decimal(top: int, bottom: int) -> str:
    if bottom == 1:
        return str(top)
    places = _places(bottom)
    if places is None:
        return f"{top}/{bottom}"
    digits = str(abs(top) * 10**places // bottom).rjust(places + 1, "0")
    sign = "-" if top < 0 else ""
    whole, part = digits[: len(digits) - places], digits[len(digits) - places :]
    return f"{sign}{whole}.{part}" if part else f"{sign}{whole}"


def _places(denominator: int) -> int | None:
    """Return how many decimal places write a fraction of it exactly; None: too many or none do."""
    twos = (denominator & -denominator).bit_length() - 1
    rest, fives = denominator >> twos, 0
    while not rest % 5:
        rest, fives = rest // 5, fives + 1
    places = max(twos, fives)
    return places if rest == 1 and places < _MAX_DIGITS else None
