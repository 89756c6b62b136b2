# SPDX-License-Identifier: Apache-2.0
"""What one planned unit contributes to a gate; a unit that contributes nothing is still there."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from fractions import Fraction

import msgspec

from app.core.reason import Reason
from app.core.score.interval import INFINITY, End, Interval, finite, hull, point


class Basis(StrEnum):
    """How a value is known."""

    EXACT = "exact"
    CENSORED = "censored"
    BOUNDED = "bounded"
    UNKNOWN = "unknown"


class Absence(StrEnum):
    """Why a unit was not measured; ``no_gate``: another tool reported no result of a gate."""

    NOT_STARTED = "not_started"
    CAPTURE_MISSING = "capture_missing"
    UNSCORABLE = "harness_invalid"
    ABANDONED = "abandoned"
    CONFLICT = "conflict"
    DOUBTED = "doubted"
    NO_GATE = "no_gate"

    @property
    def is_attempt(self) -> bool:
        """Whether somebody tried: then a gate without a measured unit is INVALID, not NOT_RUN."""
        return self in (Absence.UNSCORABLE, Absence.ABANDONED) or self.counts_against

    @property
    def counts_against(self) -> bool:
        """Whether captures are there that establish nothing and still count for a FAIL."""
        return self in (Absence.CONFLICT, Absence.DOUBTED)


class Observed(msgspec.Struct, frozen=True, gc=False):
    """One unit of a gate's denominator.

    Attributes:
        interval: what is known; None: nothing, which is the whole domain.
        basis: how it is known.
        absence: why the unit was not measured; None: it was.
        why: a reason of its own: of an INVALID slot, or of a value that decides against or not at
            all.
        shown: what a page shows instead of ``interval``, where that is only true or false.
    """

    interval: Interval | None
    basis: Basis
    absence: Absence | None = None
    why: Reason | None = None
    shown: Interval | None = None

    @property
    def is_measured(self) -> bool:
        """Whether the unit came from an attempt that is scored."""
        return self.absence is None

    @property
    def is_observed(self) -> bool:
        """Whether it counts for ``required_n``: a bound is an observation, the unknown is none."""
        return self.basis is not Basis.UNKNOWN


def exact(value: int | Fraction, resolution: int | Fraction = 0) -> Observed:
    """Return a value that was read, with the half-width of the reading."""
    if not resolution:
        return Observed(point(value), Basis.EXACT)
    return Observed(Interval(finite(value - resolution), finite(value + resolution)), Basis.EXACT)


def never(seen_until: int | Fraction | None = None) -> Observed:
    """Return the time of something that a server failure has made impossible: ``+inf``, exactly.

    Args:
        seen_until: until when it was looked for, which is what a page shows.
    """
    shown = None if seen_until is None else above(seen_until).interval
    return Observed(Interval(INFINITY, INFINITY), Basis.EXACT, shown=shown)


def above(value: int | Fraction) -> Observed:
    """Return a time known only to lie beyond ``value``, where the observation stopped."""
    return Observed(Interval(finite(value), INFINITY, lo_open=True, hi_open=True), Basis.CENSORED)


def at_least(value: int | Fraction) -> Observed:
    """Return a time that is ``value`` already and may have become longer unseen."""
    return Observed(Interval(finite(value), INFINITY, hi_open=True), Basis.CENSORED)


def between(lo: End, hi: End) -> Observed:
    """Return a value known to lie between two ends; exact where they are one."""
    if lo == hi:
        return Observed(Interval(lo, lo), Basis.EXACT)
    return Observed(Interval(lo, hi, hi_open=hi == INFINITY), Basis.BOUNDED)


def unknown(why: Reason | None = None) -> Observed:
    """Return a measured unit whose value was not recorded: the whole domain, never zero."""
    return Observed(None, Basis.UNKNOWN, why=why)


def absent(absence: Absence, why: Reason | None = None) -> Observed:
    """Return a planned unit that was not measured."""
    return Observed(None, Basis.UNKNOWN, absence, why)


def conflicting(candidates: Iterable[Observed], absence: Absence = Absence.CONFLICT) -> Observed:
    """Return a unit whose receipts differ or are doubted: unknown for PASS, a hull for FAIL."""
    each = tuple(candidates)
    around = None
    if all(one.interval is not None for one in each):
        around = hull(one.interval for one in each if one.interval is not None)
    reasons = {one.why for one in each}
    why = reasons.pop() if len(reasons) == 1 else None
    shown = [one.shown for one in each if one.shown is not None]
    seen = hull(shown) if shown and len(shown) == len(each) else None
    return Observed(around, Basis.UNKNOWN, absence, why, seen)


def zero_or_one(value: bool, *, why: Reason | None = None) -> Observed:  # noqa: FBT001  the value
    """Return a unit that is true (1) or false (0)."""
    return Observed(point(int(value)), Basis.EXACT, why=why)
