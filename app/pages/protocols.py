# SPDX-License-Identifier: Apache-2.0
"""The page of one locked protocol: in words, as canonical JSON, and what the linter says of it."""

from __future__ import annotations

import msgspec
from fastapi import APIRouter, Depends, Response

from app.core.errors import UnknownThing
from app.core.protocol.amend import amended, moved_gates
from app.core.protocol.lint import lint
from app.edge.deps import Digest, LedgerDep, RepositoryDep, only_known_queries
from app.pages.numbers import instant_text
from app.pages.page_route import PageRoute
from app.pages.sections import Section, Sheet, sheet_page
from app.pages.views import links
from app.pages.views.other_cells import other_cells_table
from app.pages.views.protocol import (
    amended_table,
    arms_table,
    cells_table,
    faults_table,
    gates_table,
    lint_table,
    summary_lines,
)
from app.service.answers import LockedDocument

router = APIRouter(
    prefix="/r/{host}/{owner}/{name}/protocols",
    route_class=PageRoute,
    dependencies=[Depends(only_known_queries)],
    include_in_schema=False,
)


@router.get("/{digest}")
async def get_protocol(repository: RepositoryDep, digest: Digest, ledger: LedgerDep) -> Response:
    """Show one locked protocol."""
    found = await ledger.protocol(digest)
    predicate = found.predicate
    if predicate.repository != repository:
        detail = "No protocol of this digest is locked in this repository."
        raise UnknownThing(detail, code="unknown-protocol")
    document = predicate.document
    lock = [f"Locked {instant_text(found.at)}, log entry {found.index}. It never changes."]
    if predicate.supersedes is not None:
        lock.append(f"It supersedes {predicate.supersedes}.")
    if predicate.reason is not None:
        lock.append(f"Reason: {predicate.reason}")
    amendment = await _amendment(ledger, found)
    acknowledged = ", ".join(predicate.acknowledged_warnings) or "none"
    cells = [one for one in (cells_table(document), other_cells_table(document)) if one.rows]
    sections = [
        *amendment,
        Section("Does not claim", document.not_claimed or ["Nothing is listed."]),
        Section("Rules", summary_lines(document)),
        Section("Arms and cells", tables=[arms_table(document), *cells]),
        Section("Gates", tables=[gates_table(document)]),
        Section("Faults", tables=[faults_table(document)]),
        Section(
            "Lint",
            [f"Warnings acknowledged in the lock: {acknowledged}."],
            [lint_table(lint(document))],
        ),
        Section(
            "Canonical JSON",
            [f"Its SHA-256 is {digest}. Served by /v1/protocols/{digest}."],
            text=found.document_bytes.decode(),
        ),
        Section(
            "The same, spread over lines for reading",
            text=msgspec.json.format(found.document_bytes.decode(), indent=2),
        ),
    ]
    crumbs = [
        (repository, links.repository_page(repository)),
        ("lock as signed", links.statement_page(found.statement)),
    ]
    heading = f"Protocol {document.name} v{document.version}"
    return sheet_page(Sheet(heading, [document.question, *lock], sections, crumbs))


async def _amendment(ledger: LedgerDep, found: LockedDocument) -> list[Section]:
    """Return what the version changes, and what the log held when it was locked."""
    supersedes = found.predicate.supersedes
    if supersedes is None:
        return []
    earlier = await ledger.protocol(supersedes)
    before, after = earlier.predicate.document, found.predicate.document
    moved = ", ".join(sorted(moved_gates(before, after))) or "none"
    opened = [
        each
        for each in await ledger.studies(found.predicate.repository)
        if each.protocol == supersedes and each.index < found.index
    ]
    known = f"When it was locked, {len(opened)} studies under the version before stood in the log."
    explored = f"EXPLORATORY for what was reserved before its lock: {moved}."
    title = f"What it changes since v{before.version}"
    return [Section(title, [known, explored], [amended_table(amended(before, after))])]
