# SPDX-License-Identifier: Apache-2.0
"""A gate's judgement as a verdict document holds it: the rule, the numbers, every unit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Final

from msgspec import UNSET, UnsetType

from app.core.protocol.gate import (
    AnyGate,
    AssayGate,
    CanaryGate,
    CompletenessGate,
    ContentionGate,
    Demand,
    EnvelopeGate,
    FairnessGate,
    IdentityGate,
    ParityGate,
    ResultGate,
    ReviewGate,
)
from app.core.protocol.gate_demand import Domain
from app.core.protocol.wording import rule_text
from app.core.score.decide import Judged, margin_of
from app.core.score.envelope import ObservedEnvelope
from app.core.score.interval import ANYTHING, Interval, finite, whole
from app.core.score.number import interval_shape, number_text
from app.core.score.observe import Unit
from app.core.score.observed import Absence, Basis
from app.core.score.scored import Scored
from app.core.score.state import State
from app.core.score.statistic import statistic_of
from app.core.statement.judgement import AbsenceName, EnvelopeOf, Judgement, Observation, UnitCount


def judgement_of(scored: Scored) -> Judgement:
    """Return what a gate says, with its rule, its numbers and all of its units."""
    gate, judged, units = scored.gate, scored.judged, scored.units
    unit, demand, seen = _numbers(gate, judged, units)
    inexact = any(each.observed.basis is not Basis.EXACT for each in units)
    if judged.state in (State.INVALID, State.NOT_RUN):
        seen = None
    margin = None if demand is None else margin_of(demand, replace(judged, interval=seen))
    return Judgement(
        gate=gate.id,
        kind=gate.demand.kind,
        role=gate.role,
        scope=gate.scope,
        arm=gate.population.arm,
        cell=gate.population.cell,
        state=judged.state.value,
        reason=judged.reason.value,
        rule=rule_text(gate),
        unit=unit,
        limit=None if demand is None else number_text(finite(demand.limit)),
        observed=None if seen is None else interval_shape(seen),
        margin=None if margin is None else number_text(margin),
        counts=counts_of(units),
        observations=[_observation(each) for each in units],
        domain=interval_shape(_domain(gate)) if inexact else UNSET,
        required=UNSET if scored.required is None else scored.required,
        reviews=UNSET if scored.reviews is None else list(scored.reviews),
        inference=scored.inference,
        envelope=_envelope(gate, scored.envelope),
    )


def _envelope(gate: AnyGate, envelope: ObservedEnvelope | None) -> EnvelopeOf | UnsetType:
    if envelope is None or not isinstance(gate, EnvelopeGate):
        return UNSET
    return EnvelopeOf(
        reference_least=interval_shape(envelope.reference_least),
        reference_greatest=interval_shape(envelope.reference_greatest),
        candidate_least=interval_shape(envelope.candidate_least),
        candidate_greatest=interval_shape(envelope.candidate_greatest),
        spread=interval_shape(envelope.spread),
        max_spread=number_text(finite(gate.max_spread)),
    )


def counts_of(units: Sequence[Unit]) -> UnitCount:
    """Return the denominator: every planned unit is exact, bounded or unknown."""
    bases = Counter(unit.observed.basis for unit in units)
    return UnitCount(
        planned=len(units),
        exact=bases[Basis.EXACT],
        bounded=bases[Basis.CENSORED] + bases[Basis.BOUNDED],
        unknown=bases[Basis.UNKNOWN],
    )


def _numbers(
    gate: AnyGate, judged: Judged, units: Sequence[Unit]
) -> tuple[str | None, Demand | None, Interval | None]:
    """Return the unit, the demand in it, and the statistic in it, where numbers say something."""
    if isinstance(gate, ResultGate):
        return None, None, None
    match gate:
        case IdentityGate() | AssayGate():
            return None, None, None
        case CanaryGate():
            delay = replace(gate.demand, op=gate.op, limit=_ZERO)
            return "us", delay, _shown(delay, judged, units, ANYTHING)
        case ParityGate():
            apart = replace(gate.demand, op="<=", limit=gate.margin)
            return gate.metric.unit, apart, _shown(apart, judged, units, _DISTANCE)
        case CompletenessGate() | ContentionGate() | ReviewGate():
            return "1", gate.demand, judged.interval
        case EnvelopeGate():
            return "1", replace(gate.demand, op="<="), judged.interval
        case FairnessGate():
            unit = gate.metric.unit if gate.ratio is None else "1"
            return unit, gate.demand, judged.interval
        case _:
            return gate.metric.unit, gate.demand, judged.interval


_ZERO: Final = Fraction(0)
_DISTANCE: Final = whole(Domain(_ZERO, None))


def _shown(
    demand: Demand, judged: Judged, units: Sequence[Unit], anything: Interval
) -> Interval | None:
    """Return the statistic of what units show; what is contradicted counts for a FAIL alone."""
    trusting = judged.state is State.FAIL
    shown = [
        each.shown
        if each.shown is not None
        and (trusting or each.absence is None or not each.absence.counts_against)
        else anything
        for each in (unit.observed for unit in units)
    ]
    return statistic_of(demand, shown) if shown else None


def _domain(gate: AnyGate) -> Interval:
    """Return what a unit can be of which nothing is known, as the gate's units are shown."""
    match gate:
        case CanaryGate():
            return ANYTHING
        case ParityGate():
            return _DISTANCE
        case _:
            return whole(gate.demand.domain)


_ABSENCE: Final[Mapping[Absence, AbsenceName]] = {
    Absence.NOT_STARTED: "not_started",
    Absence.CAPTURE_MISSING: "capture_missing",
    Absence.UNSCORABLE: "unscorable",
    Absence.ABANDONED: "abandoned",
    Absence.CONFLICT: "conflict",
    Absence.DOUBTED: "doubted",
    Absence.NO_GATE: "no_gate",
}


def _observation(unit: Unit) -> Observation:
    observed = unit.observed
    interval = observed.shown or observed.interval
    return Observation(
        slot=unit.slot,
        stream_role=None if unit.stream is None else unit.stream.role,
        lane=None if unit.stream is None else unit.stream.lane,
        interval=None if interval is None else interval_shape(interval),
        basis=observed.basis.value,
        absence=UNSET if observed.absence is None else _ABSENCE[observed.absence],
        why=UNSET if unit.why is None else unit.why.value,
        told=UNSET if unit.told is None else unit.told,
    )
