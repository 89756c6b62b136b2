# SPDX-License-Identifier: Apache-2.0
"""Lives a whole store through again and names the first thing that is wrong.

Entry by entry, in this order: its own bytes (``stored_slice``); its line, signatures and grants;
may it have been admitted there, and does what the ledger itself said follow; its place in its line
and in time; the tree below a reservation. Then what the entries make: full tiles, every checkpoint
of the chain with its signature, and that there is nothing beside them.

Bounded in memory: a slice of entries, one capture at a time, the captures of one study, and so many
folded heads; others are folded again from entries that were found in order before.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from app.core.admission.apply import apply
from app.core.admission.state import HeadState, LedgerState, LineState, RepositoryState, Standing
from app.core.errors import FairtrialError, IntegrityBroken
from app.core.identity import micros_of
from app.core.log.leaf import TreeHead
from app.core.log.merkle import HASH_BYTES, Frontier
from app.core.log.tile import FULL
from app.core.statement.capture import Capture
from app.core.statement.entry import Entry
from app.core.statement.key import KeyPredicate
from app.core.statement.verdict import VerdictPredicate
from app.core.verdict.fold import captures_needed
from app.core.verdict.readmit import admit_again, capture_for, refuse_other_line, verified_signers
from app.service.captures import CaptureReader
from app.service.lines import HeadName, LineReader, name_of_line
from app.service.ports import CheckpointRow, LedgerStore, TileRow
from app.service.read_log import LogReader
from app.service.standings import no_ledger
from app.service.stored_slice import (
    Damage,
    Damaged,
    StoredEntry,
    capture_named_by,
    damaged,
    read_slice,
    refuse_other_note,
    slices,
)
from app.service.tree import Tree

KEPT_HEADS: Final = 256


@dataclass(frozen=True, slots=True)
class Audited:
    """What an audit came to.

    Attributes:
        size: entries found in order, from the first on.
        root: root of the tree over them, in hex.
        damage: what is wrong; None: nothing.
    """

    size: int
    root: str
    damage: Damage | None


class Audit:
    """One walk through a store."""

    def __init__(
        self, store: LedgerStore, *, progress: Callable[[int, int], None] = lambda _done, _of: None
    ) -> None:
        """Walk through ``store``; ``progress`` is told of entries done, and of how many."""
        self._store = store
        self._progress = progress
        self._log = LogReader(store)
        self._captures = CaptureReader(store)
        self._lines = LineReader(store, self._captures)
        self._tree = Tree()
        self._frontier = Frontier()
        self._ledger = LedgerState()
        self._repositories: dict[str, RepositoryState] = {}
        self._heads: OrderedDict[HeadName, HeadState] = OrderedDict()
        self._seen: set[HeadName] = set()
        self._at_us = 0
        self._chain: CheckpointRow | None = None
        self._counts = {"capture_use": 0, "tile": 0, "checkpoint": 0}

    async def run(self) -> Audited:
        """Walk from the genesis to the newest checkpoint.

        Raises:
            LedgerBusy: ``store-unavailable``.
            UnknownThing: ``no-ledger``.
        """
        damage = None
        try:
            newest = await self._store.newest_checkpoint()
            if newest is None:
                raise no_ledger()
            for start, end in slices(0, newest.size):
                await self._slice(start, end)
                self._progress(end, newest.size)
            await self._refuse_more(newest.size)
        except Damaged as found:
            damage = found.damage
        except IntegrityBroken as error:
            damage = Damage(self._frontier.size, error.code, error.detail)
        return Audited(self._frontier.size, self._frontier.root().hex(), damage)

    async def _slice(self, start: int, end: int) -> None:
        chain = {row.size: row for row in await self._store.checkpoints(start, end)}
        hashes, roots = [], {start: self._frontier.root().hex()}
        async for stored in read_slice(self._store, start, end):
            await self._entry(stored, roots)
            hashes.append(stored.row.hash)
            self._frontier = self._frontier.append(stored.row.hash)
            roots[self._frontier.size] = self._frontier.root().hex()
            self._refuse_other_checkpoint(chain.get(self._frontier.size))
        self._tree, tiles = self._tree.grow(hashes)
        await self._refuse_other_tiles(tiles)

    # ---- one entry ----

    async def _entry(self, stored: StoredEntry, roots: Mapping[int, str]) -> None:
        entry, index = stored.entry, stored.row.index
        name = name_of_line(entry.leaf.line)
        standing = await self._standing(name)
        try:
            refuse_other_line(entry)
            signers = verified_signers(entry, stored.envelope, standing)
            self._refuse_other_place(entry, standing)
            if entry.leaf.after not in {None, TreeHead(index, roots[index])}:
                message = f"The reservation at index {index} names another tree than its own."
                raise IntegrityBroken(message, code="reservation-tree")
            captures = await self._captures_for(entry, standing)
            if not _is_unknown(standing):
                known = await self._root_named_by(entry, roots)
                admit_again(entry, signers, standing, captures, root_at=known.get)
        except FairtrialError as error:
            raise damaged(index, error) from error
        self._counts["capture_use"] += capture_named_by(entry) is not None
        self._at_us = micros_of(entry.leaf.at)
        self._keep(name, apply(standing, entry, capture_for(entry, captures)))

    def _refuse_other_place(self, entry: Entry, standing: Standing) -> None:
        line: LineState = standing.ledger
        if entry.leaf.line != "ledger":
            line = standing.repository if standing.head is None else standing.head
        if (entry.leaf.seq, entry.leaf.prev) != (line.length, line.last_index):
            message = f"The entry at index {entry.index} is not the next of its line."
            raise IntegrityBroken(message, code="line-incomplete")
        if micros_of(entry.leaf.at) < self._at_us:
            message = f"The entry at index {entry.index} is older than the one before it."
            raise IntegrityBroken(message, code="leaf-time")

    async def _captures_for(self, entry: Entry, standing: Standing) -> Mapping[str, Capture]:
        predicate = None if entry.parsed is None else entry.parsed.predicate
        if isinstance(predicate, VerdictPredicate):
            needed = captures_needed(standing, micros_of(entry.leaf.at))
            return await self._captures.captures(needed)
        named = capture_named_by(entry)
        return {} if named is None else await self._captures.captures([named.sha256])

    async def _root_named_by(self, entry: Entry, roots: Mapping[int, str]) -> Mapping[int, str]:
        """Return the root that a key statement's checkpoint must have."""
        predicate = None if entry.parsed is None else entry.parsed.predicate
        if not isinstance(predicate, KeyPredicate):
            return {}
        size = predicate.checkpoint.size
        if size in roots or size > entry.index:
            return {size: roots.get(size, "")}
        return {size: await self._log.root_at(self._tree, size)}

    # ---- the folded lines ----

    async def _standing(self, name: HeadName) -> Standing:
        repository = self._repositories.get(
            name.repository, RepositoryState(repository=name.repository)
        )
        if not name.head:
            return Standing(self._ledger, repository)
        head = self._heads.get(name)
        if head is None and name in self._seen:
            head = (await self._lines.below(name, self._frontier.size)).head
        empty = HeadState(repository=name.repository, head=name.head)
        return Standing(self._ledger, repository, head or empty)

    def _keep(self, name: HeadName, standing: Standing) -> None:
        self._ledger = standing.ledger
        if name.repository:
            self._repositories[name.repository] = standing.repository
        if standing.head is not None:
            self._seen.add(name)
            self._heads[name] = standing.head
            self._heads.move_to_end(name)
            if len(self._heads) > KEPT_HEADS:
                self._heads.popitem(last=False)

    # ---- what the entries make ----

    def _refuse_other_checkpoint(self, row: CheckpointRow | None) -> None:
        size = self._frontier.size
        if row is None:
            return
        self._counts["checkpoint"] += 1
        before, self._chain = self._chain, row
        prev_size = None if before is None else before.size
        if row.prev_size is not None and (prev_size or 0) < row.prev_size < size:
            message = (
                f"There is no checkpoint of size {row.prev_size}, which that of {size} follows."
            )
            raise Damaged(Damage(row.prev_size - 1, "checkpoint-missing", message))
        said = (row.prev_size, row.root, row.at_us)
        if said != (prev_size, self._frontier.root(), self._at_us):
            message = f"The checkpoint of size {size} is not that of the entries below it."
            raise Damaged(Damage(size - 1, "checkpoint-row", message))
        refuse_other_note(self._ledger, row)

    async def _refuse_other_tiles(self, tiles: tuple[TileRow, ...]) -> None:
        stored = await self._store.tiles([(tile.level, tile.index) for tile in tiles])
        for tile in tiles:
            self._counts["tile"] += 1
            data = stored.get((tile.level, tile.index), b"")
            if data != tile.data:
                place = next(
                    (at for at in range(FULL) if _hash(data, at) != _hash(tile.data, at)), 0
                )
                index = (tile.index * FULL + place) * FULL**tile.level
                message = f"Tile {tile.index} of level {tile.level} is not that of its leaves."
                raise Damaged(Damage(index, "tile", message))

    async def _refuse_more(self, size: int) -> None:
        """Refuse rows that no checkpoint speaks of."""
        if await self._store.leaves(size, size + 1):
            message = "There are leaves above the newest checkpoint."
            raise Damaged(Damage(size, "leaf-unsigned", message))
        expected = {"leaf": size, "statement": size, **self._counts}
        for table, rows in (await self._store.counts()).items():
            if table in expected and rows != expected[table]:
                message = (
                    f"The table {table} holds {rows} rows; the entries make {expected[table]}."
                )
                raise Damaged(Damage(None, "rows", message))


def _hash(data: bytes, at: int) -> bytes:
    return data[at * HASH_BYTES : (at + 1) * HASH_BYTES]


def _is_unknown(standing: Standing) -> bool:
    lines: list[LineState] = [standing.ledger, standing.repository]
    return any(line.unknown for line in [*lines, standing.head or LineState()])
