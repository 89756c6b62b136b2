# SPDX-License-Identifier: Apache-2.0
"""The log as it is published: checkpoints, tiles, entries and proofs, all of one tree size.

Proofs are computed twice: once to learn which hashes they take, then, with the tiles of those
hashes at hand, for good. So the tree's own code stays free of waiting.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache
from typing import Final, TypeVar

from app.core.digest import sha256
from app.core.errors import IntegrityBroken, UnknownThing
from app.core.log.merkle import (
    HASH_BYTES,
    Frontier,
    HashAt,
    consistency_proof,
    inclusion_proof,
    leaf_hash,
    root_of,
)
from app.core.log.tile import (
    ENTRIES,
    FULL,
    HEIGHT,
    Tile,
    encode_entries,
    hash_at_from_tiles,
)
from app.service.ports import LeafRow, LedgerStore
from app.service.remembered import Remembered
from app.service.tree import Tree

PROVEN_TILES: Final = 65_536
_Made = TypeVar("_Made")


class LogReader:
    """Reads a log of which the unfinished tiles are in memory."""

    def __init__(self, store: LedgerStore) -> None:
        """Read from ``store``."""
        self._store = store
        self._proven: Remembered[tuple[int, int], bytes] = Remembered(PROVEN_TILES)
        """SHA-256 of tiles that were held against the tree: one hash instead of 255."""

    async def inclusion(
        self, tree: Tree, index: int, *, size: int | None = None
    ) -> tuple[bytes, ...]:
        """Return the inclusion proof of a leaf in ``tree``, or in its first ``size`` leaves."""
        within = tree.size if size is None else size
        return await self._made(tree, lambda hash_at: inclusion_proof(index, within, hash_at))

    async def consistency(self, tree: Tree, old_size: int, new_size: int) -> tuple[bytes, ...]:
        """Return the proof that the first ``new_size`` leaves begin with the ``old_size`` ones."""
        return await self._made(
            tree, lambda hash_at: consistency_proof(old_size, new_size, hash_at)
        )

    async def inclusions(
        self, tree: Tree, indices: Sequence[int], *, size: int
    ) -> tuple[tuple[bytes, ...], ...]:
        """Return the inclusion proofs of many leaves in the first ``size`` leaves of ``tree``."""

        def make(hash_at: HashAt) -> tuple[tuple[bytes, ...], ...]:
            remembered = cache(hash_at)
            return tuple(inclusion_proof(index, size, remembered) for index in indices)

        return await self._made(tree, make)

    async def root_at(self, tree: Tree, size: int) -> str:
        """Return the root of the first ``size`` leaves of ``tree``, in hex."""
        frontier = await self._made(tree, lambda hash_at: Frontier.load(size, hash_at))
        return frontier.root().hex()

    async def tile(self, tree: Tree, tile: Tile) -> bytes:
        """Return a tile of hashes or an entry bundle.

        Raises:
            UnknownThing: ``unknown-tile``, the tree is not that large.
        """
        if not tile.is_in(tree.size):
            raise UnknownThing("The tree has no such tile yet.", code="unknown-tile")
        if tile.level == ENTRIES:
            first = tile.index * FULL
            rows = await self._store.leaves(first, first + tile.width)
            hashes = await self._tiles(tree, [(0, tile.index)])
            _refuse_other_records(rows, hashes[0, tile.index][: tile.width * HASH_BYTES])
            return encode_entries(row.record for row in rows)
        tiles = await self._tiles(tree, [(tile.level, tile.index)])
        return tiles[tile.level, tile.index][: tile.width * HASH_BYTES]

    async def _made(self, tree: Tree, make: Callable[[HashAt], _Made]) -> _Made:
        wanted: set[tuple[int, int]] = set()

        def note(level: int, index: int) -> bytes:
            wanted.add((level // HEIGHT, (index << level % HEIGHT) // FULL))
            return bytes(HASH_BYTES)

        make(note)
        tiles = await self._tiles(tree, wanted)
        return make(hash_at_from_tiles(lambda tile: tiles[tile.level, tile.index], tree.size))

    async def _tiles(
        self, tree: Tree, names: Collection[tuple[int, int]]
    ) -> Mapping[tuple[int, int], bytes]:
        """Return tiles at their widest: full ones are stored, a level's last one is in memory.

        Each stored one is held against the tile above it, up to the one in memory, which was held
        against the newest checkpoint: damaged hashes are never given out.
        """
        wanted = set(names)
        for level, index in names:
            while is_stored(tree, level, index):
                wanted.add((level, index))
                level, index = level + 1, index // FULL  # noqa: PLW2901  climbs
            wanted.add((level, index))
        full = [name for name in wanted if is_stored(tree, *name)]
        found = dict(await self._store.tiles(full) if full else {})
        for level, index in wanted - set(full):
            found[level, index] = b"".join(tree.edge[level])
        for level, index in full:
            above = found.get((level + 1, index // FULL), b"")
            at = index % FULL * HASH_BYTES
            data = found.get((level, index), b"")
            digest = sha256(data)
            if self._proven.get((level, index)) == digest:
                continue
            if tile_root(data) == above[at : at + HASH_BYTES]:
                self._proven.keep((level, index), digest, size=1)
            else:
                message = f"Tile {index} of level {level} is missing or not that of its leaves."
                raise IntegrityBroken(message, code="tile")
        return found


def _refuse_other_records(rows: Sequence[LeafRow], hashes: bytes) -> None:
    if b"".join(leaf_hash(row.record) for row in rows) != hashes:
        message = "The stored records are not those that the tree was made of."
        raise IntegrityBroken(message, code="leaf-row")


def is_stored(tree: Tree, level: int, index: int) -> bool:
    """Tell whether a tile is full in ``tree``, and so in the store."""
    return index < tree.size >> HEIGHT * (level + 1)


def tile_root(data: bytes) -> bytes:
    """Return the root over the hashes of a full tile."""
    return root_of(data[i : i + HASH_BYTES] for i in range(0, len(data), HASH_BYTES))
