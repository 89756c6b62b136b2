# SPDX-License-Identifier: Apache-2.0
"""What one receipt makes of its attempt: state, fault and reasons, by SCORING.md B1.

The order decides who may hide behind whom: INVALID by identity, FAILED, WARMUP_FAILED, other
INVALID, PARTIAL, COMPLETE. So a harness's own trouble never covers a failure of the server that
the same capture establishes. What a capture says is found by the rules of its kind, one file each;
the order is one for all. Conflicts between receipts are seen from above, in the slot.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from app.core.protocol.plan import PlannedSlot, cell_of
from app.core.reason import Reason
from app.core.receipt.clock import contradicts_log, is_before_lock
from app.core.receipt.components import client_timeout_us
from app.core.receipt.faults import Fault
from app.core.receipt.found import Found
from app.core.receipt.identity_check import identity_reasons
from app.core.receipt.outcome_checks import found_in_checks
from app.core.receipt.outcome_claim import found_in_claim
from app.core.receipt.outcome_jobs import found_in_jobs
from app.core.receipt.outcome_streams import found_in_streams
from app.core.receipt.times import Times
from app.core.receipt.topology import topology_reasons
from app.core.statement.capture import (
    Capture,
    ChecksCapture,
    ClaimCapture,
    JobsCapture,
    StreamsCapture,
)
from app.core.statement.protocol_document import (
    ChecksCell,
    ClaimCell,
    JobsCell,
    ProtocolDocument,
    StreamsCell,
)
from app.core.statement.receipt import ReceiptPredicate
from app.core.statement.study import StudyPredicate

FilledState = Literal["COMPLETE", "PARTIAL", "FAILED", "INVALID", "WARMUP_FAILED"]

_BY_FAULT: dict[Fault, Reason] = {
    "harness": Reason.HARNESS_FAULT,
    "environment": Reason.ENVIRONMENT_FAULT,
}


class Outcome(msgspec.Struct, frozen=True, gc=False):
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
    capture: Capture,
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
    watched = None if study.replay is not None else times
    found = _found(receipt, capture, document, study, slot)
    identity = (*_identity(receipt, document, study, slot, watched), *found.identity)
    if "identity" in found.faults:
        identity = (*identity, Reason.IDENTITY_MISMATCH)
    if identity:
        return Outcome("INVALID", "identity", identity, found.started)
    if found.failures:
        return Outcome("FAILED", "sut", found.failures, found.started)
    if not found.started:
        return _never_measured(found)
    doubts = _doubts(receipt, found, document, watched)
    blamed = tuple(reason for fault, reason in _BY_FAULT.items() if fault in found.faults)
    if doubts or blamed:
        only_environment = not doubts and "harness" not in found.faults
        fault: Fault = "environment" if only_environment else "harness"
        return Outcome("INVALID", fault, doubts + blamed, found.started)
    if found.unfinished is not None:
        return Outcome("PARTIAL", "unknown", (found.unfinished,), found.started)
    return Outcome("COMPLETE", None, (found.complete,), found.started)


def _found(
    receipt: ReceiptPredicate,
    capture: Capture,
    document: ProtocolDocument,
    study: StudyPredicate,
    slot: PlannedSlot,
) -> Found:
    match capture, cell_of(document, slot.cell):
        case StreamsCapture(), StreamsCell() as cell:
            return found_in_streams(
                capture,
                cell,
                document=document,
                replay=study.replay is not None,
                timeout_us=client_timeout_us(receipt.identities.components),
            )
        case ChecksCapture(), ChecksCell() as cell:
            return found_in_checks(capture, cell, document=document)
        case JobsCapture(), JobsCell() as cell:
            return found_in_jobs(capture, cell, document=document)
        case ClaimCapture(), ClaimCell() as cell:
            return found_in_claim(capture, cell, document=document)
        case _:
            reason = Reason.CAPTURE_OF_OTHER_KIND
            return Found(complete=reason, doubts=(reason,))


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


def _never_measured(found: Found) -> Outcome:
    fault: Fault = next((f for f in _BY_FAULT if f in found.faults), "unknown")
    reasons = [found.not_started]
    if fault in _BY_FAULT:
        reasons.append(_BY_FAULT[fault])
    retryable = found.retryable
    return Outcome("WARMUP_FAILED", fault, tuple(reasons), measured=False, retryable=retryable)


def _doubts(
    receipt: ReceiptPredicate, found: Found, document: ProtocolDocument, times: Times | None
) -> tuple[Reason, ...]:
    """Return why a measured capture is no evidence about the server, faults aside."""
    reasons = list(found.doubts)
    if times is not None and contradicts_log(receipt, times):
        reasons.append(Reason.CLOCK)
    if receipt.binding not in document.binding:
        reasons.append(Reason.CHALLENGE_NOT_USED)
    return tuple(dict.fromkeys(reasons))
