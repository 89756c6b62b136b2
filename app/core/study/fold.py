# SPDX-License-Identifier: Apache-2.0
"""What each kind of entry does to a study: one pure function a kind, none of which refuses.

What may enter was decided before. An entry that names what is not there (in a damaged log) changes
nothing here; the audit that admits everything again is what names it.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
from msgspec.structs import replace

from app.core.identity import micros_of
from app.core.protocol.plan import plan
from app.core.statement.capture import Capture
from app.core.statement.deviation import DeviationPredicate
from app.core.statement.receipt import ReceiptPredicate
from app.core.statement.refusal import RefusalPredicate
from app.core.statement.reservation import ReservationPredicate
from app.core.statement.study import StudyPredicate
from app.core.study.chain import filling, passed_over
from app.core.study.control import drivers_of
from app.core.study.outcomes import outcome_in
from app.core.study.settling import resettled
from app.core.study.slots import study_phase
from app.core.study.state import (
    Attempt,
    DeviationState,
    LockedProtocol,
    NotRead,
    ReceiptState,
    Reservation,
    Settling,
    Slot,
    StudyState,
    Unread,
)


class Stamp(msgspec.Struct, frozen=True, gc=False):
    """Where an entry stands: its statement's digest, its index and its log time."""

    digest: str
    index: int
    at_us: int


def open_study(predicate: StudyPredicate, lock: LockedProtocol, stamp: Stamp) -> StudyState:
    """Return a study with every planned slot open."""
    planned = plan(lock.document)
    return StudyState(
        digest=stamp.digest,
        index=stamp.index,
        opened_at_us=stamp.at_us,
        closes_at_us=micros_of(predicate.closes_at),
        predicate=predicate,
        lock=lock,
        slots={each.id: Slot(each) for each in planned},
        settling=Settling({"OPEN": len(planned)}),
    )


def reserve(
    study: StudyState, predicate: ReservationPredicate, stamp: Stamp, *, challenge: str
) -> StudyState:
    """Return the study with the slots taken.

    Args:
        study: the study before.
        predicate: what the reservation says.
        stamp: where it stands.
        challenge: the hash of its leaf, in hex.
    """
    deadline = min(stamp.at_us + study.document.reservation.allowance_us, study.closes_at_us)
    reservation = Reservation(
        digest=stamp.digest,
        index=stamp.index,
        at_us=stamp.at_us,
        deadline_us=deadline,
        challenge=challenge,
        runner=predicate.signer,
        host=predicate.host,
        attempt=predicate.attempt,
        slots=tuple(predicate.slots),
    )
    attempt = Attempt(
        number=predicate.attempt,
        reservation=stamp.digest,
        reservation_index=stamp.index,
        at_us=stamp.at_us,
        deadline_us=deadline,
        runner=predicate.signer,
        host=predicate.host,
    )
    taken = [study.slots[slot] for slot in predicate.slots if slot in study.slots]
    slots = {s.planned.id: replace(s, attempts=(*s.attempts, attempt)) for s in taken}
    after = replace(
        study,
        slots={**study.slots, **slots},
        reservations={**study.reservations, stamp.digest: reservation},
    )
    return resettled(study, after, slots)


def receive(
    study: StudyState,
    predicate: ReceiptPredicate,
    stamp: Stamp,
    capture: Capture | NotRead | None,
) -> StudyState:
    """Return the study with a receipt beside its attempt, whatever it says."""
    reservation = study.reservations.get(predicate.reservation)
    attempt = study.attempt_of(predicate.slot, predicate.attempt)
    if reservation is None or attempt is None or predicate.slot not in reservation.slots:
        return study
    late = attempt.passed_over or stamp.at_us > attempt.deadline_us or _is_over(study, stamp)
    outcome = outcome_in(study, attempt, predicate, stamp.at_us, capture)
    receipt = ReceiptState(stamp.digest, stamp.index, stamp.at_us, late, predicate, outcome)
    changed = {predicate.slot: replace(attempt, receipts=(*attempt.receipts, receipt))}
    for slot in passed_over(reservation, predicate.slot):
        left = study.attempt_of(slot, attempt.number)
        if left is not None:
            changed[slot] = replace(left, passed_over=True)
    filled = filling(reservation, predicate.slot, stamp.digest)
    after = replace(
        study,
        slots={**study.slots, **_with_attempts(study, changed.items())},
        reservations={**study.reservations, reservation.digest: filled},
        drivers=study.drivers if late else _with_drivers(study, predicate),
        unread=_with_unread(study, predicate, stamp) if capture is NotRead.YET else study.unread,
    )
    return resettled(study, after, changed)


def refuse(study: StudyState, predicate: RefusalPredicate) -> StudyState:
    """Return the study with one more refusal counted; the slot stays reserved."""
    attempt = study.attempt_of(predicate.slot, predicate.attempt)
    if attempt is None:
        return study
    counted = replace(attempt, refusals=attempt.refusals + 1)
    changed = _with_attempts(study, [(predicate.slot, counted)])
    return replace(study, slots={**study.slots, **changed})


def deviate(study: StudyState, predicate: DeviationPredicate, stamp: Stamp) -> StudyState:
    """Return the study with a deviation beside it, and ended if it says so."""
    deviation = DeviationState(stamp.digest, stamp.index, stamp.at_us, predicate)
    ended = study.ended_at_us
    if predicate.ends_study and ended is None:
        ended = stamp.at_us
    after = replace(study, deviations=(*study.deviations, deviation), ended_at_us=ended)
    return resettled(study, after, ())


def _is_over(study: StudyState, stamp: Stamp) -> bool:
    """Tell whether the study was closed before: its results are known, so nothing joins them.

    Whoever could still add a good receipt beside a bad one would turn a known FAIL into a conflict.
    """
    return study_phase(study, stamp.at_us) == "CLOSED"


def _with_unread(
    study: StudyState, predicate: ReceiptPredicate, stamp: Stamp
) -> tuple[Unread, ...]:
    return (*study.unread, Unread(predicate.slot, stamp.digest, predicate.capture.sha256))


def _with_drivers(study: StudyState, predicate: ReceiptPredicate) -> dict[str, frozenset[str]]:
    arm = study.slots[predicate.slot].planned.arm
    named = study.drivers.get(arm, frozenset()) | drivers_of(predicate)
    return {**study.drivers, arm: named}


def _with_attempts(study: StudyState, changed: Iterable[tuple[str, Attempt]]) -> dict[str, Slot]:
    slots = {}
    for slot_id, attempt in changed:
        slot = study.slots[slot_id]
        attempts = (attempt if a.number == attempt.number else a for a in slot.attempts)
        slots[slot_id] = replace(slot, attempts=tuple(attempts))
    return slots
