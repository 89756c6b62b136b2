# SPDX-License-Identifier: Apache-2.0
"""A log's tiles and entry bundles as a server gives them, each believed under a signed root only.

The partial tiles at the right edge of a tree hold the hash of every complete subtree that its root
is made of; every full tile has its hash in the tile above. So whatever is given out here was
followed down from the root (as Go's ``tlog.TileHashReader`` does), and what was altered on the way
is damage with a place, which is not yet another history: another root was not signed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from app.core.errors import IntegrityBroken, MalformedDocument
from app.core.log.checkpoint import Checkpoint
from app.core.log.merkle import HASH_BYTES, Frontier, leaf_hash, root_of
from app.core.log.tile import (
    ENTRIES,
    FULL,
    HEIGHT,
    Tile,
    available_width,
    decode_entries,
    hash_at_from_tiles,
    partial_tiles,
)

ReadTile: TypeAlias = Callable[[Tile], bytes]
"""Gives what a server says a tile or an entry bundle is, of whatever length."""

_KEPT: Final = 16
"""Full tiles remembered; the way from the root to a leaf is one a level."""


class ProvenTiles:
    """The tiles of the tree of one checkpoint, whose signature somebody else has verified."""

    def __init__(self, read: ReadTile, checkpoint: Checkpoint, *, trusted: int = 0) -> None:
        """Read the right edge of the tree, and hold it against the signed root.

        Args:
            read: of the server.
            checkpoint: what the log signed.
            trusted: the entries below this index need not be looked at to name what is wrong.

        Raises:
            IntegrityBroken: ``tile``, naming the first index that is known to be wrong.
        """
        self._read = read
        self._size = checkpoint.size
        self._kept: dict[Tile, bytes] = {}
        edge = {tile: self._whole(tile) for tile in partial_tiles(self._size)}
        nodes = [node for tile in reversed(edge) for node in _nodes(edge[tile])]
        if Frontier(self._size, tuple(nodes)).root() != checkpoint.root:
            raise self._located(trusted)
        self._edge = edge

    def hashes(self, index: int) -> tuple[bytes, ...]:
        """Return the leaf hashes of a tile of level 0, as wide as this tree has it.

        Raises:
            IntegrityBroken: ``tile``, naming an index.
        """
        return _hashes(self._proven(self._widest(0, index)))

    def records(self, index: int) -> tuple[bytes, ...]:
        """Return what the bundle below a tile of level 0 holds, as many as there must be.

        The records themselves are proven by nothing but their leaf hashes.

        Raises:
            IntegrityBroken: ``tile``, naming the first index that it does not hold.
        """
        width, first = self._widest(0, index).width, index * FULL
        try:
            records = decode_entries(self._read(Tile(ENTRIES, index, width)))
        except MalformedDocument as error:
            raise _broken(first, "the entry bundle that begins there is none") from error
        if len(records) != width:
            place = first + min(len(records), width)
            raise _broken(place, f"an entry bundle holds {len(records)} entries, not {width}")
        return records

    def frontier(self, size: int) -> Frontier:
        """Return the frontier of the first ``size`` leaves, none of them more than there are.

        Raises:
            IntegrityBroken: ``tile``, naming an index.
        """
        return Frontier.load(size, hash_at_from_tiles(self._proven, self._size))

    def _proven(self, tile: Tile) -> bytes:
        if tile in self._edge:
            return self._edge[tile]
        if tile not in self._kept:
            data = self._whole(tile)
            above, place = divmod(tile.index, FULL)
            said = _hashes(self._proven(self._widest(tile.level + 1, above)))
            if root_of(_hashes(data)) != said[place]:
                raise self._located_in(tile, data)
            self._kept[tile] = data
        # The newest last, so that the first one is the one that was not needed for longest.
        self._kept[tile] = data = self._kept.pop(tile)
        if len(self._kept) > _KEPT:
            del self._kept[next(iter(self._kept))]
        return data

    def _widest(self, level: int, index: int) -> Tile:
        return Tile(level, index, available_width(level, index, self._size))

    def _whole(self, tile: Tile) -> bytes:
        data = self._read(tile)
        if len(data) != tile.width * HASH_BYTES:
            what = f"a tile of level {tile.level} has {len(data)} bytes, not {tile.width} hashes"
            raise _broken(_first_leaf(tile), what)
        return data

    def _located_in(self, tile: Tile, data: bytes) -> IntegrityBroken:
        """Return where a full tile is wrong that is not the one the tile above names."""
        first = _first_leaf(tile)
        if tile.level == 0:
            first = self._apart(tile.index, _hashes(data)) or first
        return _broken(first, "the tile that holds it is not the one below the signed root")

    def _located(self, trusted: int) -> IntegrityBroken:
        """Return where a tree is wrong whose edge is not the one that was signed.

        Where tiles and entries are of one tree, and it is another than the signed one, nothing
        tells from outside which of the entries that were never seen before is the wrong one.
        """
        roots: list[bytes] = []
        for index in range(_n_tiles(self._size)):
            hashes = _hashes(self._whole(self._widest(0, index)))
            wrong = self._apart(index, hashes) if (index + 1) * FULL > trusted else None
            if wrong is not None:
                return _broken(wrong, "it is not the one in the log's tiles")
            roots.append(root_of(hashes))
        level = 1
        while complete := self._size >> HEIGHT * level:
            tiles = [self._widest(level, index) for index in range(_n_tiles(complete))]
            said = [one for tile in tiles for one in _hashes(self._whole(tile))]
            for place, (root, one) in enumerate(zip(roots, said, strict=False)):
                if root != one:
                    what = f"the tiles of level {level} and below are not of one tree"
                    return _broken(place << HEIGHT * level, what)
            roots = [root_of(said[i : i + FULL]) for i in range(0, complete, FULL)]
            level += 1
        return _broken(trusted, "from there on, entries and tiles do not lead to the signed root")

    def _apart(self, index: int, hashes: tuple[bytes, ...]) -> int | None:
        """Return the first index below a tile of level 0 whose record has another hash."""
        for place, (record, said) in enumerate(zip(self.records(index), hashes, strict=True)):
            if leaf_hash(record) != said:
                return index * FULL + place
        return None


def _hashes(data: bytes) -> tuple[bytes, ...]:
    return tuple(data[i : i + HASH_BYTES] for i in range(0, len(data), HASH_BYTES))


def _nodes(data: bytes) -> tuple[bytes, ...]:
    """Return the roots of the complete subtrees in a tile, the largest first."""
    return Frontier().extend(_hashes(data)).nodes


def _n_tiles(hashes: int) -> int:
    return -(-hashes // FULL)


def _first_leaf(tile: Tile) -> int:
    return tile.index * FULL << HEIGHT * tile.level


def _broken(index: int, what: str) -> IntegrityBroken:
    message = f"This log is damaged at index {index}: {what}."
    return IntegrityBroken(message, code="tile")
