# SPDX-License-Identifier: Apache-2.0
"""Numbers as a person reads them: exact where they are, marked where they are not, never invented.

Nothing here turns an absent value into a number: what is null is ``not recorded``, and an interval
that allows everything says so instead of showing its ends.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from app.core.statement.interval import Interval

NOT_RECORDED: Final = "not recorded"
NOT_PUBLISHED: Final = "not published"
NEVER: Final = "never (infinite)"

_UNITS: Final = {"us": "s", "1": "", "tokens_per_s": "tokens/s"}
_MICRO: Final = 1_000_000
_DIGITS: Final = 6
_MILLI: Final = 3


def is_infinite(number: str) -> bool:
    """Tell whether a number of the document is an infinity."""
    return number.lstrip("-") == "inf"


def fraction_of(number: str) -> Fraction:
    """Return a finite number of the document exactly, in the document's own unit."""
    return Fraction(number)


def number_text(number: str | None, unit: str | None) -> str:
    """Return a number with its unit; microseconds are shown as seconds."""
    if number is None:
        return NOT_RECORDED
    if is_infinite(number):
        return NEVER if number == "inf" else "minus infinity"
    value = fraction_of(number)
    named = unit_text(unit)
    text = _in_seconds(value / _MICRO) if unit == "us" else plain(value)
    return f"{text} {named}" if named else text


def unit_text(unit: str | None) -> str:
    """Return a unit's name as printed behind a number; none for plain counts."""
    return "" if unit is None else _UNITS.get(unit, unit.replace("_per_", "/"))


def plain(value: Fraction, *, least: int = 0) -> str:
    """Return a number in decimals: exact, or with ``about`` where no six decimals are exact.

    Args:
        value: the number.
        least: so many decimals are printed where there are any.
    """
    scaled = value * 10**_DIGITS
    rounded = round(scaled)
    whole, rest = divmod(abs(rounded), 10**_DIGITS)
    decimals = f"{rest:0{_DIGITS}d}".rstrip("0")
    decimals = decimals and decimals.ljust(least, "0")
    sign = "−" if rounded < 0 else ""
    text = f"{sign}{whole:,}" + (f".{decimals}" if decimals else "")
    return text if scaled == rounded else f"about {text}"


def seconds(micros: int | None) -> str:
    """Return a duration or offset in seconds."""
    return NOT_RECORDED if micros is None else f"{_in_seconds(Fraction(micros, _MICRO))} s"


def _in_seconds(value: Fraction) -> str:
    """Return a length of time to the millisecond at least: what is compared lines up."""
    return plain(value, least=_MILLI)


def count_text(count: int | None) -> str:
    """Return a number of things."""
    return NOT_RECORDED if count is None else f"{count:,}"


def hours(micros: int) -> str:
    """Return a length of time as hours, minutes and seconds: ``5:16:57``."""
    whole, rest = divmod(micros, 60 * _MICRO)
    full, minutes = divmod(whole, 60)
    seconds_, fraction = divmod(rest, _MICRO)
    decimals = f".{fraction:06d}".rstrip("0") if fraction else ""
    return f"{full}:{minutes:02d}:{seconds_:02d}{decimals}"


def duration(micros: int) -> str:
    """Return a length of time in seconds, and from an hour on in hours and minutes too."""
    hours, rest = divmod(micros, 3600 * _MICRO)
    if hours == 0:
        return seconds(micros)
    minutes = rest // (60 * _MICRO)
    return f"{seconds(micros)} ({hours} h{f' {minutes} min' if minutes else ''})"


def interval_text(interval: Interval | None, unit: str | None) -> str:
    """Return what is known of a value, in words."""
    if interval is None:
        return NOT_RECORDED
    low, high = number_text(interval.lo, unit), number_text(interval.hi, unit)
    if interval.lo == interval.hi:
        return low
    if is_everything(interval):
        return "not known"
    if interval.hi == "inf":
        upwards = "or never" if not interval.hi_open else "how much more is not known"
        return f"{'more than' if interval.lo_open else 'at least'} {low}, {upwards}"
    if interval.lo == "-inf":
        return f"{'less than' if interval.hi_open else 'at most'} {high}"
    return f"between {low} and {high}"


def is_everything(interval: Interval) -> bool:
    """Tell whether an interval excludes nothing that a time or a count could be."""
    return interval.hi == "inf" and interval.hi_open and interval.lo in {"0", "-inf"}


def margin_text(margin: str | None, unit: str | None) -> str:
    """Return how far inside or outside its limit a gate is."""
    if margin is None:
        return "no number"
    if is_infinite(margin):
        return "outside, without bound" if margin.startswith("-") else "inside, without bound"
    value = fraction_of(margin)
    text = number_text(margin.lstrip("-"), unit)
    if value == 0:
        return f"{text}, at the limit"
    return f"{text} {'inside' if value > 0 else 'outside'}"


def instant_text(instant: str | None) -> str:
    """Return an instant to the second where nothing is lost, else whole; always UTC."""
    if instant is None:
        return NOT_RECORDED
    stem = instant.removesuffix("Z").removesuffix(".000000")
    return f"{stem.replace('T', ' ')} UTC"
