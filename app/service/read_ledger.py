# SPDX-License-Identifier: Apache-2.0
"""Everything that is read from a ledger, at its newest committed size or at an older one.

A read holds the writer up only while the newest state is looked at; states are values, so whatever
is computed from them is computed afterwards and stays of one tree size.
"""

from __future__ import annotations

from app.core.admission.state import HeadState, Standing
from app.core.errors import SealedUntilClosure
from app.core.keyring.keyring import Keyring
from app.core.study.slots import study_phase
from app.core.study.state import StudyState
from app.core.verdict.versions import chain_of
from app.service.answers import (
    FoundStudy,
    FoundVersions,
    LockedDocument,
    StudyListing,
    VerdictBytes,
)
from app.service.captures import CaptureReader, open_blob
from app.service.catalog import unknown
from app.service.give_verdict import HeadReader
from app.service.lines import HeadName, LineReader, head_of_line
from app.service.list_versions import VersionReader
from app.service.newest_log import NewestLog
from app.service.ports import LedgerStore


class LedgerReader(NewestLog):
    """The reading half of the ledger's door."""

    def __init__(self, store: LedgerStore, *, origin: str) -> None:
        """Read the log ``origin`` from ``store`` once a sequencer runs beside it."""
        super().__init__(store)
        self._origin = origin
        self._captures = CaptureReader(store)
        self._lines = LineReader(store, self._captures)
        self._heads = HeadReader(store, self._captures, self._log)
        self._versions = VersionReader(self.catalog, self._studies_on)

    async def keyring(self) -> Keyring:
        """Return the keys and grants in force now."""
        async with self.sequencer.newest() as standings:
            return standings.ledger.keyring

    async def standing(
        self, repository: str, head: str | None = None, *, at_size: int | None = None
    ) -> Standing:
        """Return the folded lines of a head (or of a repository alone), now or below ``at_size``.

        Raises:
            UnknownThing: ``unknown-repository``, ``unknown-size``.
        """
        standing, _, _ = await self._standing(HeadName(repository, head or ""), at_size)
        return standing

    async def verdict(
        self, repository: str, head: str, *, claim: str | None = None, at_size: int | None = None
    ) -> VerdictBytes:
        """Return the verdict document of one claim; without ``claim``, of the policy's first.

        Raises:
            UnknownThing: ``unknown-repository``, ``unknown-claim``, ``unknown-size``.
        """
        given = await self.verdicts(repository, head, at_size=at_size)
        if claim is None:
            return given[0]
        for one in given:
            if one.claim == claim:
                return one
        raise unknown("claim")

    async def verdicts(
        self, repository: str, head: str, *, at_size: int | None = None
    ) -> tuple[VerdictBytes, ...]:
        """Return the verdict documents of every claim, in the policy's order.

        Raises:
            UnknownThing: ``unknown-repository``, ``unknown-size``.
        """
        name = HeadName(repository, head)
        standing, _, log_time_us = await self._standing(name, at_size)
        return await self._heads.verdicts(name, standing, log_time_us)

    async def capture(self, digest: str) -> bytes:
        """Return a capture's JCS bytes.

        Raises:
            UnknownThing: ``unknown-capture``.
            SealedUntilClosure: no study that names it is closed.
        """
        receipts = await self._store.uses_of(digest)
        leaves = await self._store.leaves_of(receipts)
        if not leaves:
            raise unknown("capture")
        for line in sorted({leaf.line for leaf in leaves.values()}):
            if await self._is_open_to_readers(head_of_line(line), digest):
                return open_blob((await self._captures.stored([digest]))[digest])
        message = "The capture can be read once every slot of its study is terminal."
        raise SealedUntilClosure(message)

    async def study(self, digest: str) -> FoundStudy:
        """Return a study as it stands now.

        Raises:
            UnknownThing: ``unknown-study``.
        """
        leaf = await self._leaf(digest, "study")
        if leaf.kind != "study":
            raise unknown("study")
        name = head_of_line(leaf.line)
        standing, _, log_time_us = await self._standing(name, None)
        study = (standing.head or HeadState()).study(digest)
        if study is None:
            raise unknown("study")
        return FoundStudy(name.repository, name.head, study, log_time_us)

    async def protocol(self, digest: str, *, repository: str | None = None) -> LockedDocument:
        """Return a locked protocol by its document's digest, its first lock if it has several.

        Raises:
            UnknownThing: ``unknown-protocol``: nobody, or not ``repository``, has locked it.
        """
        return await self.catalog.protocol(digest, repository=repository)

    async def versions(
        self,
        digest: str,
        *,
        repository: str | None = None,
        after: int = -1,
        limit: int | None = None,
    ) -> FoundVersions:
        """Return the chain of versions that a locked protocol stands in, in log order.

        Args:
            digest: of any of their documents.
            repository: whose; None: the first's that locked it.
            after: only versions locked above this index.
            limit: so many at most; None: all.

        Raises:
            UnknownThing: ``unknown-protocol``.
        """
        locked = await self.protocol(digest, repository=repository)
        name = locked.predicate.repository
        protocols = (await self.standing(name)).repository.protocols
        chain = chain_of(protocols, digest)
        page = [lock for lock in chain if lock.index > after][:limit]
        return FoundVersions(name, await self._versions.of(name, chain, page), chain[-1].digest)

    async def studies(
        self, repository: str | None = None, *, after: int = -1, limit: int = 100
    ) -> tuple[StudyListing, ...]:
        """Return studies in log order above index ``after``."""
        return await self.catalog.studies(repository, after=after, limit=limit)

    async def protocols(
        self, repository: str | None = None, *, after: int = -1, limit: int = 100
    ) -> tuple[LockedDocument, ...]:
        """Return locked protocols in log order above index ``after``."""
        return await self.catalog.protocols(repository, after=after, limit=limit)

    async def repositories(self) -> tuple[str, ...]:
        """Return the repositories that have a line."""
        return await self.catalog.repositories()

    async def heads(self, repository: str) -> tuple[str, ...]:
        """Return the heads of a repository that have a line."""
        return await self.catalog.heads(repository)

    async def change(self, repository: str, number: str) -> tuple[StudyListing, ...]:
        """Return the studies of one change, in log order.

        Raises:
            UnknownThing: ``unknown-change``.
        """
        studies = await self.catalog.studies(repository)
        found = tuple(study for study in studies if study.change == number)
        if not found:
            raise unknown("change")
        return found

    async def _studies_on(self, name: HeadName) -> tuple[StudyState, ...]:
        standing, _, _ = await self._standing(name, None)
        return (standing.head or HeadState()).studies

    async def _standing(self, name: HeadName, at_size: int | None) -> tuple[Standing, int, int]:
        """Return the standing, its tree size and its log time."""
        if at_size is None:
            async with self.sequencer.newest() as standings:
                await standings.bring(name)
                found = standings.standing(name), standings.size, standings.at_us
        else:
            last = await self._store.leaves(max(at_size - 1, 0), at_size)
            if not last:
                raise unknown("size")
            found = await self._lines.below(name, at_size), at_size, last[0].at_us
        standing = found[0]
        if not standing.repository.length and not (standing.head or HeadState()).length:
            raise unknown("repository")
        return found

    async def _is_open_to_readers(self, name: HeadName, capture: str) -> bool:
        standing, _, log_time_us = await self._standing(name, None)
        return any(
            receipt.predicate.capture.sha256 == capture
            for study in (standing.head or HeadState()).studies
            if study_phase(study, log_time_us) == "CLOSED"
            for slot in study.slots.values()
            for attempt in slot.attempts
            for receipt in attempt.receipts
        )
