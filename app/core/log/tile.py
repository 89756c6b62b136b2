# SPDX-License-Identifier: Apache-2.0
"""C2SP tlog-tiles: how the tree and its records are cut into files that never change.

A tile of level l holds up to 256 consecutive hashes of complete subtrees over 256**l leaves; full
tiles are hashed into the level above, partial ones never ("Partial Tiles"). The levels between are
computed. An entry bundle holds the records below one tile of level 0, each after its length in 16
bits.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from app.core.errors import IntegrityBroken, MalformedDocument, TooLarge
from app.core.log.merkle import HASH_BYTES, HashAt, root_of

HEIGHT = 8
"""Levels of the tree in one tile."""

FULL = 1 << HEIGHT
"""Hashes in a full tile."""

ENTRIES = -1
"""Stands for the level of an entry bundle."""

MAX_LEVEL = 63
MAX_RECORD_BYTES = 0xFFFF

_LENGTH_BYTES = 2
_PATH = re.compile(
    r"tile/(?P<level>entries|0|[1-9][0-9]?)/"
    r"(?P<index>(?:x[0-9]{3}/){0,6}[0-9]{3})"
    r"(?:\.p/(?P<width>[1-9][0-9]{0,2}))?"
)


@dataclass(frozen=True, slots=True)
class Tile:
    """The name of one tile or entry bundle.

    Attributes:
        level: level of the tile, ``ENTRIES`` for an entry bundle.
        index: number within the level.
        width: hashes or records in it, 1 to 256; below 256 it is partial.
    """

    level: int
    index: int
    width: int = FULL

    def path(self) -> str:
        """Return the path below the log's prefix: ``tile/<L>/<N>[.p/<W>]``."""
        groups, rest = [f"{self.index % 1000:03d}"], self.index // 1000
        while rest:
            groups.append(f"x{rest % 1000:03d}")
            rest //= 1000
        level = "entries" if self.level == ENTRIES else str(self.level)
        suffix = "" if self.width == FULL else f".p/{self.width}"
        return f"tile/{level}/{'/'.join(reversed(groups))}{suffix}"

    def is_in(self, size: int) -> bool:
        """Tell whether a tree of ``size`` has at least this much of the tile."""
        return self.width <= available_width(self.level, self.index, size)


def parse_tile_path(path: str) -> Tile:
    """Read the path of a tile or an entry bundle, which has one spelling.

    Raises:
        MalformedDocument: ``tile-path``.
    """
    found = _PATH.fullmatch(path)
    if found:
        level = ENTRIES if found["level"] == "entries" else int(found["level"])
        index = int(found["index"].replace("x", "").replace("/", ""))
        tile = Tile(level, index, int(found["width"] or FULL))
        if level <= MAX_LEVEL and tile.width <= FULL and tile.path() == path:
            return tile
    message = "Expected tile/<L>/<N>[.p/<W>] as in C2SP tlog-tiles, such as tile/0/x001/234.p/5."
    raise MalformedDocument(message, code="tile-path")


def available_width(level: int, index: int, size: int) -> int:
    """Return how many hashes of a tile a tree of ``size`` has: 0 to 256."""
    hashes = size >> (HEIGHT * max(level, 0))
    return min(max(hashes - index * FULL, 0), FULL)


def completed_tiles(old_size: int, new_size: int) -> tuple[Tile, ...]:
    """Return the full tiles that a growth completes, the lowest level first; no entry bundles."""
    completed: list[Tile] = []
    level, old, new = 0, old_size // FULL, new_size // FULL
    while new:
        completed += (Tile(level, index) for index in range(old, new))
        level, old, new = level + 1, old // FULL, new // FULL
    return tuple(completed)


def partial_tiles(size: int) -> tuple[Tile, ...]:
    """Return the partial tiles of a tree of ``size``, the lowest level first; no entry bundles."""
    found: list[Tile] = []
    level, hashes = 0, size
    while hashes:
        index, width = divmod(hashes, FULL)
        if width:
            found.append(Tile(level, index, width))
        level, hashes = level + 1, index
    return tuple(found)


def tile_bytes(tile: Tile, hash_at: HashAt) -> bytes:
    """Return the content of a tile of hashes, read from the tree."""
    first = tile.index * FULL
    return b"".join(hash_at(tile.level * HEIGHT, first + i) for i in range(tile.width))


def hash_at_from_tiles(read: Callable[[Tile], bytes], size: int) -> HashAt:
    """Return a reader of subtree hashes over the tiles of a tree of ``size``.

    ``read`` is asked for the widest form of a tile that this size has. Whoever wants each tile to
    be fetched once wraps ``read`` in a cache.

    Raises:
        IntegrityBroken: ``tile``, from the reader, when a tile has not the length of its width.
    """

    def hash_at(level: int, index: int) -> bytes:
        above = level % HEIGHT
        first = index << above
        at_tile, offset = divmod(first, FULL)
        tile_level = level // HEIGHT
        tile = Tile(tile_level, at_tile, available_width(tile_level, at_tile, size))
        data = read(tile)
        if len(data) != tile.width * HASH_BYTES or offset + (1 << above) > tile.width:
            message = "A tile is missing hashes that the tree's size says it has."
            raise IntegrityBroken(message, code="tile")
        return root_of(_hashes(data)[offset : offset + (1 << above)])

    return hash_at


def encode_entries(records: Iterable[bytes]) -> bytes:
    """Return an entry bundle: each record after its length, big-endian in 16 bits.

    Raises:
        TooLarge: ``leaf-too-large``.
    """
    parts: list[bytes] = []
    for record in records:
        if len(record) > MAX_RECORD_BYTES:
            message = f"A record of the log has at most {MAX_RECORD_BYTES} bytes."
            raise TooLarge(message, code="leaf-too-large")
        parts += (len(record).to_bytes(_LENGTH_BYTES, "big"), record)
    return b"".join(parts)


def decode_entries(data: bytes) -> tuple[bytes, ...]:
    """Return the records of an entry bundle.

    Raises:
        MalformedDocument: ``entry-bundle``, the bundle ends inside a record.
    """
    records: list[bytes] = []
    at = 0
    while at < len(data):
        start = at + _LENGTH_BYTES
        end = start + int.from_bytes(data[at:start], "big")
        if start > len(data) or end > len(data):
            message = "The entry bundle ends inside a record."
            raise MalformedDocument(message, code="entry-bundle", offset=at)
        records.append(data[start:end])
        at = end
    return tuple(records)


def _hashes(data: bytes) -> list[bytes]:
    return [data[i : i + HASH_BYTES] for i in range(0, len(data), HASH_BYTES)]
