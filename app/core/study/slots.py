# SPDX-License-Identifier: Apache-2.0
"""The life of a slot and the accounting identity, at a given log time (DESIGN.md 4)."""

from __future__ import annotations

from typing import Literal, NamedTuple

from app.core.reason import Reason
from app.core.receipt.outcome import Fault
from app.core.statement.closure import Flow
from app.core.statement.verdict import SlotState
from app.core.study.state import Attempt, ReceiptState, Slot, StudyState

StudyPhase = Literal["OPEN", "DRAINING", "CLOSED"]


class SlotStanding(NamedTuple):
    """Where a slot, or one attempt at it, stands."""

    state: SlotState
    fault: Fault | None
    reasons: tuple[Reason, ...]


def slot_state(study: StudyState, slot: Slot, log_time_us: int) -> SlotStanding:
    """Return where ``slot`` stands at ``log_time_us``."""
    raise NotImplementedError


def attempt_state(attempt: Attempt, log_time_us: int) -> SlotStanding:
    """Return where one attempt stands on its own."""
    raise NotImplementedError


def scored_attempt(slot: Slot) -> Attempt | None:
    """Return the first attempt that started its measured phase."""
    raise NotImplementedError


def scored_receipts(slot: Slot) -> tuple[ReceiptState, ...]:
    """Return the receipts whose captures are scored: one, or two and more that conflict."""
    raise NotImplementedError


def flow(study: StudyState, log_time_us: int) -> Flow:
    """Return the counts per state.

    Raises:
        IntegrityBroken: ``ledger-unbalanced``, they do not sum to the planned slots.
    """
    raise NotImplementedError


def study_phase(study: StudyState, log_time_us: int) -> StudyPhase:
    """Return where the study as a whole stands."""
    raise NotImplementedError


def next_deadline(study: StudyState) -> int | None:
    """Return the instant after which time alone closes the study; None: it is closed by entries.

    The study closes when log time is *greater*.
    """
    raise NotImplementedError


def deadlines(study: StudyState) -> tuple[int, ...]:
    """Return, sorted, every instant whose passing changes or has changed a state of the study."""
    raise NotImplementedError


def closing_reason(study: StudyState) -> Literal["terminal", "overdue", "ended"]:
    """Return why a closed study is closed."""
    raise NotImplementedError
