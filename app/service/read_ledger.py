# SPDX-License-Identifier: Apache-2.0
"""Everything that is read from a ledger, at its newest committed size or at an older one.

A read holds the writer up only while the newest state is looked at; states are values, so whatever
is computed from them is computed afterwards and stays of one tree size.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from app.core.admission.state import HeadState, Standing
from app.core.errors import LedgerBusy, SealedUntilClosure
from app.core.keyring.keyring import Keyring
from app.core.log.merkle import leaf_hash, verify_inclusion
from app.core.log.tile import Tile
from app.core.study.slots import study_phase
from app.service.answers import (
    FoundConsistency,
    FoundInclusion,
    FoundProof,
    FoundStatement,
    FoundStudy,
    LockedDocument,
    StudyListing,
    VerdictBytes,
)
from app.service.captures import CaptureReader, open_blob
from app.service.catalog import Catalog, unknown
from app.service.give_verdict import HeadReader
from app.service.lines import HeadName, LineReader, head_of_line
from app.service.ports import CheckpointRow, LeafRow, LedgerStore
from app.service.read_log import LogReader
from app.service.sequence import Sequencer
from app.service.stored_slice import refuse_other_envelope
from app.service.tree import Tree


class _Newest(NamedTuple):
    tree: Tree
    checkpoint: CheckpointRow


class LedgerReader:
    """The reading half of the ledger's door.

    Attributes:
        catalog: names and prefixes, looked up in the store whatever its newest size.
    """

    def __init__(self, store: LedgerStore, *, origin: str) -> None:
        """Read the log ``origin`` from ``store`` once a sequencer runs beside it."""
        self._store = store
        self._origin = origin
        self._captures = CaptureReader(store)
        self._lines = LineReader(store, self._captures)
        self._log = LogReader(store)
        self._heads = HeadReader(store, self._captures, self._log)
        self.catalog = Catalog(store)
        self._running: Sequencer | None = None

    @property
    def sequencer(self) -> Sequencer:
        """The writer of this process, which knows the newest state.

        Raises:
            LedgerBusy: ``stopping``, the ledger is not started or stopped already.
        """
        if self._running is None:
            raise LedgerBusy("This process does not serve the ledger now.", code="stopping")
        return self._running

    # ---- heads ----

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

    async def statement(self, digest: str) -> FoundStatement:
        """Return a statement, re-hashed and its signatures verified once more.

        Raises:
            UnknownThing: ``unknown-statement``.
            IntegrityBroken: its stored bytes are not what was appended.
        """
        (found,) = await self.catalog.found([await self._leaf(digest, "statement")])
        refuse_other_envelope(found, self.sequencer.keyring())
        return found

    async def proof(self, digest: str) -> FoundProof:
        """Return where a statement stands in the newest tree.

        Raises:
            UnknownThing: ``unknown-statement``.
        """
        leaf = await self._leaf(digest, "statement")
        newest = await self._newest()  # after the leaf, so that the tree has it
        proof = await self._log.inclusion(newest.tree, leaf.index)
        verify_inclusion(
            leaf_hash(leaf.record),
            index=leaf.index,
            size=newest.tree.size,
            proof=proof,
            root=newest.tree.root(),
        )
        return FoundProof(
            index=leaf.index,
            record=leaf.record,
            proof=proof,
            size=newest.tree.size,
            checkpoint=newest.checkpoint.note.decode(),
        )

    async def inclusion(self, index: int, size: int) -> FoundInclusion:
        """Return the proof that a leaf stands in the tree of ``size``.

        Raises:
            UnknownThing: ``unknown-size``, the log is not of that size yet, or has no such leaf.
        """
        tree = (await self._newest()).tree
        if not index < size <= tree.size:
            raise unknown("size")
        (leaf,) = await self._store.leaves(index, index + 1)
        return FoundInclusion(
            leaf_hash=leaf.hash,
            root=bytes.fromhex(await self._log.root_at(tree, size)),
            proof=await self._log.inclusion(tree, index, size=size),
        )

    async def consistency(self, old_size: int, new_size: int) -> FoundConsistency:
        """Return the proof that the log of ``new_size`` begins with the one of ``old_size``.

        Raises:
            UnknownThing: ``unknown-size``, the log is not of that size yet, or the first is larger.
        """
        tree = (await self._newest()).tree
        if not old_size <= new_size <= tree.size:
            raise unknown("size")
        return FoundConsistency(
            old_root=bytes.fromhex(await self._log.root_at(tree, old_size)),
            new_root=bytes.fromhex(await self._log.root_at(tree, new_size)),
            proof=await self._log.consistency(tree, old_size, new_size),
        )

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

    async def protocol(self, digest: str) -> LockedDocument:
        """Return a locked protocol by its document's digest.

        Raises:
            UnknownThing: ``unknown-protocol``.
        """
        return await self.catalog.protocol(digest)

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

    async def checkpoint(self) -> bytes:
        """Return the newest signed checkpoint."""
        return (await self._newest()).checkpoint.note

    async def tile(self, tile: Tile) -> bytes:
        """Return a tile of hashes or an entry bundle.

        Raises:
            UnknownThing: ``unknown-tile``, the tree is not that large.
        """
        return await self._log.tile((await self._newest()).tree, tile)

    async def entries(self, *, after: int = -1, limit: int = 100) -> Sequence[FoundStatement]:
        """Return statements in log order above index ``after``."""
        return await self.catalog.found(await self._store.leaves(after + 1, after + 1 + limit))

    async def _newest(self) -> _Newest:
        async with self.sequencer.newest() as standings:
            return _Newest(standings.tree, standings.checkpoint)

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

    async def _leaf(self, digest: str, what: str) -> LeafRow:
        leaf = (await self._store.leaves_of([digest])).get(digest)
        if leaf is None:
            raise unknown(what)
        return leaf

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
