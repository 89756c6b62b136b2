# SPDX-License-Identifier: Apache-2.0
"""What is known of a value: an interval with exact rational ends, open or closed, or infinite.

``inf`` is a value of its own: the time of an answer that a server failure made impossible is
``[inf, inf]``. An end that is merely unbounded is open at infinity: ``[0, inf)``.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from fractions import Fraction
from typing import Final

import msgspec

from app.core.protocol.gate import Domain
from app.core.statement.gate_record import Operator


class End(msgspec.Struct, frozen=True, gc=False):
    """A point of the extended line; ``rank`` is -1 and +1 at the infinities, where it is 0.

    A ratio of two whole numbers, which nothing reduces: what ``Fraction`` does for each number on
    the way to the one that is shown was most of the cost of judging.

    Attributes:
        bottom: above 0.
    """

    rank: int
    top: int
    bottom: int

    @property
    def value(self) -> Fraction:
        """The number; 0 at the infinities."""
        return Fraction(self.top, self.bottom)

    def __eq__(self, other: object) -> bool:  # type: ignore[explicit-override]  # 3.11 has no typing.override
        if not isinstance(other, End):
            return NotImplemented
        return self.against(other) == 0

    def __hash__(self) -> int:  # type: ignore[explicit-override]  # 3.11 has no typing.override
        return hash((self.rank, self.value))

    def against(self, other: End) -> int:
        """Return a number below 0, 0 or above 0 as this end lies below, at or above ``other``."""
        if self.rank != other.rank:
            return self.rank - other.rank
        return self.top * other.bottom - other.top * self.bottom

    def times(self, factor: Fraction) -> End:
        """Return the end times a factor that is not negative; infinity stays infinite."""
        top, bottom = factor.as_integer_ratio()
        return End(self.rank, self.top * top, self.bottom * bottom)

    def __lt__(self, other: End) -> bool:
        return self.against(other) < 0

    def __gt__(self, other: End) -> bool:
        return self.against(other) > 0

    def __le__(self, other: End) -> bool:
        return self.against(other) <= 0

    def __ge__(self, other: End) -> bool:
        return self.against(other) >= 0


NEGATIVE_INFINITY: Final = End(-1, 0, 1)
INFINITY: Final = End(1, 0, 1)


def finite(value: int | Fraction) -> End:
    """Return the end at an exact number."""
    top, bottom = value.as_integer_ratio()
    return End(0, top, bottom)


class Truth(Enum):
    """Whether something holds in every completion, in none, or in some."""

    TRUE = "true"
    FALSE = "false"
    OPEN = "open"

    def both(self, other: Truth) -> Truth:
        """Return whether this and ``other`` hold together (Kleene's and)."""
        if Truth.FALSE in (self, other):
            return Truth.FALSE
        return Truth.TRUE if self is other is Truth.TRUE else Truth.OPEN


class Interval(msgspec.Struct, frozen=True, gc=False):
    """All values that are still possible.

    Attributes:
        lo: the least end.
        hi: the greatest end.
        lo_open: ``lo`` itself is not possible.
        hi_open: ``hi`` itself is not possible.
    """

    lo: End
    hi: End
    lo_open: bool = False
    hi_open: bool = False

    @property
    def is_point(self) -> bool:
        """Whether exactly one value is possible."""
        return self.lo == self.hi

    @property
    def low_key(self) -> tuple[End, int]:
        """Order lower ends: an open one lies just above a closed one."""
        return (self.lo, int(self.lo_open))

    @property
    def high_key(self) -> tuple[End, int]:
        """Order upper ends: an open one lies just below a closed one."""
        return (self.hi, -int(self.hi_open))

    def compared(self, op: Operator, limit: End) -> Truth:
        """Return whether ``value op limit`` for every value, for none, or for some."""
        match op:
            case "<=":
                return _truth(self.high_key <= (limit, 0), self.low_key > (limit, 0))
            case "<":
                return _truth(self.high_key < (limit, 0), self.low_key >= (limit, 0))
            case ">=":
                return _truth(self.low_key >= (limit, 0), self.high_key < (limit, 0))
            case ">":
                return _truth(self.low_key > (limit, 0), self.high_key <= (limit, 0))
            case "==":
                outside = self.low_key > (limit, 0) or self.high_key < (limit, 0)
                return _truth(self.is_point and not outside, outside)

    def within(self, domain: Domain) -> Interval:
        """Return what of the interval is possible in ``domain``; as it is if it lies outside.

        An unbounded domain holds ``inf`` itself: what a server failure made impossible.
        """
        bottom = finite(domain.lo)
        top = INFINITY if domain.hi is None else finite(domain.hi)
        if not self.lo < bottom and not self.hi > top:
            return self
        bounds = Interval(bottom, top)
        low = max(self, bounds, key=lambda each: each.low_key)
        high = min(self, bounds, key=lambda each: each.high_key)
        kept = Interval(low.lo, high.hi, low.lo_open, high.hi_open)
        return self if kept.lo > kept.hi else kept

    def minus(self, other: Interval) -> Interval:
        """Return all differences of a value of this and a value of ``other``.

        What never happens is later than anything that may still happen: ``inf`` less a value that
        is merely unbounded is ``inf``.
        """
        return Interval(
            _difference(self.lo, other.hi, INFINITY if other.hi_open else NEGATIVE_INFINITY),
            _difference(self.hi, other.lo, INFINITY),
            self.lo_open or other.hi_open,
            self.hi_open or other.lo_open,
        )


ANYTHING: Final = Interval(NEGATIVE_INFINITY, INFINITY, lo_open=True, hi_open=True)


def point(value: int | Fraction) -> Interval:
    """Return the interval of one exact value."""
    end = finite(value)
    return Interval(end, end)


def whole(domain: Domain) -> Interval:
    """Return every value of ``domain``; an unbounded one is open at infinity."""
    if domain.hi is None:
        return Interval(finite(domain.lo), INFINITY, hi_open=True)
    return Interval(finite(domain.lo), finite(domain.hi))


def hull(intervals: Iterable[Interval]) -> Interval:
    """Return the least interval around all of them; there is at least one."""
    each = tuple(intervals)
    low = min(each, key=lambda one: one.low_key)
    high = max(each, key=lambda one: one.high_key)
    return Interval(low.lo, high.hi, low.lo_open, high.hi_open)


def _truth(holds: bool, fails: bool) -> Truth:  # noqa: FBT001  two findings of one comparison
    if holds:
        return Truth.TRUE
    return Truth.FALSE if fails else Truth.OPEN


def _difference(left: End, right: End, unknown: End) -> End:
    if left.rank and left.rank == right.rank:
        return unknown
    if left.rank:
        return left
    if right.rank:
        return End(-right.rank, right.top, right.bottom)
    top = left.top * right.bottom - right.top * left.bottom
    return End(0, top, left.bottom * right.bottom)
