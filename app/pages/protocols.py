# SPDX-License-Identifier: Apache-2.0
"""The page of one locked protocol: in words, as canonical JSON, and what the linter says of it."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from fastapi import APIRouter, Depends, Response

from app.core.protocol.lint import lint
from app.core.verdict.numbers import instant_text
from app.core.verdict.versions import ProtocolVersion
from app.edge.deps import Digest, LedgerDep, RepositoryDep, only_known_queries
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
from app.pages.views.versions import known_text, mark_text, versions_table

router = APIRouter(
    prefix="/r/{host}/{owner}/{name}/protocols",
    route_class=PageRoute,
    dependencies=[Depends(only_known_queries)],
    include_in_schema=False,
)


@router.get("/{digest}")
async def get_protocol(repository: RepositoryDep, digest: Digest, ledger: LedgerDep) -> Response:
    """Show one locked protocol."""
    found = await ledger.protocol(digest, repository=repository)
    predicate = found.predicate
    document = predicate.document
    lock = [f"Locked {instant_text(found.at)}, log entry {found.index}. It never changes."]
    if predicate.supersedes is not None:
        lock.append(f"It supersedes {predicate.supersedes}.")
    if predicate.reason is not None:
        lock.append(f"Reason: {predicate.reason}")
    versions = (await ledger.versions(digest, repository=repository)).versions
    acknowledged = ", ".join(predicate.acknowledged_warnings) or "none"
    cells = [one for one in (cells_table(document), other_cells_table(document)) if one.rows]
    sections = [
        *_amendment(versions, digest),
        Section("Versions", tables=[versions_table(repository, versions, digest)]),
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


def _amendment(versions: Sequence[ProtocolVersion], digest: str) -> list[Section]:
    """Return what the version changes, and what could be known when it was locked."""
    earlier = {each.lock.digest: each.lock.document.version for each in versions}
    shown = next(each for each in versions if each.lock.digest == digest)
    superseded = earlier.get(shown.lock.predicate.supersedes or "")
    if superseded is None:
        return []
    title = f"What it changes since v{superseded}"
    return [Section(title, [known_text(shown), mark_text(shown)], [amended_table(shown.changes)])]
