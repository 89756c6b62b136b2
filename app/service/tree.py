# SPDX-License-Identifier: Apache-2.0
"""The growing tree as one process holds it: its frontier, and the hashes of its unfinished tiles.

Both are values; growing gives a new tree and leaves the old one usable, so that a batch which was
not committed is dropped without a trace. Proofs of leaves that were just added need nothing else:
whatever stands to their left is a subtree of the old frontier.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from app.core.errors import IntegrityBroken
from app.core.log.merkle import HASH_BYTES, Frontier, HashAt, node_hash, root_of
from app.core.log.tile import FULL, HEIGHT
from app.service.ports import LedgerStore, TileRow

EMPTY: Final = Frontier()


@dataclass(frozen=True, slots=True)
class Tree:
    """A tree of some size.

    Attributes:
        frontier: its complete subtrees.
        edge: per tile level, the hashes of the tile that is not full yet.
    """

    frontier: Frontier = EMPTY
    edge: tuple[tuple[bytes, ...], ...] = ()

    @property
    def size(self) -> int:
        """Number of leaves."""
        return self.frontier.size

    def root(self) -> bytes:
        """Return the root over them."""
        return self.frontier.root()

    def require_root(self, root: bytes) -> None:
        """Refuse a checkpoint's ``root`` that is not this tree's.

        Raises:
            IntegrityBroken: ``root``.
        """
        if self.root() != root:
            message = "The stored leaves do not make the root of the newest checkpoint."
            raise IntegrityBroken(message, code="root")

    def grow(self, leaves: Sequence[bytes]) -> tuple[Tree, tuple[TileRow, ...]]:
        """Return the tree with more leaf hashes, and the tiles they complete."""
        completed: list[TileRow] = []
        edge: list[tuple[bytes, ...]] = []
        level, added, hashes = 0, list(leaves), self.size
        while level < len(self.edge) or added:
            pending = [*(self.edge[level] if level < len(self.edge) else ()), *added]
            first = hashes // FULL
            added = []
            while len(pending) >= FULL:
                content, pending = pending[:FULL], pending[FULL:]
                completed.append(TileRow(level, first + len(added), b"".join(content)))
                added.append(root_of(content))
            edge.append(tuple(pending))
            level, hashes = level + 1, first
        return Tree(self.frontier.extend(leaves), tuple(edge)), tuple(completed)


def hash_at_of(old: Frontier, added: Sequence[bytes]) -> HashAt:
    """Return a reader for every subtree that a proof of one of the ``added`` leaves asks for."""
    known: dict[tuple[int, int], bytes] = {}
    start = 0
    for node in old.nodes:
        level = (old.size - start).bit_length() - 1
        known[level, start >> level] = node
        start += 1 << level

    @cache
    def hash_at(level: int, index: int) -> bytes:
        if (level, index) in known:
            return known[level, index]
        if level == 0:
            return added[index - old.size]
        return node_hash(hash_at(level - 1, 2 * index), hash_at(level - 1, 2 * index + 1))

    return hash_at


async def load_tree(store: LedgerStore, size: int) -> Tree:
    """Read the tree of ``size`` back: the last leaves, and the last full tiles of each level.

    Raises:
        IntegrityBroken: ``tile``, leaves or tiles that ``size`` demands are not there.
    """
    rows = await store.leaves(size - size % FULL, size)
    edge = [tuple(row.hash for row in rows)]
    hashes = size // FULL
    while hashes:
        first = hashes - hashes % FULL
        names = [(len(edge) - 1, index) for index in range(first, hashes)]
        tiles = await store.tiles(names)
        edge.append(tuple(_root_of_tile(tiles.get(name)) for name in names))
        hashes //= FULL
    if len(edge[0]) != size % FULL:
        raise _missing()
    return Tree(Frontier.load(size, _hash_at_of(edge)), tuple(edge))


def _hash_at_of(edge: Sequence[Sequence[bytes]]) -> HashAt:
    """Return a reader of frontier nodes: each lies in the unfinished tile of its level."""

    def hash_at(level: int, index: int) -> bytes:
        tile_level, above = divmod(level, HEIGHT)
        start = (index << above) % FULL
        return root_of(edge[tile_level][start : start + (1 << above)])

    return hash_at


def _root_of_tile(data: bytes | None) -> bytes:
    if data is None:
        raise _missing()
    return root_of(data[i : i + HASH_BYTES] for i in range(0, len(data), HASH_BYTES))


def _missing() -> IntegrityBroken:
    message = "Leaves or tiles are missing that the newest checkpoint says there are."
    return IntegrityBroken(message, code="tile")
