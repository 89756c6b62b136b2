# SPDX-License-Identifier: Apache-2.0
"""Why a gate that was measured is undecided: masked, or the first kind of ignorance."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Final

from app.core.protocol.gate import Demand
from app.core.reason import Reason
from app.core.score.interval import Interval, Truth, finite
from app.core.score.observed import Basis, Observed
from app.core.score.statistic import truth_of

_HAIR: Final = Fraction(1, 10**12)
"""How far inside an open end a completion is tried; only the choice of a reason depends on it."""


def is_masked(demand: Demand, observations: Sequence[Observed]) -> bool:
    """Return whether the measured units alone would FAIL, and unmeasured ones prevent it.

    A sum grows with its units, so a sum of fewer is held against the limit's share of them too:
    eleven complete of twelve planned, one unmeasured, have not failed "twelve complete".
    """
    alone = [
        each.interval.within(demand.domain)
        for each in observations
        if each.is_measured and each.interval is not None
    ]
    if not alone or all(each.is_measured for each in observations):
        return False
    return all(
        truth_of(scaled, alone) is Truth.FALSE
        for scaled in _alone(demand, len(alone), len(observations))
    )


def _alone(demand: Demand, measured: int, planned: int) -> tuple[Demand, ...]:
    """Return what the demand on ``planned`` units is on ``measured`` of them."""
    match demand.statistic:
        case "sum" | "count":
            share = demand.limit * Fraction(measured, planned)
            return (demand, replace(demand, limit=share))
        case "kth":
            return (replace(demand, k=_rank_alone(demand, measured, planned)),)
        case _:
            return (demand,)


def _rank_alone(demand: Demand, measured: int, planned: int) -> int:
    """Return the rank at the same share of fewer units, rounded towards the worse end."""
    k = demand.k or 1
    if demand.op in (">", ">="):
        return measured - _share(planned - k + 1, measured, planned) + 1
    return _share(k, measured, planned)


def _share(rank: int, measured: int, planned: int) -> int:
    return -(-rank * measured // planned)


def _unmeasured(observed: Observed) -> bool:
    return not observed.is_measured


def _unrecorded(observed: Observed) -> bool:
    return observed.is_measured and observed.basis is Basis.UNKNOWN


def _censored(observed: Observed) -> bool:
    return observed.basis is Basis.CENSORED


def _bounded(observed: Observed) -> bool:
    return observed.basis is Basis.BOUNDED


def _read(observed: Observed) -> bool:
    return observed.basis is Basis.EXACT


IGNORANCE: Final[tuple[tuple[Callable[[Observed], bool], Reason], ...]] = (
    (_unmeasured, Reason.MISSING_UNDECIDED),
    (_unrecorded, Reason.MISSING_UNDECIDED),
    (_censored, Reason.CENSORING_UNDECIDED),
    (_bounded, Reason.BOUNDS_UNDECIDED),
    (_read, Reason.RESOLUTION_UNDECIDED),
)


def undecided_reason(
    demand: Demand, observations: Sequence[Observed], possible: Sequence[Interval]
) -> Reason:
    """Return the first kind of ignorance of which some completion would decide the demand.

    Where none decides by itself, the first kind there is. A unit that says why it is undecided
    (a canary's answer was not recorded) gives its own reason.
    """
    first: Reason | None = None
    for belongs, reason in IGNORANCE:
        units = [
            index
            for index, each in enumerate(observations)
            if belongs(each) and not possible[index].is_point
        ]
        if not units:
            continue
        own = _own_reason(observations[index] for index in units)
        first = first or own or reason
        if _would_decide(demand, possible, units):
            return own or reason
    return first or Reason.MISSING_UNDECIDED


def _own_reason(units: Iterable[Observed]) -> Reason | None:
    """Return the reason that measured units give themselves, the first of the list of reasons."""
    given = {each.why for each in units if each.is_measured}
    return next((reason for reason in Reason if reason in given), None)


def _would_decide(demand: Demand, possible: Sequence[Interval], units: Sequence[int]) -> bool:
    for pick in (lowest, highest, partial(_limit, demand=demand)):
        completed = list(possible)
        for index in units:
            completed[index] = pick(possible[index])
        if truth_of(demand, completed) is not Truth.OPEN:
            return True
    return False


def lowest(interval: Interval) -> Interval:
    """Return the completion at the low end, just inside it where it is open."""
    if not interval.lo_open or interval.lo.rank:
        return Interval(interval.lo, interval.lo)
    inside = interval.lo.value + _HAIR
    return Interval(finite(inside), finite(inside))


def highest(interval: Interval) -> Interval:
    """Return the completion at the high end; it is a limit of values where the end is open."""
    return Interval(interval.hi, interval.hi)


def _limit(interval: Interval, demand: Demand) -> Interval:
    """Return the limit itself where it is possible: the completion that decides ``==``."""
    limit = finite(demand.limit)
    if interval.compared("==", limit) is Truth.FALSE:
        return interval
    return Interval(limit, limit)
