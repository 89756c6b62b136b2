# SPDX-License-Identifier: Apache-2.0
"""From the slots of a gate's population to its units: one observation for every planned one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from app.core.identity import SlotId
from app.core.protocol.cells import streams_of
from app.core.protocol.gate import (
    BoundGate,
    CanaryGate,
    ClaimGate,
    ComparisonGate,
    CompletenessGate,
    DriftGate,
    IdentityGate,
    IntegrityGate,
    ProgressGate,
    SampleGate,
    ShareGate,
    SlotSummary,
)
from app.core.protocol.metrics import BY_SLOT, scale_of, source_kind
from app.core.protocol.plan import cell_of
from app.core.score.canary import observe_canary, together
from app.core.score.identity import observe_identity
from app.core.score.interval import Truth, whole
from app.core.score.measure import answer_of, complete, event_time, scaled, stream_metric
from app.core.score.observed import Absence, Basis, Observed, absent, conflicting
from app.core.score.reading import (
    NOTHING_CAPTURED,
    Reading,
    after_event,
    all_failed,
    readings_of,
)
from app.core.score.scored_slot import ScoredSlot
from app.core.score.slot_metric import slot_metric
from app.core.score.statistic import summary_of
from app.core.score.worst import is_failed, worst_for
from app.core.statement.capture import Capture, ClaimCapture
from app.core.statement.gate_record import Metric
from app.core.statement.protocol_document import Cell, PlannedStream, ProtocolDocument

_NumberGate = BoundGate | ProgressGate | ClaimGate
_CapturedGate = CanaryGate | CompletenessGate | IntegrityGate | _NumberGate


@dataclass(frozen=True, slots=True)
class Evidence:
    """A slot with its captures read, each stream beside its plan.

    Attributes:
        captures: of the slot; one without any fact for a server that failed before measuring.
        readings: one tuple for every capture.
    """

    slot: ScoredSlot
    captures: tuple[Capture, ...]
    readings: tuple[tuple[Reading, ...], ...]


@dataclass(frozen=True, slots=True)
class Unit:
    """One planned unit of a gate and what it contributes.

    Attributes:
        stream: the planned stream, where the unit is one.
    """

    slot: SlotId
    stream: PlannedStream | None
    observed: Observed


def evidence_of(document: ProtocolDocument, slot: ScoredSlot) -> Evidence:
    """Return ``slot`` with its captures read."""
    cell = cell_of(document, slot.planned.cell)
    if slot.state == "FAILED" and not slot.captures:
        return Evidence(slot, (NOTHING_CAPTURED,), (all_failed(cell),))
    readings = tuple(readings_of(document, cell, each) for each in slot.captures)
    return Evidence(slot, slot.captures, readings)


def since(evidence: Evidence, at_us: int) -> Evidence:
    """Return the evidence of a slot whose server was not the same from ``at_us`` on."""
    readings = tuple(tuple(after_event(one, at_us) for one in each) for each in evidence.readings)
    return replace(evidence, readings=readings)


def observe(
    gate: SampleGate | ClaimGate, evidence: Sequence[Evidence], *, document: ProtocolDocument
) -> tuple[Unit, ...]:
    """Return every planned unit of ``gate``; ``evidence`` is of all slots of its arm and cell."""
    streams = _streams_of(gate, cell_of(document, gate.population.cell))
    return tuple(
        Unit(each.slot.planned.id, stream, _seen(gate, each, stream))
        for each in evidence
        for stream in streams
    )


def _streams_of(gate: SampleGate | ClaimGate, cell: Cell) -> tuple[PlannedStream | None, ...]:
    """Return the planned streams that are the units of a slot; one None: the slot is the unit."""
    if gate.population.unit != "stream":
        return (None,)
    role = gate.population.stream_role
    return tuple(each for each in streams_of(cell) if role in ("any", each.role))


def _seen(
    gate: SampleGate | ClaimGate, evidence: Evidence, stream: PlannedStream | None
) -> Observed:
    slot = evidence.slot
    if isinstance(gate, IdentityGate):
        return observe_identity(gate, slot)
    read = zip(evidence.captures, evidence.readings, strict=True)
    each = (_unit_of(gate, capture, readings, stream) for capture, readings in read)
    match slot.absence:
        case None:
            return next(each)
        case Absence.CONFLICT | Absence.DOUBTED:
            return conflicting(each, slot.absence)
        case absence:
            return absent(absence, slot.why)


def _unit_of(
    gate: _CapturedGate,
    capture: Capture,
    readings: Sequence[Reading],
    stream: PlannedStream | None,
) -> Observed:
    match gate:
        case CanaryGate():
            return _canary(gate, readings)
        case CompletenessGate():
            chosen = _chosen(readings, gate.population.stream_role, stream)
            each = [complete(reading, gate.accepted_bases) for reading in chosen]
            return _folded(gate, each, gate.slot_summary, gate.slot_k)
        case BoundGate() | ProgressGate() | ComparisonGate() | ShareGate() | DriftGate():
            return _measured(gate, capture, readings, stream)
        case IntegrityGate():
            return _of_slot(gate.metric, capture, readings)


def _measured(
    gate: _NumberGate,
    capture: Capture,
    readings: Sequence[Reading],
    stream: PlannedStream | None,
) -> Observed:
    metric, factor = gate.metric, scale_of(gate.metric)
    chosen = _chosen(readings, gate.population.stream_role, stream)
    failed = [is_failed(metric, reading) for reading in chosen]
    if metric.name in BY_SLOT or source_kind(metric) != "stream":
        # Less work done is a lower rate, which is worse already where at least something is wanted.
        favoured = any(failed) and gate.demand.op not in (">", ">=")
        return worst_for(gate.demand.op) if favoured else _of_slot(metric, capture, chosen)
    resolution = _resolution(metric, capture, factor)
    each = [
        worst_for(gate.demand.op)
        if has_failed
        else scaled(stream_metric(metric, reading, resolution=resolution), factor)
        for reading, has_failed in zip(chosen, failed, strict=True)
    ]
    return _folded(gate, each, gate.slot_summary, gate.slot_k)


def _of_slot(metric: Metric, capture: Capture, readings: Sequence[Reading]) -> Observed:
    return scaled(slot_metric(metric, capture, readings), scale_of(metric))


def _resolution(metric: Metric, capture: Capture, factor: Fraction) -> Fraction:
    declared = Fraction(metric.resolution) / factor if metric.resolution else Fraction(0)
    read = 0 if isinstance(capture, ClaimCapture) else capture.clock.resolution_us
    return max(declared, Fraction(read))


def _canary(gate: CanaryGate, readings: Sequence[Reading]) -> Observed:
    lefts = _chosen(readings, gate.left.stream_role, None)
    rights = _chosen(readings, gate.right.stream_role, None)
    return together(
        observe_canary(
            _event(gate, left, is_left=True),
            _event(gate, right, is_left=False),
            op=gate.op,
            answer=answer_of(left) if gate.answer else Truth.TRUE,
        )
        for left in lefts
        for right in rights
    )


def _event(gate: CanaryGate, reading: Reading, *, is_left: bool) -> Observed:
    """Return an event of the rule; where the server failed, the worst for what the rule demands."""
    resolution = Fraction(max(gate.resolution_us, reading.resolution_us))
    event = gate.left.event if is_left else gate.right.event
    late = is_left is (gate.op not in (">", ">="))
    return event_time(reading, event, resolution=resolution, failure_is_late=late)


def _chosen(
    readings: Sequence[Reading], role: str, stream: PlannedStream | None
) -> tuple[Reading, ...]:
    if stream is not None:
        return tuple(each for each in readings if each.planned == stream)
    return tuple(each for each in readings if role in ("any", each.planned.role))


def _folded(
    gate: _NumberGate | CompletenessGate,
    observations: Iterable[Observed],
    summary: SlotSummary,
    k: int | None,
) -> Observed:
    each = tuple(observations)
    if len(each) == 1:
        return each[0]
    domain = gate.demand.domain
    intervals = [
        whole(domain) if one.interval is None else one.interval.within(domain) for one in each
    ]
    higher_is_worse = gate.demand.op in ("<", "<=", "==")
    folded = summary_of(summary, k, intervals, higher_is_worse=higher_is_worse)
    return Observed(folded, _least_known(one.basis for one in each))


def _least_known(bases: Iterable[Basis]) -> Basis:
    order = (Basis.UNKNOWN, Basis.CENSORED, Basis.BOUNDED, Basis.EXACT)
    return min(bases, key=order.index)
