# SPDX-License-Identifier: Apache-2.0
"""May this runner take these slots now?"""

from __future__ import annotations

from app.core.admission.request import Effect, Request
from app.core.errors import Conflict, NotAllowed, UnknownThing
from app.core.identity import Role
from app.core.statement.reservation import ReservationPredicate
from app.core.study.order import is_next, next_slots
from app.core.study.slots import (
    has_retry_left,
    is_stopped,
    reserved_count,
    slot_state,
    study_phase,
)
from app.core.study.state import StudyState


def admit_reservation(request: Request, reservation: ReservationPredicate) -> Effect:
    """Admit a reservation: all of its slots or none.

    Raises:
        NotAllowed: ``role``, ``repository``, ``key-retired``, ``key-revoked``, ``not-a-runner``.
        UnknownThing: ``unknown-study``, ``unknown-slot``.
        Conflict: ``study-closed``, ``study-stopped``, ``slot-taken``, ``out-of-order``,
            ``ahead-max``.
    """
    # 1. Signed by its signer, for this ledger.
    request.require_header()
    # 2. A study of this head.
    study = request.require_study(reservation.study)
    # 3. A runner of this repository, and one of the study's own.
    request.require_role(Role.RUNNER, study.predicate.repository)
    if reservation.signer not in study.predicate.runners:
        message = "This study names other runners; its maintainer pinned them at opening."
        raise NotAllowed(message, code="not-a-runner")
    # 4. The study takes reservations: not ended, not overdue, not full.
    if study_phase(study, request.at_us) != "OPEN":
        message = "This study takes no more reservations."
        raise Conflict(message, code="study-closed")
    # 5. Its locked stop rule has not fired.
    if is_stopped(study, request.at_us):
        message = "The locked stop rule has stopped this study; its maintainer may end it."
        raise Conflict(message, code="study-stopped")
    # 6. Planned slots that are free.
    for slot in reservation.slots:
        _require_free(study, slot, reservation.attempt, request.at_us)
    # 7. In blocks, the ones that come next: whoever chose the order would choose the luck of arms.
    if reservation.attempt == 1 and not is_next(study, tuple(reservation.slots)):
        message = (
            "The slots of this study run in blocks and are taken in running order, none left out; "
            f"the next is {next_slots(study)[0]}."
        )
        raise Conflict(message, code="out-of-order")
    # 8. Not more at once than the protocol allows.
    reserved = reserved_count(study, request.at_us)
    if reserved + len(reservation.slots) > study.document.reservation.ahead_max:
        message = (
            f"At most {study.document.reservation.ahead_max} slots may stand reserved at once; "
            f"{reserved} do now."
        )
        raise Conflict(message, code="ahead-max")
    return Effect.ACCEPTED


def _require_free(study: StudyState, slot_id: str, attempt: int, at_us: int) -> None:
    slot = study.slots.get(slot_id)
    if slot is None:
        raise UnknownThing("The protocol plans no such slot.", code="unknown-slot")
    # A first attempt takes an open slot; a second one follows a warm-up that failed by a listed
    # code, before any response had succeeded, and there is no third.
    if attempt == 1:
        free = slot_state(study, slot, at_us).state == "OPEN"
    else:
        free = has_retry_left(study, slot, at_us)
    if not free:
        # The plan's own name, which is equal to what was asked for.
        message = f"{slot.planned.id} is taken, or no locked rule allows another attempt at it."
        raise Conflict(message, code="slot-taken")
