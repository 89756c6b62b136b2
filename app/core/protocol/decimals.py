# SPDX-License-Identifier: Apache-2.0
"""Exact numbers as the decimal strings that a protocol document holds and a person reads."""

from __future__ import annotations

from decimal import Context
from fractions import Fraction
from typing import Final

_MAX_PLACES: Final = 12
"""As many places as a decimal of a document may have."""
_DIGITS: Final = Context(prec=6)


def decimal_text(value: Fraction) -> str:
    """Return ``value`` exactly where twelve places do, else rounded to six digits."""
    if 10**_MAX_PLACES % value.denominator:
        rounded = _DIGITS.divide(value.numerator, value.denominator)
        return f"{rounded:f}"
    places = next(n for n in range(_MAX_PLACES + 1) if 10**n % value.denominator == 0)
    digits = str(abs(value.numerator) * 10**places // value.denominator).rjust(places + 1, "0")
    sign, whole = "-" if value < 0 else "", digits[: len(digits) - places]
    return f"{sign}{whole}" + (f".{digits[-places:]}" if places else "")
