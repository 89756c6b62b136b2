# SPDX-License-Identifier: Apache-2.0
"""Repositories, changes and heads; and, for one exact head, the verdict documents and the bundle.

``?claim=`` gives one document and nothing around it: the bytes that ``fairtrial score`` prints from
the bundle. Without it a head answers with every claim's document, each of them those same bytes, in
one list, so that the shape of an answer never depends on how many claims a policy names. Where no
policy names any, the one document has no claim, and ``?claim=`` with nothing behind it asks for it.

``?at=SIZE`` asks what stood at a tree size; that never changes again. Without it an answer is the
newest, and is revalidated on each use.
"""

from __future__ import annotations

import re
from typing import Any, Final
from urllib.parse import quote

from fastapi import APIRouter, Depends, Request, Response
from starlette.responses import RedirectResponse

from app.core.canonical import canonical
from app.core.errors import UnknownThing
from app.core.identity import instant_of
from app.edge.addresses import LED
from app.edge.caching import IMMUTABLE, REVALIDATED
from app.edge.deps import (
    AtQuery,
    ChangeName,
    ClaimQuery,
    HeadName,
    LedgerDep,
    RepositoryDep,
    only_known_queries,
)
from app.edge.media import JSON, JSON_LINES
from app.edge.problems import declared
from app.service.find_change import find_change
from app.service.find_head import find_head
from app.web.models import ChangeSummary, PolicyEntry, RefEntry, RepositorySummary
from app.web.protocols import entry_of
from app.web.studies import listed

router = APIRouter(
    prefix="/v1/repos/{host}/{owner}/{name}", dependencies=[Depends(only_known_queries)]
)

_FULL_SHA = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_MOVED: Final[dict[int | str, dict[str, Any]]] = {307: {"description": "To the full commit id"}}


@router.get("", operation_id="get_repository", responses={**LED, **declared()})
async def get_repository(repository: RepositoryDep, ledger: LedgerDep) -> RepositorySummary:
    """Return a repository's policies, its locked protocols and the heads that have a line."""
    standing = await ledger.standing(repository)
    return RepositorySummary(
        repository=repository,
        policies=[
            PolicyEntry(
                statement=policy.digest,
                index=policy.index,
                at=instant_of(policy.at_us),
                tracked_branch=policy.predicate.tracked_branch,
                claims=[claim.name for claim in policy.predicate.claims],
            )
            for policy in standing.repository.policies
        ],
        protocols=[entry_of(one) for one in await ledger.protocols(repository)],
        refs=[
            RefEntry(
                statement=ref.digest,
                index=ref.index,
                at=instant_of(ref.at_us),
                branch=ref.predicate.branch,
                change=ref.predicate.change,
                tip=ref.predicate.tip,
                source=ref.predicate.source,
            )
            for ref in standing.repository.refs
        ],
        heads=list(await ledger.heads(repository)),
    )


@router.get("/changes/{number}", operation_id="get_change", responses={**LED, **declared()})
async def get_change(
    repository: RepositoryDep, number: ChangeName, ledger: LedgerDep
) -> ChangeSummary:
    """Return a change's heads, newest first, and their studies in log order."""
    found = await find_change(ledger, repository, number)
    return ChangeSummary(
        repository=repository,
        change=number,
        heads=list(found.heads),
        studies=[listed(study) for study in found.studies],
    )


@router.get(
    "/heads/{head}",
    operation_id="get_head",
    response_class=Response,
    responses={
        200: {"content": {JSON: {"schema": {"type": "object"}}}},
        **_MOVED,
        **LED,
        **declared(409),
    },
)
async def get_head(
    request: Request,
    repository: RepositoryDep,
    head: HeadName,
    ledger: LedgerDep,
    *,
    claim: ClaimQuery = None,
    at: AtQuery = None,
) -> Response:
    """Return what is established about one exact head."""
    if not _FULL_SHA.fullmatch(head):
        return await _redirect(request, ledger, repository, head)
    headers = REVALIDATED if at is None else IMMUTABLE
    if claim is not None:
        found = await ledger.verdict(repository, head, claim=claim or None, at_size=at)
        if found.claim != (claim or None):
            detail = "A policy names claims here; ask for one of them, or leave ?claim= out."
            raise UnknownThing(detail, code="unknown-claim")
        return Response(found.document, media_type=JSON, headers=headers)
    documents = [one.document for one in await ledger.verdicts(repository, head, at_size=at)]
    return Response(_every(repository, head, documents), media_type=JSON, headers=headers)


@router.get(
    "/heads/{head}/bundle",
    operation_id="get_bundle",
    response_class=Response,
    responses={200: {"content": {JSON_LINES: {}}}, **_MOVED, **LED, **declared(409)},
)
async def get_bundle(
    request: Request,
    repository: RepositoryDep,
    head: HeadName,
    ledger: LedgerDep,
    at: AtQuery = None,
) -> Response:
    """Return the three lines whole, as JSON lines: all that a verdict is computed from."""
    if not _FULL_SHA.fullmatch(head):
        return await _redirect(request, ledger, repository, head, "/bundle")
    data = await ledger.bundle(repository, head, at_size=at)
    return Response(data, media_type=JSON_LINES, headers=REVALIDATED)


async def _redirect(
    request: Request, ledger: LedgerDep, repository: str, prefix: str, rest: str = ""
) -> Response:
    """Return the way to the full name, relative: no ``Host`` of a request is copied."""
    head = await find_head(ledger, repository, prefix)
    query = f"?{request.url.query}" if request.url.query else ""
    place = f"/v1/repos/{quote(repository)}/heads/{head}{rest}{query}"
    return RedirectResponse(place, status_code=307, headers=REVALIDATED)


def _every(repository: str, head: str, documents: list[bytes]) -> bytes:
    """Return one JCS object around documents that are JCS already, without writing them again."""
    frame = canonical({"head": head, "repository": repository})
    return frame[:-1] + b',"verdicts":[' + b",".join(documents) + b"]}"
