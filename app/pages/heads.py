# SPDX-License-Identifier: Apache-2.0
"""The page of one exact head, and the two badges of its word."""

from __future__ import annotations

import re
from typing import Final, Literal

from fastapi import APIRouter, Depends, Request, Response
from starlette.responses import RedirectResponse

from app.core.canonical import canonical
from app.edge.caching import REVALIDATED
from app.edge.deps import HeadName, LedgerDep, RepositoryDep, only_known_queries
from app.edge.media import JSON
from app.pages.charts.badge import colour_of, draw_badge
from app.pages.facts import head_facts, read_verdicts
from app.pages.page_route import PageRoute
from app.pages.render import image, page
from app.pages.views.head import head_view
from app.pages.views.links import head_page
from app.pages.views.people import is_waived
from app.service.find_head import find_head
from app.service.ledger import Ledger

router = APIRouter(
    prefix="/r/{host}/{owner}/{name}/heads",
    route_class=PageRoute,
    dependencies=[Depends(only_known_queries)],
    include_in_schema=False,
)

NO_EVIDENCE: Final = "no evidence"
"""Said of a head that no study is about."""

_FULL_SHA: Final = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_CACHE_S: Final = 300
_SHORT: Final = 7
_WORST_FIRST: Final = ("NOT_QUALIFIED", "HOLD", "QUALIFIED")


@router.get("/{head}")
async def get_head(
    request: Request, repository: RepositoryDep, head: HeadName, ledger: LedgerDep
) -> Response:
    """Show what is established about one exact head."""
    if not _FULL_SHA.fullmatch(head):
        return await _redirect(request, ledger, repository, head)
    view = head_view(await head_facts(ledger, repository, head))
    return page("head.html.j2", {"title": view.title, "view": view})


@router.get("/{head}/badge.svg")
async def get_badge_svg(
    request: Request, repository: RepositoryDep, head: HeadName, ledger: LedgerDep
) -> Response:
    """Draw the word of the head as a badge."""
    if not _FULL_SHA.fullmatch(head):
        return await _redirect(request, ledger, repository, head, "/badge.svg")
    word, message = await _badge(ledger, repository, head)
    return image(draw_badge("fairtrial", message, colour=colour_of(word)))


@router.get("/{head}/badge.json")
async def get_badge_json(
    request: Request, repository: RepositoryDep, head: HeadName, ledger: LedgerDep
) -> Response:
    """Give the word of the head as a shields.io endpoint does."""
    if not _FULL_SHA.fullmatch(head):
        return await _redirect(request, ledger, repository, head, "/badge.json")
    word, message = await _badge(ledger, repository, head)
    document = {
        "schemaVersion": 1,
        "label": "fairtrial",
        "message": message,
        "color": colour_of(word).removeprefix("#"),
        "isError": word != "QUALIFIED",
        "cacheSeconds": _CACHE_S,
    }
    return Response(canonical(document), media_type=JSON, headers=REVALIDATED)


async def _badge(
    ledger: Ledger, repository: str, head: str
) -> tuple[Literal["QUALIFIED", "NOT_QUALIFIED", "HOLD"], str]:
    """Return the worst word of any claim and what the badge says."""
    documents = [one.document for one in await read_verdicts(ledger, repository, head)]
    word = min((document.word for document in documents), key=_WORST_FIRST.index)
    said: str = word if documents[0].studies else NO_EVIDENCE
    if any(is_waived(document) for document in documents if document.word == word):
        said = f"{said} (waived)"
    return word, f"{head[:_SHORT]} {said}"


async def _redirect(
    request: Request, ledger: Ledger, repository: str, prefix: str, rest: str = ""
) -> Response:
    """Return the way to the full name, relative: no ``Host`` of a request is copied."""
    head = await find_head(ledger, repository, prefix)
    query = f"?{request.url.query}" if request.url.query else ""
    place = f"{head_page(repository, head)}{rest}{query}"
    return RedirectResponse(place, status_code=307, headers=REVALIDATED)
