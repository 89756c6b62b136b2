# SPDX-License-Identifier: Apache-2.0
"""Two questions of an operator: does the process answer, and does the ledger take statements?"""

from __future__ import annotations

from fastapi import APIRouter, Request

from app.core.errors import LedgerBusy
from app.edge.deps import LedgerDep
from app.edge.problems import declared
from app.web.models import Health, Readiness, ScrubState

router = APIRouter()


@router.get("/healthz", operation_id="get_health", responses=declared())
async def get_health() -> Health:
    """Say that the process answers; nothing behind it is asked."""
    return Health(status="ok")


@router.get("/readyz", operation_id="get_readiness", responses=declared())
async def get_readiness(request: Request, ledger: LedgerDep) -> Readiness:
    """Say that statements can be appended now; 503 with the reason where they cannot."""
    reasons = await ledger.unready()
    if reasons:
        detail = f"The ledger takes no statements now: {reasons[0].detail}"
        raise LedgerBusy(detail, code="not-ready", findings=reasons)
    scrubbed = ledger.scrubbed
    return Readiness(
        status="ready",
        version=request.app.version,
        origin=ledger.origin,
        genesis=ledger.genesis,
        scrub=ScrubState(rounds=scrubbed.rounds, position=scrubbed.position),
    )
