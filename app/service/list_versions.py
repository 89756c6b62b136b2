# SPDX-License-Identifier: Apache-2.0
"""Versions of a protocol with what was known at each lock, recomputed from the log and remembered.

What stood below the index of a lock never changes, so it is read once a process: studies of every
head from their fold, judgements from the newest verdict that stood on the head's line by then.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Final

from app.core.identity import Sha256Hex
from app.core.statement.verdict import VerdictDocument, VerdictPredicate
from app.core.study.state import LockedProtocol, StudyState
from app.core.verdict.versions import (
    KnownAtLock,
    ProtocolVersion,
    before,
    known_on,
    version_of,
)
from app.service.catalog import Catalog
from app.service.lines import HeadName
from app.service.ports import LeafRow
from app.service.remembered import Remembered

_LOCKS: Final = 10_000
"""Locks whose known counts are remembered: some hundred bytes each."""

_Known = Mapping[Sha256Hex, KnownAtLock]


class VersionReader:
    """Tells what could be known when a version was locked."""

    def __init__(
        self, catalog: Catalog, studies_on: Callable[[HeadName], Awaitable[Sequence[StudyState]]]
    ) -> None:
        """Look things up in ``catalog``; ``studies_on`` gives the folded studies of a head."""
        self._catalog = catalog
        self._studies_on = studies_on
        self._known: Remembered[str, _Known] = Remembered(_LOCKS)

    async def of(
        self,
        repository: str,
        chain: Sequence[LockedProtocol],
        page: Sequence[LockedProtocol],
    ) -> tuple[ProtocolVersion, ...]:
        """Return the versions of ``page``, which are some of the repository's ``chain``."""
        unread = [lock for lock in page if self._known.get(lock.statement) is None]
        counted = await self._count(repository, chain, unread) if unread else {}
        versions = []
        for lock in page:
            held = counted.get(lock.statement) or self._known.get(lock.statement) or {}
            versions.append(version_of(lock, before(chain, lock), held))
        for statement, held in counted.items():
            self._known.keep(statement, held, size=1)
        return tuple(versions)

    async def _count(
        self,
        repository: str,
        chain: Sequence[LockedProtocol],
        locks: Sequence[LockedProtocol],
    ) -> Mapping[str, _Known]:
        """Return what was known of each version of ``chain`` at each lock, by its statement."""
        counted: dict[str, dict[Sha256Hex, KnownAtLock]] = {lock.statement: {} for lock in locks}
        digests = {lock.digest for lock in chain}
        opened = await self._catalog.studies(repository)
        heads = [HeadName(repository, one.head) for one in opened if one.protocol in digests]
        verdicts = await self._catalog.verdict_leaves(repository) if heads else {}
        for name in dict.fromkeys(heads):
            studies = await self._studies_on(name)
            said = await self._said(verdicts.get(name, ()), locks)
            for lock in locks:
                total = counted[lock.statement]
                held = known_on(studies, below=lock.index, said=said[lock.statement])
                for protocol, more in held.items():
                    total[protocol] = total.get(protocol, KnownAtLock()) + more
        return counted

    async def _said(
        self, rows: Sequence[LeafRow], locks: Sequence[LockedProtocol]
    ) -> Mapping[str, VerdictDocument | None]:
        """Return for each lock the newest verdict of one head below it; None: none stood there."""
        newest = {
            lock.statement: next((row for row in reversed(rows) if row.index < lock.index), None)
            for lock in locks
        }
        wanted = {row.index: row for row in newest.values() if row is not None}
        documents = {
            one.index: one.entry.parsed.predicate.document
            for one in await self._catalog.found(list(wanted.values()))
            if one.entry.parsed and isinstance(one.entry.parsed.predicate, VerdictPredicate)
        }
        return {
            statement: None if row is None else documents.get(row.index)
            for statement, row in newest.items()
        }
