# SPDX-License-Identifier: Apache-2.0
"""What is read of the log alone, at its newest committed size: statements, proofs, tiles.

Nothing here asks what a statement says.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from app.core.errors import LedgerBusy
from app.core.log.merkle import leaf_hash, verify_inclusion
from app.core.log.tile import Tile
from app.service.answers import FoundConsistency, FoundInclusion, FoundProof, FoundStatement
from app.service.catalog import Catalog, unknown
from app.service.ports import CheckpointRow, LeafRow, LedgerStore
from app.service.read_log import LogReader
from app.service.sequence import Sequencer
from app.service.stored_slice import refuse_other_envelope
from app.service.tree import Tree


class _Newest(NamedTuple):
    tree: Tree
    checkpoint: CheckpointRow


class NewestLog:
    """The log, as whichever process wrote last left it.

    Attributes:
        catalog: names and prefixes, looked up in the store whatever its newest size.
    """

    def __init__(self, store: LedgerStore) -> None:
        """Read from ``store`` once a sequencer runs beside it."""
        self._store = store
        self._log = LogReader(store)
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

    async def _leaf(self, digest: str, what: str) -> LeafRow:
        leaf = (await self._store.leaves_of([digest])).get(digest)
        if leaf is None:
            raise unknown(what)
        return leaf
