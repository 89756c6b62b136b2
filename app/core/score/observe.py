# SPDX-License-Identifier: Apache-2.0
"""From the slots of a gate's population to its units: one observation for every planned one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import msgspec

from app.core.identity import SlotId
from app.core.protocol.cells import streams_of
from app.core.protocol.gate import (
    BoundGate,
    CanaryGate,
    ClaimGate,
    ComparisonGate,
    CompletenessGate,
    ContentionGate,
    DriftGate,
    EnvelopeGate,
    FairnessGate,
    IdentityGate,
    IntegrityGate,
    ProgressGate,
    ResultGate,
    SampleGate,
    ShareGate,
)
from app.core.protocol.metrics import source_kind
from app.core.protocol.plan import cell_of
from app.core.reason import Reason
from app.core.score.canary import answers_of, observe_canary, together
from app.core.score.identity import observe_identity
from app.core.score.interval import Truth, point
from app.core.score.measure import answer_of, complete, event_time
from app.core.score.observe_number import (
    NumberGate,
    chosen_of,
    folded_of,
    lanes_of,
    measured,
    of_slot,
)
from app.core.score.observed import Absence, Basis, Observed, absent, conflicting, unknown
from app.core.score.reading import (
    NOTHING_CAPTURED,
    Reading,
    after_event,
    all_failed,
    readings_of,
)
from app.core.score.results import observe_result, told_of
from app.core.score.scored_slot import ScoredSlot
from app.core.score.why import why_of
from app.core.score.worst import no_number
from app.core.statement.capture import Capture
from app.core.statement.protocol_document import Cell, PlannedStream, ProtocolDocument
from app.core.statement.tally import Told

_OfStreams = CanaryGate | CompletenessGate
_CapturedGate = CanaryGate | CompletenessGate | IntegrityGate | FairnessGate | NumberGate
AnyObserved = SampleGate | ClaimGate | EnvelopeGate | ContentionGate
"""Every gate that has units of its own."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """A slot with its captures read, each stream beside its plan.

    Attributes:
        captures: of the slot; one without any fact for a server that failed before measuring.
        readings: one tuple for every capture.
        broken: an integrity gate found another server in it.
    """

    slot: ScoredSlot
    captures: tuple[Capture, ...]
    readings: tuple[tuple[Reading, ...], ...]
    cell: Cell
    broken: bool = False


class Unit(msgspec.Struct, frozen=True, gc=False):
    """One planned unit of a gate and what it contributes.

    Attributes:
        stream: the planned stream, where the unit is one.
        told: what a judgement repeats of the captures; None: nothing.
        why: what makes it unknown, or false in spite of its interval; decides nothing.
    """

    slot: SlotId
    stream: PlannedStream | None
    observed: Observed
    told: Told | None = None
    why: Reason | None = None


def evidence_of(document: ProtocolDocument, slot: ScoredSlot) -> Evidence:
    """Return ``slot`` with its captures read."""
    cell = cell_of(document, slot.planned.cell)
    if slot.state == "FAILED" and not slot.captures:
        return Evidence(slot, (NOTHING_CAPTURED,), (all_failed(cell),), cell)
    waits = slot.timeouts_us or (None,) * len(slot.captures)
    readings = tuple(
        readings_of(document, cell, capture, timeout_us=timeout)
        for capture, timeout in zip(slot.captures, waits, strict=True)
    )
    return Evidence(slot, slot.captures, readings, cell)


def since(evidence: Evidence, at_us: int) -> Evidence:
    """Return the evidence of a slot whose server was not the same from ``at_us`` on."""
    readings = tuple(tuple(after_event(one, at_us) for one in each) for each in evidence.readings)
    return replace(evidence, readings=readings, broken=True)


def observe(
    gate: AnyObserved, evidence: Sequence[Evidence], *, document: ProtocolDocument
) -> tuple[Unit, ...]:
    """Return every planned unit of ``gate``; ``evidence`` is of all slots of its arm and cell."""
    streams = _streams_of(gate, cell_of(document, gate.population.cell))
    return tuple(_unit(gate, each, stream) for each in evidence for stream in streams)


def _unit(gate: AnyObserved, evidence: Evidence, stream: PlannedStream | None) -> Unit:
    slot, seen = evidence.slot, _seen(gate, evidence, stream)
    told, why = _told(gate, evidence), seen.why
    if seen.basis is not Basis.EXACT:
        readings = evidence.readings[0] if evidence.readings else ()
        role = "any" if isinstance(gate, CanaryGate) else gate.population.stream_role
        read = chosen_of(readings, role, stream)
        why = why_of(seen, read, broken=evidence.broken)
    elif slot.state == "FAILED" and isinstance(gate, ResultGate) and seen.interval == point(0):
        why = slot.why
    return Unit(slot.planned.id, stream, seen, told, why)


def _streams_of(gate: AnyObserved, cell: Cell) -> tuple[PlannedStream | None, ...]:
    """Return the planned streams that are the units of a slot; one None: the slot is the unit."""
    compared = isinstance(gate, FairnessGate) and gate.ratio is not None
    if compared or gate.population.unit not in ("stream", "lane"):
        return (None,)
    role = gate.population.stream_role
    return tuple(each for each in streams_of(cell) if role in ("any", each.role))


def _seen(gate: AnyObserved, evidence: Evidence, stream: PlannedStream | None) -> Observed:
    slot = evidence.slot
    if isinstance(gate, IdentityGate):
        return observe_identity(gate, slot)
    match slot.absence:
        case None:
            return _of_capture(gate, evidence, 0, stream)
        case Absence.CONFLICT | Absence.DOUBTED:
            count = range(len(evidence.captures))
            each = (_of_capture(gate, evidence, index, stream) for index in count)
            return conflicting(each, slot.absence)
        case absence:
            return absent(absence, slot.why)


def _told(gate: AnyObserved, evidence: Evidence) -> Told | None:
    """Return what the captures tell beside the unit's interval."""
    if isinstance(gate, ResultGate) and evidence.slot.absence is None:
        return told_of(gate, evidence.captures[0], evidence.cell)
    if not isinstance(gate, CanaryGate) or not gate.answer:
        return None
    role = gate.left.stream_role
    lefts = (each for one in evidence.readings for each in chosen_of(one, role, None))
    answers = answers_of(lefts)
    return Told(answers=answers) if answers else None


def _of_capture(
    gate: _CapturedGate | ResultGate,
    evidence: Evidence,
    index: int,
    stream: PlannedStream | None,
) -> Observed:
    """Return what one capture of a slot says."""
    capture, readings = evidence.captures[index], evidence.readings[index]
    if isinstance(gate, ResultGate):
        failed = evidence.slot.state == "FAILED"
        cell, broken = evidence.cell, evidence.broken
        return observe_result(gate, capture, cell, failed=failed, broken=broken)
    if isinstance(gate, _OfStreams) or source_kind(gate.metric) == "stream":
        return _unit_of(gate, capture, readings, stream) if readings else unknown()
    if evidence.broken and not isinstance(gate, IntegrityGate):
        # What was read of the whole slot was read of more than one server.
        return unknown()
    seen = _unit_of(gate, capture, readings, stream)
    return seen if seen.interval is not None else _unread(gate, evidence.slot)


def _unread(gate: FairnessGate | IntegrityGate | NumberGate, slot: ScoredSlot) -> Observed:
    """Return what a number is that was not read: no number where the server failed to give it."""
    lost = slot.state == "FAILED" and source_kind(gate.metric) == "reported"
    return no_number(gate.demand.op) if lost else unknown()


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
            chosen = chosen_of(readings, gate.population.stream_role, stream)
            each = [complete(reading, gate.accepted_bases) for reading in chosen]
            return folded_of(gate, each, gate.slot_summary, gate.slot_k)
        case FairnessGate():
            return lanes_of(gate, capture, chosen_of(readings, gate.population.stream_role, stream))
        case IntegrityGate():
            return of_slot(gate.metric, capture, readings)
        case (  # pragma: no branch - the last case of a closed union
            BoundGate()
            | ProgressGate()
            | ComparisonGate()
            | ShareGate()
            | DriftGate()
            | EnvelopeGate()
            | ContentionGate()
        ):
            return measured(gate, capture, readings, stream)


def _canary(gate: CanaryGate, readings: Sequence[Reading]) -> Observed:
    lefts = chosen_of(readings, gate.left.stream_role, None)
    rights = chosen_of(readings, gate.right.stream_role, None)
    pairs = [
        observe_canary(
            _event(gate, left, is_left=True),
            _event(gate, right, is_left=False),
            op=gate.op,
            answer=answer_of(left) if gate.answer else Truth.TRUE,
        )
        for left in lefts
        for right in rights
    ]
    return together(pairs, op=gate.op)


def _event(gate: CanaryGate, reading: Reading, *, is_left: bool) -> Observed:
    """Return an event of the rule; where the server failed, the worst for what the rule demands."""
    resolution = Fraction(max(gate.resolution_us, reading.resolution_us))
    event = gate.left.event if is_left else gate.right.event
    late = is_left is (gate.op not in (">", ">="))
    return event_time(reading, event, resolution=resolution, failure_is_late=late)
