# SPDX-License-Identifier: Apache-2.0
"""Whether a change of a protocol makes its demand stricter, as far as the member alone tells."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Final, Literal, cast

from app.core.canonical import JsonValue

Direction = Literal["tightened", "loosened", "changed"]

_STRICTER_BELOW: Final = frozenset(
    (
        "margin",
        "alpha",
        "drift_margin",
        "max_failed",
        "allowed_skips",
        "max_reference_spread",
        "max_per_slot",
        "max_void_studies",
    )
)
"""Members of which less is a stricter demand."""
_STRICTER_ABOVE: Final = frozenset(
    ("p", "required_n", "family_k", "min_duration_us", "min_validated", "accepted")
)
_AT_MOST: Final = ("<", "<=")
_AT_LEAST: Final = (">", ">=")
_COUNTING: Final = ("primary", "secondary", "integrity", "validity")
_DECIMAL: Final = re.compile(r"-?[0-9]+([.][0-9]+)?")


def direction_of(
    where: str, before: JsonValue, after: JsonValue, gate: dict[str, JsonValue]
) -> Direction:
    """Return which way a place changed.

    Args:
        where: ``gate ID`` for a whole gate, else the place, its last member behind a slash.
        before: what stood there; None: nothing.
        after: what stands there; None: nothing.
        gate: the later gate, or cell or arm, around it.
    """
    if "/" not in where:
        return _of_whole(where, before, after, gate)
    member = where.rpartition("/")[2]
    if member == "role":
        return _by_sign((after in _COUNTING) - (before in _COUNTING))
    old, new = _number(before), _number(after)
    if old is None or new is None:
        return "changed"
    more = (new > old) - (new < old)
    if member in _STRICTER_BELOW:
        return _by_sign(-more)
    if member in _STRICTER_ABOVE:
        return _by_sign(more)
    if member == "limit":
        return _of_limit(more, gate)
    return "changed"


def _of_whole(
    where: str, before: JsonValue, after: JsonValue, gate: dict[str, JsonValue]
) -> Direction:
    """Return which way: a gate that counts is one more demand, and so is a scope."""
    counts = where.startswith("gate ") and gate.get("role") in _COUNTING
    if counts:
        return "tightened" if before is None else "loosened"
    if where == "scopes" and isinstance(before, list) and isinstance(after, list):
        old, new = set(map(str, before)), set(map(str, after))
        return _by_sign((new > old) - (new < old))
    if where == "max_void_studies":
        old_count, new_count = cast("int", before), cast("int", after)
        return _by_sign((new_count < old_count) - (new_count > old_count))
    return "changed"


def _of_limit(more: int, gate: dict[str, JsonValue]) -> Direction:
    comparison = gate.get("comparison")
    op = comparison.get("op") if isinstance(comparison, dict) else None
    if op in _AT_MOST:
        return _by_sign(-more)
    return _by_sign(more) if op in _AT_LEAST else "changed"


def _by_sign(stricter: int) -> Direction:
    if stricter == 0:
        return "changed"
    return "tightened" if stricter > 0 else "loosened"


def _number(value: JsonValue) -> Fraction | None:
    """Return an integer or a decimal string as a number; None: it is none."""
    if isinstance(value, int):
        return Fraction(value)
    is_decimal = isinstance(value, str) and _DECIMAL.fullmatch(value) is not None
    return Fraction(str(value)) if is_decimal else None
