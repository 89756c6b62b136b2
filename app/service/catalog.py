# SPDX-License-Identifier: Apache-2.0
"""Finds things by name, by prefix and in lists: what stands in the ledger and where.

Lists follow the log's own order; a position in one is an index of the log, so a page that was read
once never changes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from app.core.digest import sha256_hex
from app.core.errors import Conflict, UnknownThing
from app.core.log.leaf import repository_line
from app.core.statement.encoding import encode
from app.core.statement.protocol import ProtocolPredicate
from app.core.statement.study import StudyPredicate
from app.service.answers import FoundStatement, LockedDocument, StudyListing
from app.service.lines import HeadName, entry_in, head_of_line
from app.service.ports import LeafRow, LedgerStore

MIN_PREFIX: Final = 7
"""Characters of a commit or a digest that are enough to ask by."""
_FULL_HEADS: Final = (40, 64)


class Catalog:
    """Looks things up in the store."""

    def __init__(self, store: LedgerStore) -> None:
        """Look in ``store``."""
        self._store = store

    async def repositories(self) -> tuple[str, ...]:
        """Return the repositories that have a line of their own or a head's."""
        own = [line.removeprefix("repo:") for line in await self._store.lines("repo:")]
        heads = [head_of_line(line).repository for line in await self._store.lines("head:")]
        return tuple(sorted({*own, *heads}))

    async def heads(self, repository: str) -> tuple[str, ...]:
        """Return the heads of a repository that have a line."""
        lines = await self._store.lines(HeadName(repository, "").line)
        return tuple(head_of_line(line).head for line in lines)

    async def resolve_head(self, repository: str, prefix: str, *, named: Sequence[str] = ()) -> str:
        """Return the one head that begins with ``prefix``; a full commit id is its own answer.

        Args:
            repository: whose head.
            prefix: 7 or more characters of it.
            named: heads that have no line of their own and are known all the same.

        Raises:
            UnknownThing: ``unknown-head``.
            Conflict: ``ambiguous-prefix``.
        """
        if len(prefix) in _FULL_HEADS:
            return prefix
        if len(prefix) < MIN_PREFIX:
            raise unknown("head")
        lines = await self._store.lines(HeadName(repository, prefix).line, limit=2)
        found = {head_of_line(line).head for line in lines}
        found.update(head for head in named if head.startswith(prefix))
        return _only(sorted(found), "head")

    async def resolve_statement(self, prefix: str) -> str:
        """Return the one statement digest that begins with ``prefix``.

        Raises:
            UnknownThing: ``unknown-statement``.
            Conflict: ``ambiguous-prefix``.
        """
        if len(prefix) < MIN_PREFIX:
            raise unknown("statement")
        return _only(await self._store.statements_like(prefix, limit=2), "statement")

    async def found(self, rows: Sequence[LeafRow]) -> tuple[FoundStatement, ...]:
        """Return statements as they are stored."""
        stored = await self._store.statements([row.statement for row in rows])
        return tuple(
            FoundStatement(
                digest=row.statement,
                entry=entry_in(row, stored),
                record=row.record,
                payload=stored[row.statement].payload,
                envelope=stored[row.statement].envelope,
            )
            for row in rows
        )

    async def studies(
        self, repository: str | None, *, after: int = -1, limit: int | None = None
    ) -> tuple[StudyListing, ...]:
        """Return studies above index ``after``, of one repository or of all."""
        lines = "head:" if repository is None else HeadName(repository, "").line
        rows = await self._store.leaves_of_kind("study", lines=lines, after=after, limit=limit)
        return tuple(
            _listing(one, one.entry.parsed.predicate)
            for one in await self.found(rows)
            if one.entry.parsed and isinstance(one.entry.parsed.predicate, StudyPredicate)
        )

    async def protocols(
        self, repository: str | None, *, after: int = -1, limit: int | None = None
    ) -> tuple[LockedDocument, ...]:
        """Return locked protocols above index ``after``, of one repository or of all."""
        lines = "repo:" if repository is None else repository_line(repository)
        rows = await self._store.leaves_of_kind("protocol", lines=lines, after=after)
        if repository is not None:
            rows = [row for row in rows if row.line == lines]  # and not of a longer name
        return tuple(
            _locked(one, one.entry.parsed.predicate)
            for one in await self.found(rows[:limit])
            if one.entry.parsed and isinstance(one.entry.parsed.predicate, ProtocolPredicate)
        )

    async def protocol(self, digest: str, *, repository: str | None = None) -> LockedDocument:
        """Return a locked protocol by its document's digest, its first lock if it has several.

        Args:
            digest: of the document.
            repository: whose lock; None: anybody's.

        Raises:
            UnknownThing: ``unknown-protocol``.
        """
        for locked in await self.protocols(repository):
            if locked.digest == digest:
                return locked
        raise unknown("protocol")

    async def verdict_leaves(self, repository: str) -> Mapping[HeadName, Sequence[LeafRow]]:
        """Return where each head's verdicts stand in the log, in order, without reading them."""
        lines = HeadName(repository, "").line
        found: dict[HeadName, list[LeafRow]] = {}
        for row in await self._store.leaves_of_kind("verdict", lines=lines):
            found.setdefault(head_of_line(row.line), []).append(row)
        return found


def _listing(found: FoundStatement, predicate: StudyPredicate) -> StudyListing:
    name = head_of_line(found.leaf.line)
    return StudyListing(
        digest=found.digest,
        index=found.index,
        at=found.leaf.at,
        repository=name.repository,
        head=name.head,
        ordinal=predicate.ordinal,
        change=predicate.change,
        protocol=predicate.protocol,
    )


def _locked(found: FoundStatement, predicate: ProtocolPredicate) -> LockedDocument:
    document = encode(predicate.document)
    return LockedDocument(
        digest=sha256_hex(document),
        statement=found.digest,
        index=found.index,
        at=found.leaf.at,
        predicate=predicate,
        document_bytes=document,
    )


def _only(found: Sequence[str], what: str) -> str:
    if not found:
        raise unknown(what)
    if len(found) > 1:
        message = f"More than one {what} begins like this; give more characters."
        raise Conflict(message, code="ambiguous-prefix")
    return found[0]


def unknown(what: str) -> UnknownThing:
    """Return the error for a name that nothing stands under."""
    form = "; its full name is host/owner/name, in lower case" if what == "repository" else ""
    message = f"No {what} of that name stands in this ledger{form}."
    return UnknownThing(message, code=f"unknown-{what}")
