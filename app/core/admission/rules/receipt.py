# SPDX-License-Identifier: Apache-2.0
"""Does this receipt belong where it says it belongs? What it says happened is not asked here."""

from __future__ import annotations

from app.core.admission.request import Effect, Request, wrong_audience
from app.core.errors import NotAllowed
from app.core.identity import Role
from app.core.receipt.measuring import has_measured
from app.core.statement.capture import Capture
from app.core.statement.receipt import ReceiptPredicate
from app.core.study.chain import challenge_for
from app.core.study.state import Attempt, Reservation, StudyState


def admit_receipt(request: Request, receipt: ReceiptPredicate) -> Effect:
    """Admit a receipt for a slot that its signer has reserved, good or bad, in time or late.

    Raises:
        NotAllowed: ``role``, ``repository``, ``key-retired``, ``key-revoked``, ``not-your-slot``.
        WrongAudience: another ledger, study, reservation, slot, attempt or challenge.
    """
    # 1. Signed by its signer, for this ledger.
    request.require_header()
    # 2. A reservation of this head's line: a receipt made for another head finds none.
    study, reservation = _reservation_of(request, receipt)
    # 3. Whoever reserved fills: no other key of the same study either (threat L05).
    if receipt.signer != reservation.runner:
        message = "Another key reserved this slot; only that key may fill it."
        raise NotAllowed(message, code="not-your-slot")
    # 4. Still a runner of this repository.
    request.require_role(Role.RUNNER, study.predicate.repository)
    # 5. Made for this study, slot, attempt and challenge (threats L13, S07).
    attempt = _require_audience(receipt, study, reservation)
    # 6. Kept, whatever it says; the answer only tells what becomes of it.
    return _effect(attempt, request.at_us, request.capture)


def _reservation_of(request: Request, receipt: ReceiptPredicate) -> tuple[StudyState, Reservation]:
    for study in request.head.studies:
        reservation = study.reservations.get(receipt.reservation)
        if reservation is not None:
            return study, reservation
    raise wrong_audience("reservation", "Expected a reservation on this head.")


def _require_audience(
    receipt: ReceiptPredicate, study: StudyState, reservation: Reservation
) -> Attempt:
    if receipt.study != study.digest:
        raise wrong_audience("study", "Expected the study of the reservation.")
    if receipt.slot not in reservation.slots:
        raise wrong_audience("slot", "Expected a slot of the reservation.")
    attempt = study.attempt_of(receipt.slot, receipt.attempt)
    if attempt is None or attempt.reservation != reservation.digest:
        raise wrong_audience("attempt", "Expected the attempt of the reservation.")
    if receipt.challenge != challenge_for(reservation, receipt.slot):
        detail = "Expected the challenge that follows the receipts of the slots before."
        raise wrong_audience("challenge", detail)
    return attempt


def _effect(attempt: Attempt, at_us: int, capture: Capture | None) -> Effect:
    if any(not earlier.late for earlier in attempt.receipts):
        return Effect.CONFLICTING
    if attempt.passed_over or at_us > attempt.deadline_us:
        return Effect.LATE
    if capture is not None and not has_measured(capture):
        return Effect.NOT_MEASURED
    return Effect.SCORED
