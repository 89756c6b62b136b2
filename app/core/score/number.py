# SPDX-License-Identifier: Apache-2.0
"""Exact numbers as text, the only form in which they leave scoring."""

from __future__ import annotations

from fractions import Fraction

from app.core.score.interval import End, Interval
from app.core.statement.judgement import Interval as IntervalShape

_MAX_DIGITS = 40
_MAX_PLACES = 30


def number_text(end: End) -> str:
    """Return a decimal, a fraction where no decimal is exact, ``inf`` or ``-inf``."""
    if end.rank:
        return "inf" if end.rank > 0 else "-inf"
    return _decimal(end.value)


def chance_text(p: Fraction) -> str:
    """Return a chance, exactly where a fraction of forty digits says it, else rounded up."""
    if p.denominator < 10**_MAX_DIGITS:
        return _decimal(p)
    return _decimal(Fraction(-(-p.numerator * 10**_MAX_PLACES // p.denominator), 10**_MAX_PLACES))


def interval_shape(interval: Interval) -> IntervalShape:
    """Return the interval as it stands in a judgement."""
    return IntervalShape(
        lo=number_text(interval.lo),
        hi=number_text(interval.hi),
        lo_open=interval.lo_open,
        hi_open=interval.hi_open,
    )


def _decimal(value: Fraction) -> str:
    places = next((n for n in range(_MAX_DIGITS) if 10**n % value.denominator == 0), None)
    if places is None:
        return f"{value.numerator}/{value.denominator}"
    digits = str(abs(value.numerator) * 10**places // value.denominator).rjust(places + 1, "0")
    sign = "-" if value < 0 else ""
    whole, part = digits[: len(digits) - places], digits[len(digits) - places :]
    return f"{sign}{whole}.{part}" if part else f"{sign}{whole}"
