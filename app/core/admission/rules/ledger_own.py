# SPDX-License-Identifier: Apache-2.0
"""What the ledger itself says: refusals, closures and verdicts, each derivable by anybody.

None of these is taken over the network. They are admitted by the same rules when the ledger appends
them and when somebody audits the log: one that does not follow from the entries below it is damage.
"""

from __future__ import annotations

from typing import Final

from app.core.admission.due import due_closures
from app.core.admission.request import Effect, Request, wrong_audience
from app.core.errors import Conflict, IntegrityBroken, NotAllowed
from app.core.statement.closure import ClosurePredicate
from app.core.statement.refusal import RefusalPredicate

MAX_REFUSALS: Final = 3
"""Refusals recorded per attempt, so that nobody fills the log with them."""


def admit_refusal(request: Request, refusal: RefusalPredicate) -> Effect:
    """Admit the record that content for a held slot was refused.

    Raises:
        NotAllowed: ``role``.
        UnknownThing: ``unknown-study``.
        WrongAudience: no such attempt of that reservation.
        Conflict: ``refusals``.
    """
    # 1. Signed by the ledger, for this ledger.
    require_ledger(request)
    # 2. For an attempt that stands reserved under this reservation.
    study = request.require_study(refusal.study)
    attempt = study.attempt_of(refusal.slot, refusal.attempt)
    if attempt is None or attempt.reservation != refusal.reservation:
        raise wrong_audience("attempt", "Expected an attempt of this reservation.")
    # 3. At most so many.
    if attempt.refusals >= MAX_REFUSALS:
        message = f"{MAX_REFUSALS} refusals stand for this attempt; no more are recorded."
        raise Conflict(message, code="refusals")
    return Effect.ACCEPTED


def admit_closure(request: Request, closure: ClosurePredicate) -> Effect:
    """Admit a closure that says what follows from the entries below it.

    Raises:
        NotAllowed: ``role``.
        UnknownThing: ``unknown-study``.
        IntegrityBroken: ``closure``, it is not due, or says something else than what follows.
    """
    # 1. Signed by the ledger, for this ledger.
    require_ledger(request)
    # 2. It is due, and it is what is due.
    study = request.require_study(closure.study)
    due = (one for one in due_closures(request.head, request.at_us) if one.study == study.digest)
    derived = next(due, None)
    expected = derived and derived.predicate(ledger=closure.ledger, signer=closure.signer)
    if closure != expected:
        message = "The closure is not what follows from the entries below it."
        raise IntegrityBroken(message, code="closure")
    return Effect.ACCEPTED


def admit_verdict(request: Request) -> Effect:
    """Admit a verdict; that it is the right one is recomputed by whoever appends or audits it.

    Raises:
        NotAllowed: ``role``.
    """
    # 1. Signed by the ledger, for this ledger.
    require_ledger(request)
    return Effect.ACCEPTED


def require_ledger(request: Request) -> None:
    """Demand the ledger's statement key; its checkpoint key signs no statement (threat S12).

    Raises:
        NotAuthenticated: ``unsigned``.
        WrongAudience: another ledger.
        NotAllowed: ``role``.
    """
    request.require_header()
    if not request.standing.ledger.keyring.is_ledger(request.parsed.signer):
        message = "Only the ledger itself says this."
        raise NotAllowed(message, code="role")
