# SPDX-License-Identifier: Apache-2.0
"""Pages about the whole ledger: its repositories, its log, its keys, and any one statement."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec
from fastapi import APIRouter, Depends, Response

from app.core.keyring.keyring import Grant
from app.core.verdict.numbers import instant_text
from app.edge.deps import CursorQuery, Digest, LedgerDep, only_known_queries
from app.pages.page_route import PageRoute
from app.pages.sections import Section, Sheet, sheet_page
from app.pages.views import links
from app.pages.views.table import Cell, Table, code, number
from app.pages.views.witnessed import witnessed_text
from app.service.answers import FoundStatement
from app.service.scrub import Scrubbed

router = APIRouter(
    route_class=PageRoute,
    dependencies=[Depends(only_known_queries)],
    include_in_schema=False,
)

_ROWS: Final = 100


@router.get("/")
async def get_index(ledger: LedgerDep) -> Response:
    """List the repositories of this ledger."""
    rows = []
    for name in await ledger.repositories():
        heads = number(str(len(await ledger.heads(name))))
        rows.append((Cell(name, links.repository_page(name)), heads))
    table = Table(
        caption="Repositories in this ledger.",
        headers=("Repository", "Heads with a line"),
        rows=rows,
        empty="No statement about any repository is in this ledger yet. To begin: "
        "fairtrial protocol lock FILE.",
    )
    about = (
        "Protocols are locked before anything runs, every planned slot is accounted for, and there "
        "is one word per claim and exact head, which anybody can recompute."
    )
    lines = (about, f"Ledger {ledger.origin}, genesis {ledger.genesis}.")
    return sheet_page(Sheet("Fairtrial", lines, [Section(tables=[table])]))


@router.get("/log")
async def get_log(ledger: LedgerDep, cursor: CursorQuery | None = None) -> Response:
    """Show the newest checkpoint and a hundred entries; without a cursor, the newest hundred."""
    checkpoint = (await ledger.checkpoint()).decode()
    size = int(checkpoint.splitlines()[1])
    start = max(0, size - _ROWS) if cursor is None else min(cursor, size)
    entries = await ledger.entries(after=start - 1, limit=_ROWS)
    end = start + len(entries)
    crumbs = [("Older entries", f"/log?cursor={max(0, start - _ROWS)}")] if start else []
    if end < size:
        crumbs.append(("Newer entries", f"/log?cursor={end}"))
    lines = (
        f"The log holds {size} entries. Nothing in it is ever changed or removed.",
        "The tree is served at /log/checkpoint and /log/tile/... (C2SP tlog-tiles).",
        witnessed_text(ledger.witnesses(), checkpoint),
        scrub_line(ledger.scrubbed),
    )
    sections = [
        Section("Newest checkpoint", text=checkpoint.rstrip("\n")),
        Section("Entries", tables=[_entries_table(entries)]),
    ]
    return sheet_page(Sheet("Log", lines, sections, crumbs))


def scrub_line(scrubbed: Scrubbed) -> str:
    """Return what re-hashing the store has come to, in one sentence."""
    if scrubbed.damage is not None:
        place = "" if scrubbed.damage.index is None else f" at entry {scrubbed.damage.index}"
        return f"DAMAGE was found{place}: {scrubbed.damage.what}"
    if scrubbed.rounds:
        times = "once" if scrubbed.rounds == 1 else f"{scrubbed.rounds} times"
        return f"This process has re-hashed every stored byte {times} and found no damage."
    return f"This process has re-hashed {scrubbed.position} entries so far and found no damage."


@router.get("/keys")
async def get_keys(ledger: LedgerDep) -> Response:
    """Show every key, whose it is, and what it may do from which entry on."""
    keyring = await ledger.keyring()
    grants = sorted(keyring.grants.values(), key=lambda grant: grant.from_index)
    table = Table(
        caption="Keys and what each may do. One key has one role; keys of one person share a "
        "holder.",
        headers=("Key", "Holder", "Role", "Repositories", "From entry", "Until entry"),
        rows=[_grant_row(grant) for grant in grants],
        empty="No key is registered.",
    )
    lines = [f"A key statement needs {keyring.threshold} distinct admin keys."]
    admins = {grant.holder for grant in grants if grant.role == "admin"}
    if len(admins) == 1:
        lines.append("Governed by one person: all admin keys have the same holder.")
    return sheet_page(Sheet("Keys", lines, [Section(tables=[table])]))


@router.get("/statements/{digest}")
async def get_statement(digest: Digest, ledger: LedgerDep) -> Response:
    """Show any statement as it was signed."""
    found = await ledger.statement(digest)
    leaf = found.leaf
    table = Table(
        caption="Its place in the log.",
        headers=("What", "Value"),
        rows=[
            (Cell("log entry"), number(str(found.index))),
            (Cell("log time"), Cell(instant_text(leaf.at))),
            (Cell("kind"), Cell(leaf.kind)),
            (Cell("line"), code(leaf.line)),
            (Cell("place in its line"), number(str(leaf.seq))),
            (Cell("key"), code(leaf.key)),
            (Cell("SHA-256 of the signed bytes"), code(found.digest)),
        ],
    )
    sections = [Section(tables=[table]), payload_section(found)]
    return sheet_page(Sheet(f"Statement {links.short(digest)}: {leaf.kind}", (), sections))


def payload_section(found: FoundStatement) -> Section:
    """Return the signed payload, spread over lines to be read."""
    line = (
        "Spread over lines for reading; the signed bytes are in canonical form and are served by "
        f"/v1/statements/{found.digest}."
    )
    return Section("As signed", [line], text=msgspec.json.format(found.payload.decode(), indent=2))


def _entries_table(entries: Sequence[FoundStatement]) -> Table:
    return Table(
        caption="Entries, in log order.",
        headers=("Entry", "Log time", "Kind", "Line", "Statement"),
        rows=[
            (
                Cell(str(one.index)),
                Cell(instant_text(one.leaf.at)),
                Cell(one.leaf.kind),
                code(one.leaf.line),
                code(links.short(one.digest), links.statement_page(one.digest)),
            )
            for one in entries
        ],
        empty="No entry stands here.",
    )


def _grant_row(grant: Grant) -> tuple[Cell, ...]:
    ended = "in force" if grant.until_index is None else f"{grant.until_index} ({grant.ended_by})"
    doubt = grant.suspicion
    doubted = None if doubt is None else f"doubted from entry {doubt.from_index} on"
    return (
        code(grant.id),
        Cell(grant.holder),
        Cell(grant.role.value),
        Cell(", ".join(sorted(grant.repositories)) or "not bound to a repository"),
        number(str(grant.from_index)),
        number(ended, note=doubted),
    )
