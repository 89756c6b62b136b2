# SPDX-License-Identifier: Apache-2.0
"""What one receipt makes of its attempt: state, fault and reasons, by SCORING.md B1.

The order decides who may hide behind whom: INVALID by identity, FAILED, WARMUP_FAILED, other
INVALID, PARTIAL, COMPLETE. So a harness's own trouble never covers a failure of the server that
the same capture establishes. Conflicts between receipts are seen from above, in the slot.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from app.core.protocol.plan import PlannedSlot, cell_of
from app.core.reason import Reason
from app.core.receipt.clock import contradicts_log, is_before_lock, is_disordered
from app.core.receipt.faults import Fault, stream_fault
from app.core.receipt.identity_check import identity_reasons
from app.core.receipt.preconditions import demands_sending, is_broken, is_early, unsent
from app.core.receipt.streams import (
    are_planned,
    has_measured,
    is_complete,
    is_of_size,
    is_short,
    measured,
    of_plan,
    plan_of,
    succeeded,
    warmup,
)
from app.core.receipt.times import Times
from app.core.receipt.topology import topology_reasons
from app.core.statement.capture import StreamsCapture
from app.core.statement.protocol_document import Cell, ProtocolDocument
from app.core.statement.receipt import ReceiptPredicate
from app.core.statement.study import StudyPredicate

FilledState = Literal["COMPLETE", "PARTIAL", "FAILED", "INVALID", "WARMUP_FAILED"]

_BY_FAULT: dict[Fault, Reason] = {
    "harness": Reason.HARNESS_FAULT,
    "environment": Reason.ENVIRONMENT_FAULT,
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an attempt came to.

    Attributes:
        state: the slot's state if this attempt is the one that counts.
        fault: whose fault a bad state is; None where nothing went wrong.
        reasons: at least one, the deciding one first.
        measured: whether the measured phase started.
        retryable: a locked retry code fits and no response had succeeded.
    """

    state: FilledState
    fault: Fault | None
    reasons: tuple[Reason, ...]
    measured: bool
    retryable: bool = False


SEALED_OUTCOME = Outcome("PARTIAL", "unknown", (Reason.UNFINISHED_STREAM,), measured=False)
"""Stands for a receipt whose capture this reader may not or cannot read."""


def outcome_of(  # noqa: PLR0913  each argument is another statement's word
    receipt: ReceiptPredicate,
    capture: StreamsCapture,
    *,
    document: ProtocolDocument,
    study: StudyPredicate,
    slot: PlannedSlot,
    times: Times | None = None,
) -> Outcome:
    """Return what this receipt makes of ``slot``.

    Args:
        receipt: the signed statement's predicate.
        capture: the facts.
        document: the locked protocol.
        study: the pins.
        slot: the planned slot it fills.
        times: log times around it; None: client instants are not looked at. In a replay they are
            display only and never looked at.
    """
    cell = cell_of(document, slot.cell)
    watched = None if study.replay is not None else times
    started = has_measured(capture)
    faults = _faults(capture, cell, document)
    identity = _identity(receipt, document, study, slot, watched)
    if "identity" in faults:
        identity = (*identity, Reason.IDENTITY_MISMATCH)
    if identity:
        return Outcome("INVALID", "identity", identity, started)
    failures = _failures(capture, cell, faults)
    if failures:
        return Outcome("FAILED", "sut", failures, started)
    if not started:
        return _never_measured(capture, faults, document)
    doubts = _doubts(receipt, capture, cell, document, watched)
    if study.replay is None and any(is_early(planned, capture) for planned in cell.streams):
        doubts = tuple(dict.fromkeys((*doubts, Reason.STREAMS_NOT_AS_PLANNED)))
    blamed = tuple(reason for fault, reason in _BY_FAULT.items() if fault in faults)
    if doubts or blamed:
        only_environment = not doubts and "harness" not in faults
        fault: Fault = "environment" if only_environment else "harness"
        return Outcome("INVALID", fault, doubts + blamed, started)
    if not all(is_complete(stream, plan_of(stream, cell)) for stream in measured(capture)):
        return Outcome("PARTIAL", "unknown", (Reason.UNFINISHED_STREAM,), started)
    return Outcome("COMPLETE", None, (Reason.ALL_STREAMS_COMPLETE,), started)


def _faults(capture: StreamsCapture, cell: Cell, document: ProtocolDocument) -> tuple[Fault, ...]:
    found = (
        stream_fault(stream, capture, cell=cell, table=document.fault_table)
        for stream in capture.streams
    )
    return tuple(fault for fault in found if fault is not None)


def _identity(
    receipt: ReceiptPredicate,
    document: ProtocolDocument,
    study: StudyPredicate,
    slot: PlannedSlot,
    times: Times | None,
) -> tuple[Reason, ...]:
    reasons = [
        *identity_reasons(receipt, document=document, study=study, arm=slot.arm),
        *topology_reasons(receipt.topology, study=study, arm=slot.arm),
    ]
    if times is not None and is_before_lock(receipt, times):
        reasons.append(Reason.ACQUIRED_BEFORE_LOCK)
    return tuple(dict.fromkeys(reasons))


def _failures(capture: StreamsCapture, cell: Cell, faults: tuple[Fault, ...]) -> tuple[Reason, ...]:
    """Return what the capture establishes against the server."""
    reasons = []
    streams = measured(capture)
    if any(unsent(planned, capture, cell) == "event_never_came" for planned in cell.streams):
        reasons.append(Reason.EVENT_NEVER_CAME)
    if "sut" in faults:
        reasons.append(Reason.SERVER_FAULT)
    pairs = ((of_plan(streams, planned), planned) for planned in cell.streams)
    if any(stream is not None and is_short(stream, planned) for stream, planned in pairs):
        reasons.append(Reason.SHORT_OUTPUT)
    return tuple(reasons)


def _never_measured(
    capture: StreamsCapture, faults: tuple[Fault, ...], document: ProtocolDocument
) -> Outcome:
    fault: Fault = next((f for f in _BY_FAULT if f in faults), "unknown")
    failed = capture.phases.warmup == "failed" or not all(map(is_complete, warmup(capture)))
    reasons = [Reason.WARMUP_NOT_COMPLETED if failed else Reason.NOT_STARTED]
    if fault in _BY_FAULT:
        reasons.append(_BY_FAULT[fault])
    retryable = _is_retryable(capture, document)
    return Outcome("WARMUP_FAILED", fault, tuple(reasons), measured=False, retryable=retryable)


def _is_retryable(capture: StreamsCapture, document: ProtocolDocument) -> bool:
    """Tell whether every failed warm-up request has a locked code and no response had succeeded."""
    if document.retry.max_per_slot == 0 or any(map(succeeded, capture.streams)):
        return False
    listed = {code.http_status for code in document.retry.only}
    failed = [stream for stream in warmup(capture) if not is_complete(stream)]
    return bool(failed) and all(stream.http_status in listed for stream in failed)


def _is_as_planned(capture: StreamsCapture, cell: Cell) -> bool:
    """Tell whether the locked load ran: every stream, no other, each with its prompt's length."""
    pairs = ((of_plan(measured(capture), planned), planned) for planned in cell.streams)
    sizes = [is_of_size(stream, planned) for stream, planned in pairs if stream is not None]
    return are_planned(capture, cell) and all(sizes)


def _doubts(
    receipt: ReceiptPredicate,
    capture: StreamsCapture,
    cell: Cell,
    document: ProtocolDocument,
    times: Times | None,
) -> tuple[Reason, ...]:
    """Return why a measured capture is no evidence about the server, faults aside."""
    held_back = [p.role for p in cell.streams if unsent(p, capture, cell) == "not_sent"]
    demanded = any(demands_sending(cell, role) for role in held_back)
    broken = any(is_broken(p, measured(capture)) for p in cell.preconditions)
    contradicted = times is not None and contradicts_log(receipt, times)
    warm = cell.warmup is None or cell.warmup.requests == 0 or _is_warm(capture)
    found = {
        Reason.STREAMS_NOT_AS_PLANNED: (
            not _is_as_planned(capture, cell) or (bool(held_back) and not demanded)
        ),
        Reason.CLOCK: is_disordered(capture) or contradicted,
        Reason.CHALLENGE_NOT_USED: receipt.binding not in document.binding,
        Reason.PRECONDITION_NOT_MET: demanded or broken,
        Reason.WARMUP_NOT_COMPLETED: not warm,
    }
    return tuple(reason for reason, is_so in found.items() if is_so)


def _is_warm(capture: StreamsCapture) -> bool:
    return capture.phases.warmup == "complete" and all(map(is_complete, warmup(capture)))
