# SPDX-License-Identifier: Apache-2.0
"""Reads the tiles and entry bundles of a log over HTTP (C2SP tlog-tiles).

Whatever a server answers in the place of a tile that the log has signed is damage at an index; that
it does not answer at all, or says that it is busy, is not. No more is read than there may be.
"""

from __future__ import annotations

from dataclasses import replace
from http import HTTPStatus
from typing import Final

from app.core.errors import IntegrityBroken
from app.core.log.merkle import HASH_BYTES
from app.core.log.proven_tiles import ReadTile
from app.core.log.tile import (
    ENTRIES,
    FULL,
    HEIGHT,
    MAX_RECORD_BYTES,
    Tile,
    decode_entries,
    encode_entries,
)
from app.runner.client import Client
from app.runner.failures import AGAIN, Refused

_ENTRY_BYTES: Final = MAX_RECORD_BYTES + 2


def tile_reader(client: Client) -> ReadTile:
    """Return what reads from a service; it raises ``IntegrityBroken``, ``tile``, by index."""

    def read(tile: Tile) -> bytes:
        one = _ENTRY_BYTES if tile.level == ENTRIES else HASH_BYTES
        try:
            return client.read(f"/log/{tile.path()}", at_most=tile.width * one)
        except Refused as refused:
            if refused.status in AGAIN:
                raise
            # A log may have let go of a partial tile once it had the full one (C2SP tlog-tiles).
            if refused.status == HTTPStatus.NOT_FOUND and tile.width < FULL:
                return _beginning(tile, read(replace(tile, width=FULL)))
            first = tile.index * FULL << HEIGHT * max(tile.level, 0)
            message = (
                f"This log is damaged at index {first}: it signed a tree of which it does not "
                f"serve {tile.path()} (HTTP {refused.status})."
            )
            raise IntegrityBroken(message, code="tile") from refused

    return read


def _beginning(tile: Tile, full: bytes) -> bytes:
    """Return as much of a full tile or bundle as a partial one holds."""
    if tile.level == ENTRIES:
        return encode_entries(decode_entries(full)[: tile.width])
    return full[: tile.width * HASH_BYTES]
