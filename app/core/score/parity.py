# SPDX-License-Identifier: Apache-2.0
"""Whether a number of one arm equals that of another, repetition by repetition (SCORING.md B5.7).

A number that is none equals nothing, and so does one that the arm's own server failed to give. One
that was not recorded on either side, or that the other arm's server failed to give, is unknown: it
says nothing of this arm.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from msgspec import structs

from app.core.identity import ArmId
from app.core.protocol.gate import BoundGate, Demand, ParityGate
from app.core.protocol.gate_given import domain_of
from app.core.reason import Reason
from app.core.score.interval import Interval, Truth, finite
from app.core.score.observe import Evidence, Unit, observe
from app.core.score.observed import Observed, absent, unknown, zero_or_one
from app.core.score.scope import Place
from app.core.statement.protocol_document import ProtocolDocument


def parity_units(
    gate: ParityGate,
    evidence: Mapping[Place, Sequence[Evidence]],
    *,
    document: ProtocolDocument,
) -> tuple[Unit, ...]:
    """Return every planned unit of the gate's own arm, and whether it equals the other arm's."""
    own = _numbers(gate, gate.population.arm, evidence, document)
    other = _numbers(gate, gate.vs, evidence, document)
    slots = [each.slot for each in evidence.get((gate.vs, gate.population.cell), ())]
    failed = {slot.planned.id for slot in slots if slot.state == "FAILED"}
    return tuple(
        Unit(each.slot, each.stream, _compared(each.observed, seen, gate.margin))
        for each, against in zip(own, other, strict=True)
        for seen in (_of_other(against.observed, failed=against.slot in failed),)
    )


def _of_other(observed: Observed, *, failed: bool) -> Observed:
    """Return what the other arm shows, or that it shows nothing."""
    lost = failed and observed.interval is not None and _is_no_number(observed.interval)
    return unknown(Reason.CONTROL_MISSING) if lost or observed.absence is not None else observed


def _numbers(
    gate: ParityGate,
    arm: ArmId,
    evidence: Mapping[Place, Sequence[Evidence]],
    document: ProtocolDocument,
) -> tuple[Unit, ...]:
    population = structs.replace(gate.population, arm=arm)
    read = BoundGate(
        gate.id,
        gate.role,
        gate.scope,
        population,
        Demand("equality", "all", "==", Fraction(0), domain_of(gate.metric)),
        gate.metric,
        gate.slot_summary,
        gate.slot_k,
    )
    return observe(read, evidence.get((arm, population.cell), ()), document=document)


def _compared(own: Observed, other: Observed, margin: Fraction) -> Observed:
    if own.absence is not None:
        return absent(own.absence, own.why)
    if own.interval is None or other.interval is None:
        return unknown(other.why)
    if _is_no_number(own.interval) or _is_no_number(other.interval):
        return zero_or_one(value=False)
    apart = own.interval.minus(other.interval)
    truth = apart.compared("<=", finite(margin)).both(apart.compared(">=", finite(-margin)))
    return unknown() if truth is Truth.OPEN else zero_or_one(value=truth is Truth.TRUE)


def _is_no_number(interval: Interval) -> bool:
    return interval.lo == interval.hi and interval.lo.rank != 0
