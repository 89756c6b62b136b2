# SPDX-License-Identifier: Apache-2.0
"""Gates about cells that contend, over the slots of a study: envelopes, and contention itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from msgspec import structs

from app.core.identity import ArmId
from app.core.protocol.gate import ContentionGate, EnvelopeGate
from app.core.score.boot_ratio import boot_ratios
from app.core.score.decide import Judged, judge
from app.core.score.envelope import judge_envelope
from app.core.score.interval import Interval
from app.core.score.judge_claim import Claims
from app.core.score.observe import Unit, observe
from app.core.score.required import Counted, required_of
from app.core.score.sample import Sample
from app.core.score.scored import Scored


def contended_units(
    gate: EnvelopeGate | ContentionGate, claims: Claims
) -> tuple[tuple[Unit, ...], ...]:
    """Return all planned units, of every arm that the gate reads."""
    match gate:
        case EnvelopeGate():
            return tuple(_units(gate, claims, arm) for arm in (gate.population.arm, *gate.vs))
        case ContentionGate():
            return (_ratios(gate, claims),)


def judge_contended(gate: EnvelopeGate | ContentionGate, claims: Claims) -> Scored:
    """Return the gate and what it says; an assay's state is not yet what it makes of others."""
    arms = contended_units(gate, claims)
    match gate:
        case EnvelopeGate():
            return _enveloped(gate, arms, claims)
        case ContentionGate():
            (units,) = arms
            observed = [unit.observed for unit in units]
            cap = next(iter(claims.caps), None)
            judged = judge(gate.demand, observed, cap=cap)
            counted = [Counted(gate.population.arm, units)]
            return Scored(
                gate, units, judged, required=required_of(gate.demand.required_n, counted)
            )


def _enveloped(gate: EnvelopeGate, arms: Sequence[tuple[Unit, ...]], claims: Claims) -> Scored:
    candidate, first, back = (
        Sample(tuple(unit.observed for unit in each), gate.demand.domain) for each in arms
    )
    required = gate.demand.required_n or len(candidate.units)
    found = judge_envelope(gate, candidate, (first, back), required_n=required, caps=claims.caps)
    units = tuple(unit for each in arms for unit in each)
    adverse: Interval = found.envelope.adverse
    judged = Judged(found.state, found.reason, adverse)
    names = (gate.population.arm, *gate.vs)
    counted = [Counted(arm, each) for arm, each in zip(names, arms, strict=True)]
    return Scored(
        gate, units, judged, envelope=found.envelope, required=required_of(required, counted)
    )


def _units(gate: EnvelopeGate | ContentionGate, claims: Claims, arm: ArmId) -> tuple[Unit, ...]:
    evidence = claims.evidence.get((arm, gate.population.cell), ())
    return observe(gate, evidence, document=claims.document)


def _ratios(gate: ContentionGate, claims: Claims) -> tuple[Unit, ...]:
    """Return the contended cell's slots as ratios to the solo cell's, in one boot."""
    arm = gate.population.arm
    solo = structs.replace(gate.population, cell=gate.against_cell)
    top = claims.evidence.get((arm, gate.population.cell), ())
    bottom = claims.evidence.get((arm, gate.against_cell), ())
    below = observe(replace(gate, population=solo), bottom, document=claims.document)
    return boot_ratios(
        tuple(zip(top, _units(gate, claims, arm), strict=True)),
        tuple(zip(bottom, below, strict=True)),
        domain=gate.demand.domain,
    )
