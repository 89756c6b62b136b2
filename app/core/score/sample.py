# SPDX-License-Identifier: Apache-2.0
"""The planned units of one arm as a test reads them: none removed, the unknown kept as a range."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TypeAlias

from app.core.protocol.gate import Domain
from app.core.reason import Reason
from app.core.score.interval import Interval, finite, whole
from app.core.score.observed import Observed
from app.core.score.undecided import IGNORANCE, highest, lowest

Decides: TypeAlias = Callable[[Sequence[Interval]], bool]


@dataclass(frozen=True)
class Sample:
    """One arm's units; what is possible of them is worked out once.

    Attributes:
        domain: every value that an unknown unit may have.
        boots: how many different server boots the observed units came from; None: one each.
    """

    units: tuple[Observed, ...]
    domain: Domain
    boots: int | None = None

    @property
    def is_measured(self) -> bool:
        """Whether any unit came from an attempt that is scored."""
        return any(each.is_measured for each in self.units)

    @property
    def n_observed(self) -> int:
        """How many units count for ``required_n``."""
        observed = sum(each.is_observed for each in self.units)
        return observed if self.boots is None else min(observed, self.boots)

    @cached_property
    def cautious(self) -> tuple[Interval, ...]:
        """What is possible of every unit, with contradicted and doubted ones unknown: for PASS."""
        return tuple(
            self._whole
            if each.absence is not None and each.absence.counts_against
            else self._possible(each)
            for each in self.units
        )

    @cached_property
    def trusting(self) -> tuple[Interval, ...]:
        """What is possible of every unit, with conflicting receipts as their hull: for FAIL."""
        return tuple(self._possible(each) for each in self.units)

    @property
    def alone(self) -> tuple[Interval, ...]:
        """What is possible of the measured units alone, which only tells a masked FAIL."""
        return tuple(self._possible(each) for each in self.units if each.is_measured)

    def has(self, required: int | None) -> bool:
        """Return whether enough units were observed; by default every planned one."""
        return self.n_observed >= (len(self.units) if required is None else required)

    def _possible(self, observed: Observed) -> Interval:
        if observed.interval is None:
            return self._whole
        return observed.interval.within(self.domain)

    @cached_property
    def _whole(self) -> Interval:
        return whole(self.domain)


def first_ignorance(
    units: Sequence[Observed],
    possible: Sequence[Interval],
    *,
    low_is_good: Sequence[bool | None],
    decides: Decides,
    near: Sequence[Fraction] = (Fraction(0),),
) -> Reason | None:
    """Return the first kind of ignorance of which some completion would decide.

    Where none decides by itself although all of them together would, it is the first there is.

    Args:
        units: every unit of a test.
        possible: what is possible of each.
        low_is_good: for each, whether its low end speaks for the candidate; None: neither end
            does, and it is tried as near as can be to each of ``near``.
        decides: whether intervals give PASS or FAIL.
        near: where units without a good end may agree.
    """
    open_units = [index for index, each in enumerate(possible) if not each.is_point]

    def decided(indices: Sequence[int]) -> bool:
        return any(
            decides(_completed(possible, indices, low_is_good, good=good, near=value))
            for good in (True, False)
            for value in near
        )

    if not open_units or not decided(open_units):
        return None
    present = [
        (reason, indices)
        for belongs, reason in IGNORANCE
        if (indices := [index for index in open_units if belongs(units[index])])
    ]
    alone = (reason for reason, indices in present if decided(indices))
    return next(alone, present[0][0])


def _completed(
    possible: Sequence[Interval],
    indices: Sequence[int],
    low_is_good: Sequence[bool | None],
    *,
    good: bool,
    near: Fraction,
) -> list[Interval]:
    completed = list(possible)
    for index in indices:
        if low_is_good[index] is None:
            completed[index] = _nearest(possible[index], near)
        else:
            pick = lowest if low_is_good[index] is good else highest
            completed[index] = pick(possible[index])
    return completed


def _nearest(interval: Interval, value: Fraction) -> Interval:
    """Return the completion that is nearest to ``value``."""
    at = finite(value)
    if at <= interval.lo:
        return lowest(interval)
    return highest(interval) if at >= interval.hi else Interval(at, at)
