# SPDX-License-Identifier: Apache-2.0
"""Locked protocols by their document's digest, and the linter for a document that is not locked."""

from __future__ import annotations

from fastapi import APIRouter, Depends, Request, Response

from app.core.canonical import canonical, parse_strict
from app.core.digest import sha256_hex
from app.core.protocol.lint import lint
from app.core.protocol.patch import operations
from app.core.protocol.plan import planned_slots
from app.core.statement.parse import parse_document
from app.edge.caching import IMMUTABLE
from app.edge.deps import (
    DEFAULT_PAGE,
    CursorQuery,
    Digest,
    LedgerDep,
    LimitQuery,
    RepositoryQuery,
    link_next,
    only_known_queries,
)
from app.edge.limits import MAX_DOCUMENT_BYTES, read_body
from app.edge.media import JSON, require_media_type
from app.edge.problems import declared
from app.service.answers import LockedDocument
from app.web.models import LintEntry, LintReport, LockedProtocolEntry, LockedProtocols
from app.web.version_models import ProtocolVersions, version_entry

router = APIRouter(prefix="/v1/protocols", dependencies=[Depends(only_known_queries)])


@router.post(
    "/lint",
    operation_id="lint_protocol",
    responses=declared(),
    openapi_extra={
        "requestBody": {"required": True, "content": {JSON: {"schema": {"type": "object"}}}}
    },
)
async def lint_protocol(request: Request) -> LintReport:
    """Say what a lock of this plain document would meet; store nothing.

    The document may have any spelling: it is judged, and named, in its canonical one.
    """
    require_media_type(request, (JSON,))
    data = canonical(parse_strict(await read_body(request, limit=MAX_DOCUMENT_BYTES)))
    document = parse_document(data)
    findings = lint(document)
    return LintReport(
        document=sha256_hex(data),
        planned_slots=planned_slots(document),
        lockable=all(one.severity != "error" for one in findings),
        findings=[
            LintEntry(
                code=one.code,
                severity=one.severity,
                pointer=one.pointer,
                detail=one.detail,
                formula=one.formula or None,
                change=operations(one.change),
            )
            for one in findings
        ],
    )


@router.get("", operation_id="list_protocols", responses=declared())
async def list_protocols(
    request: Request,
    response: Response,
    ledger: LedgerDep,
    cursor: CursorQuery = 0,
    limit: LimitQuery = DEFAULT_PAGE,
) -> LockedProtocols:
    """Return locked protocols in the order they were locked."""
    found = await ledger.protocols(after=cursor - 1, limit=limit)
    if len(found) == limit:
        link_next(request, response, cursor=found[-1].index + 1, limit=limit)
    return LockedProtocols(protocols=[entry_of(one) for one in found])


@router.get(
    "/{digest}",
    operation_id="get_protocol",
    response_class=Response,
    responses={200: {"content": {JSON: {"schema": {"type": "object"}}}}, **declared()},
)
async def get_protocol(digest: Digest, ledger: LedgerDep) -> Response:
    """Return a locked document's JCS bytes, and link the lock around it."""
    found = await ledger.protocol(digest)
    lock = f'</v1/statements/{found.statement}>; rel="describedby"'
    headers = {**IMMUTABLE, "link": lock}
    return Response(found.document_bytes, media_type=JSON, headers=headers)


@router.get("/{digest}/versions", operation_id="list_versions", responses=declared())
async def list_versions(
    request: Request,
    response: Response,
    digest: Digest,
    ledger: LedgerDep,
    *,
    repository: RepositoryQuery = None,
    cursor: CursorQuery = 0,
    limit: LimitQuery = DEFAULT_PAGE,
) -> ProtocolVersions:
    """Return the versions of a locked protocol, and what the log held when each was locked."""
    found = await ledger.versions(digest, repository=repository, after=cursor - 1, limit=limit)
    versions = found.versions
    if len(versions) == limit:
        link_next(request, response, cursor=versions[-1].lock.index + 1, limit=limit)
    return ProtocolVersions(
        repository=found.repository,
        newest=found.newest,
        versions=[version_entry(one) for one in versions],
    )


def entry_of(found: LockedDocument) -> LockedProtocolEntry:
    """Return a locked protocol as it stands in lists."""
    return LockedProtocolEntry(
        digest=found.digest,
        statement=found.statement,
        index=found.index,
        at=found.at,
        repository=found.predicate.repository,
        name=found.predicate.document.name,
        version=found.predicate.document.version,
        supersedes=found.predicate.supersedes,
    )
