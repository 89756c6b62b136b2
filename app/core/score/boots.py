# SPDX-License-Identifier: Apache-2.0
"""Slots that shared a server boot share its luck: they count once (SCORING.md B1)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from app.core.protocol.gate import MetricGate
from app.core.score.interval import Interval, whole
from app.core.score.observed import Absence, Basis, Observed
from app.core.score.sample import Sample
from app.core.score.statistic import summary_of

_AGAINST: Final = frozenset(each for each in Absence if each.counts_against)

Boots = Sequence[str | None]
"""Of every slot the boot it ran in; an absent slot has one of its own."""


def groups_of(arms: Sequence[Boots], waves: int = 1) -> tuple[tuple[int, ...], ...]:
    """Return the places that count once, each with all the places that share a boot with it.

    Places are joined if the slots of any arm there share a boot, or were planned to: ``waves`` of
    them in a row, so that a wave that is missing is no unit of its own.
    """
    n = len(arms[0])
    groups = [set(range(first, min(first + waves, n))) for first in range(0, n, waves)]
    for boots in arms:
        for boot in {each for each in boots if each is not None}:
            joined = {place for place, each in enumerate(boots) if each == boot}
            touched = [each for each in groups if not each.isdisjoint(joined)]
            groups = [each for each in groups if each.isdisjoint(joined)]
            groups.append(set().union(*touched))
    return tuple(tuple(sorted(each)) for each in sorted(groups, key=min))


def folded(sample: Sample, groups: Iterable[Sequence[int]], gate: MetricGate) -> Sample:
    """Return the sample with one unit for every group."""
    return replace(sample, units=tuple(_unit(sample, group, gate) for group in groups))


def _unit(sample: Sample, group: Sequence[int], gate: MetricGate) -> Observed:
    units = [sample.units[place] for place in group]
    against = next((each.absence for each in units if each.absence in _AGAINST), None)
    if len(units) == 1 or (against is None and not any(each.is_measured for each in units)):
        return max(units, key=lambda each: bool(each.absence and each.absence.is_attempt))
    intervals = [_known(sample, each) for each in units]
    higher_is_worse = gate.demand.op in ("<", "<=", "==")
    one = summary_of(gate.slot_summary, gate.slot_k, intervals, higher_is_worse=higher_is_worse)
    order = (Basis.UNKNOWN, Basis.CENSORED, Basis.BOUNDED, Basis.EXACT)
    # A boot that holds a contradiction is one: unknown for PASS, a hull for FAIL.
    return Observed(one, min((each.basis for each in units), key=order.index), against)


def _known(sample: Sample, observed: Observed) -> Interval:
    if observed.interval is None:
        return whole(sample.domain)
    return observed.interval.within(sample.domain)
