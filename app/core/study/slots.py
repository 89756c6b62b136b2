# SPDX-License-Identifier: Apache-2.0
"""The life of slots and studies, and the accounting identity, at a given log time (DESIGN.md 4).

    OPEN -> RESERVED -> COMPLETE | PARTIAL | FAILED | INVALID | WARMUP_FAILED | ABANDONED
    OPEN -> MISSING at closing

WARMUP_FAILED goes on to RESERVED again while a locked retry is left. A study:

    OPEN -> DRAINING (ended by a deviation; reserved slots keep their deadline) -> CLOSED

No reservation outlives ``closes_at``, so that an overdue study is closed at once. A deadline is
missed when log time is *greater*. Nothing leaves ABANDONED or MISSING, and a second, different
receipt makes any filled slot INVALID(CONFLICTING_RECEIPTS), whenever it comes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from app.core.errors import IntegrityBroken
from app.core.reason import Reason
from app.core.receipt.faults import Fault
from app.core.statement.closure import Flow
from app.core.statement.verdict import SlotState
from app.core.study.control import is_changed
from app.core.study.order import is_left_behind
from app.core.study.state import Attempt, ReceiptState, Slot, StudyState

StudyPhase = Literal["OPEN", "DRAINING", "CLOSED"]
ClosingReason = Literal["terminal", "overdue", "ended"]


class SlotStanding(NamedTuple):
    """Where a slot, or one attempt at it, stands."""

    state: SlotState
    fault: Fault | None
    reasons: tuple[Reason, ...]


OPEN = SlotStanding("OPEN", None, (Reason.NOT_STARTED,))
RESERVED = SlotStanding("RESERVED", None, (Reason.NOT_STARTED,))
MISSING = SlotStanding("MISSING", None, (Reason.MISSING,))
ABANDONED = SlotStanding("ABANDONED", None, (Reason.ABANDONED,))
ABANDONED_THEN_LATE = SlotStanding("ABANDONED", None, (Reason.ABANDONED, Reason.LATE))
CHANGED = SlotStanding("INVALID", "identity", (Reason.CONTROL_CHANGED,))
CONFLICTING = SlotStanding("INVALID", None, (Reason.CONFLICTING_RECEIPTS,))


def slot_state(study: StudyState, slot: Slot, log_time_us: int) -> SlotStanding:
    """Return where ``slot`` stands at ``log_time_us``.

    The last attempt decides, since another follows only a warm-up that never measured; save that
    conflicting receipts for any attempt decide whatever comes after.
    """
    if not slot.attempts:
        return MISSING if _takes_no_more(study, log_time_us) else OPEN
    last = slot.attempts[-1]
    changed = is_changed(study, slot.planned.arm, last)
    standing = CHANGED if changed else _filled_or_not(last, log_time_us)
    return _contradicted(standing, slot.attempts)


def attempt_state(attempt: Attempt, log_time_us: int) -> SlotStanding:
    """Return where one attempt stands on its own."""
    return _contradicted(_filled_or_not(attempt, log_time_us), (attempt,))


def is_conflicting(attempt: Attempt) -> bool:
    """Tell whether an attempt that was filled in time has a second receipt, late or not."""
    return len(attempt.receipts) > 1 and any(_in_time(attempt))


def has_retry_left(study: StudyState, slot: Slot, log_time_us: int) -> bool:
    """Tell whether ``slot`` failed in its warm-up and may be reserved once more.

    What is left behind in blocks is not tried again: its place in their order has passed.
    """
    if not is_retryable(slot) or _takes_no_more(study, log_time_us):
        return False
    return not is_left_behind(study, slot)


def is_retryable(slot: Slot) -> bool:
    """Tell whether the one attempt at ``slot`` failed in its warm-up by a locked code."""
    if len(slot.attempts) != 1 or not slot.attempts[0].receipts:
        return False
    attempt = slot.attempts[0]
    # At its deadline a receipt that came in time decides; without one it is reserved, or was.
    state = attempt_state(attempt, attempt.deadline_us).state
    return state == "WARMUP_FAILED" and attempt.receipts[0].outcome.retryable


def is_terminal(study: StudyState, slot: Slot, log_time_us: int) -> bool:
    """Tell whether neither time nor a first receipt can change where ``slot`` stands."""
    state = slot_state(study, slot, log_time_us).state
    return state not in {"OPEN", "RESERVED"} and not has_retry_left(study, slot, log_time_us)


def scored_attempt(slot: Slot) -> Attempt | None:
    """Return the first attempt that started its measured phase; None: none did."""
    return next((a for a in slot.attempts if any(r.outcome.measured for r in _in_time(a))), None)


def scored_receipts(slot: Slot) -> tuple[ReceiptState, ...]:
    """Return the receipts whose captures are scored: none, one, or all that conflict in time.

    One that never measured contradicts another but shows nothing to score.
    """
    scored = scored_attempt(slot)
    return tuple(
        receipt
        for attempt in slot.attempts
        if attempt is scored or is_conflicting(attempt)
        for receipt in _in_time(attempt)
        if receipt.outcome.measured
    )


def reserved_count(study: StudyState, log_time_us: int) -> int:
    """Return how many slots stand reserved: taken, not filled, their deadline not passed."""
    return sum(log_time_us <= deadline for deadline in study.settling.waiting.values())


def slot_standings(study: StudyState, log_time_us: int) -> dict[str, SlotStanding]:
    """Return where each planned slot stands, in plan order."""
    return {name: slot_state(study, slot, log_time_us) for name, slot in study.slots.items()}


def flow(study: StudyState, standings: Mapping[str, SlotStanding]) -> Flow:
    """Return the counts per state.

    Args:
        study: the study.
        standings: its ``slot_standings`` at one log time.

    Raises:
        IntegrityBroken: ``ledger-unbalanced``, they do not sum to the planned slots.
    """
    return _flow_of((each.state for each in standings.values()), planned=study.planned)


def is_stopped(study: StudyState, log_time_us: int) -> bool:
    """Tell whether the locked stop rule forbids further reservations.

    A warm-up that failed for good is INVALID to the rule, as it is to gates; one with a retry left
    is not yet.
    """
    stops = set()
    if "slot_invalid" in study.document.stop_rule.on:
        stops |= {"INVALID", "WARMUP_FAILED"}
    if "slot_failed" in study.document.stop_rule.on:
        stops.add("FAILED")
    counts = study.settling.counts
    if any(counts.get(state) for state in stops):
        return True
    failed = "WARMUP_FAILED" in stops and bool(study.settling.retryable)
    return failed and not all(_retries(study, log_time_us))


def study_phase(study: StudyState, log_time_us: int) -> StudyPhase:
    """Return where the study as a whole stands at ``log_time_us``."""
    settling = study.settling
    takes_more = not _takes_no_more(study, log_time_us)
    if (
        (settling.counts.get("OPEN") and takes_more)
        or any(log_time_us <= deadline for deadline in settling.waiting.values())
        or any(_retries(study, log_time_us))
    ):
        return "OPEN" if study.ended_at_us is None else "DRAINING"
    return "CLOSED"


def closing_reason(study: StudyState) -> ClosingReason:
    """Return why a closed study is closed; it is the same for every later log time."""
    if study.ended_at_us is not None:
        return "ended"
    return "terminal" if study_phase(study, study.closes_at_us) == "CLOSED" else "overdue"


def next_deadline(study: StudyState) -> int | None:
    """Return the instant after which time alone closes the study.

    It is closed once log time is *greater*. None: entries have closed it already. Receipts whose
    captures are not read yet may leave a slot to be tried again until the study closes.
    """
    if study.closure_index is not None:
        return None
    return max(_waiting(study), default=study.closes_at_us if study.unread else None)


def deadlines(study: StudyState) -> tuple[int, ...]:
    """Return, sorted, every instant whose passing changes, or has changed, a state of the study."""
    return tuple(sorted(_waiting(study)))


def _filled_or_not(attempt: Attempt, log_time_us: int) -> SlotStanding:
    in_time = next(_in_time(attempt), None)
    if in_time is not None:
        outcome = in_time.outcome
        return SlotStanding(outcome.state, outcome.fault, outcome.reasons)
    if attempt.passed_over or log_time_us > attempt.deadline_us:
        return ABANDONED_THEN_LATE if attempt.receipts else ABANDONED
    return RESERVED


def _contradicted(standing: SlotStanding, attempts: Sequence[Attempt]) -> SlotStanding:
    """Return ``standing`` as second receipts leave it.

    One that came in time makes the slot INVALID. One that came late does too, but it lifts no
    failure: what is scored stands already, and paper added to it is only written beside it.
    """
    if not any(map(is_conflicting, attempts)):
        return standing
    in_time = any(len(tuple(_in_time(attempt))) > 1 for attempt in attempts)
    if standing.state == "FAILED" and not in_time:
        return standing._replace(reasons=(*standing.reasons, *CONFLICTING.reasons))
    return CONFLICTING


def _in_time(attempt: Attempt) -> Iterator[ReceiptState]:
    return (receipt for receipt in attempt.receipts if not receipt.late)


def _takes_no_more(study: StudyState, log_time_us: int) -> bool:
    """Tell whether the study is ended or overdue, so that what is open is missing."""
    return study.ended_at_us is not None or log_time_us > study.closes_at_us


def _flow_of(states: Iterable[SlotState], *, planned: int) -> Flow:
    count = Counter(states)
    if count.total() != planned:
        message = "The planned slots are not the sum of their states; no word can be given."
        raise IntegrityBroken(message, code="ledger-unbalanced")
    return Flow(
        planned=planned,
        open=count["OPEN"],
        reserved=count["RESERVED"],
        missing=count["MISSING"],
        abandoned=count["ABANDONED"],
        warmup_failed=count["WARMUP_FAILED"],
        complete=count["COMPLETE"],
        partial=count["PARTIAL"],
        failed=count["FAILED"],
        invalid=count["INVALID"],
    )


def _waiting(study: StudyState) -> set[int]:
    """Return the instants that slots which entries have left unsettled wait for."""
    settling = study.settling
    until = set(settling.waiting.values())
    if settling.counts.get("OPEN") or any(_retries(study, study.opened_at_us)):
        until.add(study.closes_at_us)
    return until


def _retries(study: StudyState, log_time_us: int) -> Iterator[bool]:
    """Yield, for every slot that failed in its warm-up, whether it may be tried once more."""
    slots = (study.slots[name] for name in study.settling.retryable)
    return (has_retry_left(study, slot, log_time_us) for slot in slots)
