# SPDX-License-Identifier: Apache-2.0
"""The end of the log as the appending loop reads it: in the loop, on the connection that appends.

Before each of its batches a process folds what the others appended. Four short selects by key: a
thread of the readers' pool and the object mapper would take longer than folding what they return.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from typing import Any, Final

import psycopg
from psycopg import errors

from app.core.errors import IntegrityBroken, LedgerBusy
from app.service.ports import BlobRow, CheckpointRow, LeafRow, StatementRow, StoreUnavailable

Connection = psycopg.AsyncConnection[tuple[Any, ...]]

_NEWEST: Final = (
    "SELECT size, prev_size, root, at_us, note FROM public.checkpoint ORDER BY size DESC LIMIT 1"
)
_LEAVES: Final = (
    "SELECT idx, record, hash, statement, kind, line, seq, at_us FROM public.leaf"
    " WHERE idx >= %b AND idx < %b ORDER BY idx"
)
# Digests are char(64): held against text they would be cast row by row, past the index.
_STATEMENTS: Final = (
    "SELECT sha256, payload, envelope FROM public.statement WHERE sha256 = ANY(%b::bpchar[])"
)
_BLOBS: Final = "SELECT sha256, size, zstd FROM public.blob WHERE sha256 = ANY(%b::bpchar[])"


class PostgresTail:
    """Reads on a connection that another gives it."""

    def __init__(self, connection: Callable[[], Awaitable[Connection]]) -> None:
        """Read on what ``connection`` returns."""
        self._connection = connection

    async def newest_checkpoint(self) -> CheckpointRow | None:
        """Return the end of the chain, None before genesis."""
        rows = await self._rows(_NEWEST, ())
        return CheckpointRow(*rows[0]) if rows else None

    async def leaves(self, start: int, end: int) -> Sequence[LeafRow]:
        """Return the leaves of ``[start, end)`` in order."""
        return [LeafRow(*row) for row in await self._rows(_LEAVES, (start, end))]

    async def statements(self, digests: Collection[str]) -> Mapping[str, StatementRow]:
        """Return those of ``digests`` that are there."""
        rows = await self._rows(_STATEMENTS, (sorted(digests),))
        return {row[0]: StatementRow(*row) for row in rows}

    async def blobs(self, digests: Collection[str]) -> Mapping[str, BlobRow]:
        """Return those of ``digests`` that are there."""
        rows = await self._rows(_BLOBS, (sorted(digests),))
        return {row[0]: BlobRow(*row) for row in rows}

    async def _rows(self, query: str, parameters: tuple[object, ...]) -> list[tuple[Any, ...]]:
        """Return the rows; where the connection has broken since it was last used, on a new one."""
        connection = await self._open()
        try:
            return await _read(connection, query, parameters)
        except psycopg.Error as error:
            if not connection.closed:
                await connection.close()
                raise _unavailable() from error
        connection = await self._open()
        try:
            return await _read(connection, query, parameters)
        except psycopg.Error as error:
            await connection.close()
            raise _unavailable() from error

    async def _open(self) -> Connection:
        try:
            return await self._connection()
        except StoreUnavailable as error:
            raise _unavailable() from error


async def _read(
    connection: Connection, query: str, parameters: tuple[object, ...]
) -> list[tuple[Any, ...]]:
    try:
        cursor = connection.cursor(binary=True)
        return await (await cursor.execute(query, parameters)).fetchall()
    except (errors.DataCorrupted, errors.IndexCorrupted) as error:
        message = "The database says that its own files are damaged; restore a backup."
        raise IntegrityBroken(message, code="store-damaged") from error


def _unavailable() -> LedgerBusy:
    message = "The store does not answer; try again later."
    return LedgerBusy(message, code="store-unavailable")
