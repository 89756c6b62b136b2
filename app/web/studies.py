# SPDX-License-Identifier: Apache-2.0
"""Studies and their slots: how far they are, which is public, and nothing of what was measured."""

from __future__ import annotations

from fastapi import APIRouter, Depends, Request, Response

from app.core.identity import instant_of
from app.core.study.chain import challenge_for
from app.core.study.slots import flow, slot_standings, slot_state, study_phase
from app.core.study.state import Attempt, Reservation, Slot
from app.edge.deps import (
    DEFAULT_PAGE,
    CursorQuery,
    Digest,
    LedgerDep,
    LimitQuery,
    link_next,
    only_known_queries,
)
from app.edge.problems import declared
from app.service.answers import FoundStudy, StudyListing
from app.web.study_models import (
    AttemptProgress,
    SlotFlow,
    SlotProgress,
    Studies,
    StudyEntry,
    StudyProgress,
    StudySlots,
)

router = APIRouter(prefix="/v1/studies", dependencies=[Depends(only_known_queries)])


@router.get("", operation_id="list_studies", responses=declared())
async def list_studies(
    request: Request,
    response: Response,
    ledger: LedgerDep,
    cursor: CursorQuery = 0,
    limit: LimitQuery = DEFAULT_PAGE,
) -> Studies:
    """Return studies in the order they were opened."""
    found = await ledger.studies(after=cursor - 1, limit=limit)
    if len(found) == limit:
        link_next(request, response, cursor=found[-1].index + 1, limit=limit)
    return Studies(studies=[listed(one) for one in found])


@router.get("/{digest}", operation_id="get_study", responses=declared())
async def get_study(digest: Digest, ledger: LedgerDep) -> StudyProgress:
    """Return where a study stands."""
    found = await ledger.study(digest)
    study, predicate = found.study, found.study.predicate
    phase = study_phase(study, found.log_time_us)
    return StudyProgress(
        study=study.digest,
        index=study.index,
        repository=found.repository,
        head=found.head,
        ordinal=predicate.ordinal,
        change=predicate.change,
        protocol=predicate.protocol,
        exploratory=predicate.exploratory,
        replay=predicate.replay is not None,
        state=phase,
        sealed=phase != "CLOSED",
        opened_at=instant_of(study.opened_at_us),
        closes_at=instant_of(study.closes_at_us),
        ended_at=None if study.ended_at_us is None else instant_of(study.ended_at_us),
        log_time=instant_of(found.log_time_us),
        flow=_flow(found),
    )


@router.get("/{digest}/slots", operation_id="list_slots", responses=declared())
async def list_slots(digest: Digest, ledger: LedgerDep) -> StudySlots:
    """Return every planned slot and every attempt at it, in running order."""
    found = await ledger.study(digest)
    return StudySlots(
        study=found.study.digest,
        log_time=instant_of(found.log_time_us),
        flow=_flow(found),
        slots=[_slot(found, slot) for slot in found.study.slots.values()],
    )


def listed(found: StudyListing) -> StudyEntry:
    """Return a study as it stands in lists."""
    return StudyEntry(
        study=found.digest,
        index=found.index,
        at=found.at,
        repository=found.repository,
        head=found.head,
        ordinal=found.ordinal,
        change=found.change,
        protocol=found.protocol,
    )


def _flow(found: FoundStudy) -> SlotFlow:
    counted = flow(found.study, slot_standings(found.study, found.log_time_us))
    return SlotFlow(**{name: getattr(counted, name) for name in SlotFlow.model_fields})


def _slot(found: FoundStudy, slot: Slot) -> SlotProgress:
    state, _fault, _reasons = slot_state(found.study, slot, found.log_time_us)
    return SlotProgress(
        slot=slot.planned.id,
        arm=slot.planned.arm,
        cell=slot.planned.cell,
        repetition=slot.planned.repetition,
        state=state,
        attempts=[_attempt(found, slot, one) for one in slot.attempts],
    )


def _attempt(found: FoundStudy, slot: Slot, attempt: Attempt) -> AttemptProgress:
    reservation = found.study.reservations[attempt.reservation]
    return AttemptProgress(
        attempt=attempt.number,
        reservation=attempt.reservation,
        runner=attempt.runner,
        host=attempt.host,
        reserved_at=instant_of(attempt.at_us),
        deadline=instant_of(attempt.deadline_us),
        challenge=_challenge(reservation, slot.planned.id),
        receipts=[one.digest for one in attempt.receipts if not one.late],
        late=[one.digest for one in attempt.receipts if one.late],
        refusals=attempt.refusals,
    )


def _challenge(reservation: Reservation, slot: str) -> str | None:
    """Return the slot's challenge once every slot before it is filled or passed over."""
    if reservation.slots.index(slot) > len(reservation.filled):
        return None
    return challenge_for(reservation, slot)
