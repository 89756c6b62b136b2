# SPDX-License-Identifier: Apache-2.0
"""What one receipt makes of its attempt: state, fault and reasons, by SCORING.md B1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from app.core.protocol.plan import PlannedSlot
from app.core.reason import Reason
from app.core.statement.capture import StreamsCapture
from app.core.statement.protocol_document import ProtocolDocument
from app.core.statement.receipt import ReceiptPredicate
from app.core.statement.study import StudyPredicate

Fault = Literal["sut", "harness", "environment", "identity", "unknown"]
FilledState = Literal["COMPLETE", "PARTIAL", "FAILED", "INVALID", "WARMUP_FAILED"]


@dataclass(frozen=True, slots=True)
class Times:
    """The log times a receipt's client instants are held against.

    Attributes:
        locked_us: of the protocol's lock.
        reserved_us: of the reservation.
        appended_us: of the receipt itself.
    """

    locked_us: int
    reserved_us: int
    appended_us: int


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


def outcome_of(
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
        times: log times around it; None: client instants are not looked at.
    """
    raise NotImplementedError
