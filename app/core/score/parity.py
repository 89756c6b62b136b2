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
from app.core.score.interval import INFINITY, Interval, Truth, finite, point
from app.core.score.number import interval_shape
from app.core.score.observe import Evidence, Unit, observe
from app.core.score.observed import Basis, Observed, absent, unknown, zero_or_one
from app.core.score.scope import Place
from app.core.statement.interval import Interval as IntervalShape
from app.core.statement.protocol_document import ProtocolDocument
from app.core.statement.tally import PairTally, Told


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
        _unit(gate, each, against, failed=against.slot in failed)
        for each, against in zip(own, other, strict=True)
    )


def _unit(gate: ParityGate, own: Unit, against: Unit, *, failed: bool) -> Unit:
    other = _of_other(against.observed, failed=failed)
    seen = _compared(own.observed, other, gate.margin)
    numbers = (own.observed.interval, other.interval)
    why = None
    if seen.basis is Basis.UNKNOWN:
        whose = own.why if numbers[0] is None else other.why or against.why
        why = Reason.RESOLUTION_UNDECIDED if None not in numbers else whose
    pair = PairTally(own=_shape(numbers[0]), against=against.slot, other=_shape(numbers[1]))
    return Unit(own.slot, own.stream, seen, Told(pair=pair), why)


def _shape(interval: Interval | None) -> IntervalShape | None:
    return None if interval is None else interval_shape(interval)


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
        return structs.replace(zero_or_one(value=False), shown=Interval(INFINITY, INFINITY))
    apart = own.interval.minus(other.interval)
    truth = apart.compared("<=", finite(margin)).both(apart.compared(">=", finite(-margin)))
    seen = unknown() if truth is Truth.OPEN else zero_or_one(value=truth is Truth.TRUE)
    return structs.replace(seen, shown=_distance(apart))


def _distance(apart: Interval) -> Interval:
    """Return how far apart two numbers are, whichever is greater."""
    zero = point(0)
    back = zero.minus(apart)
    if apart.lo >= zero.lo:
        return apart
    if back.lo >= zero.lo:
        return back
    far = max(apart, back, key=lambda each: each.high_key)
    return Interval(zero.lo, far.hi, hi_open=far.hi_open)


def _is_no_number(interval: Interval) -> bool:
    return interval.lo == interval.hi and interval.lo.rank != 0
