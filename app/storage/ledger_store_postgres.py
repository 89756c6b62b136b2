# SPDX-License-Identifier: Apache-2.0
"""The grown store: PostgreSQL, appended to by one call of ``append_batch`` from within the loop.

Durability point: the call is its own transaction with ``synchronous_commit=on``, so its answer
comes after the write-ahead log is on disk. A connection that breaks before the answer leaves the
outcome unknown; the chain tells it afterwards.

Large captures go in ahead of their batch, durable on their own: an entry is never there without its
capture, and a capture that no entry names harms nobody.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Final

import psycopg
from psycopg import errors
from typing_extensions import override

from app.core.errors import IntegrityBroken
from app.service.ports import Batch, BlobRow, StoreUnavailable, Tail
from app.storage.engine import postgres_conninfo
from app.storage.ledger_reads import LedgerReads
from app.storage.postgres_tail import Connection, PostgresTail
from app.storage.schema_version import refuse_other_schema

# Binary parameters: as text every byte of a payload would travel as two.
_APPEND: Final = (
    "SELECT public.append_batch("
    "%b::bigint, %b::bigint, %b::bytea, %b::bigint, %b::bytea,"
    " %b::bytea[], %b::bytea[], %b::text[], %b::text[], %b::text[],"
    " %b::bigint[], %b::bigint[], %b::bytea[], %b::bytea[],"
    " %b::smallint[], %b::bigint[], %b::bytea[],"
    " %b::text[], %b::bigint[], %b::bytea[], %b::text[], %b::text[])"
)
_APPEND_UNLESS_TAKEN: Final = (
    f"SELECT CASE WHEN pg_try_advisory_xact_lock(%b::bigint) THEN ({_APPEND}) ELSE false END"
)
_BLOB: Final = (
    "INSERT INTO public.blob (sha256, size, zstd) VALUES (%b, %b, %b) ON CONFLICT DO NOTHING"
)
_TURN: Final = 0x6C6564676572  # any number, the same in every process
# Nobody waits for ever for a process that holds the turn and has stopped.
_OPTIONS: Final = "-c synchronous_commit=on -c timezone=UTC -c lock_timeout=10s"
_CONNECT_TIMEOUT_S: Final = 10
_SILENCE_MS: Final = 15_000
"""How long sent data may stay unacknowledged before the server counts as gone."""


class PostgresLedgerStore(LedgerReads):
    """The ledger's tables on PostgreSQL, as the app role sees them."""

    def __init__(self, url: str) -> None:
        """Name the database; connections are made by ``open``."""
        super().__init__(url)
        self._url = url
        self._append: Connection | None = None
        self._waiting: Connection | None = None
        self._tail = PostgresTail(self._appending)

    @property
    @override
    def tail(self) -> Tail:
        """The end of the log, read on the connection that appends."""
        return self._tail

    async def open(self) -> None:
        """Connect.

        Raises:
            StoreUnavailable: the database does not answer.
            IntegrityBroken: ``schema-version``.
        """
        await self._appending()
        await asyncio.to_thread(refuse_other_schema, self._url)

    async def close(self) -> None:
        """Disconnect."""
        for connection in (self._append, self._waiting):
            if connection is not None:
                await connection.close()
        self._append = self._waiting = None
        self.close_reads()

    async def append(self, batch: Batch, *, has_turn: bool = False) -> bool:
        """Append durably, or return False because another process is first.

        Raises:
            StoreUnavailable: the outcome is not known.
            IntegrityBroken: the database refused the batch; nothing was written.
        """
        connection = await self._appending()
        try:
            if has_turn:
                answer = await connection.execute(_APPEND, _parameters(batch))
            else:
                given = (_TURN, *_parameters(batch))
                answer = await connection.execute(_APPEND_UNLESS_TAKEN, given)
            row = await answer.fetchone()
        except (errors.IntegrityError, errors.ProgrammingError) as error:
            message = "The store refused a batch that does not follow what stands."
            raise IntegrityBroken(message, code="batch-refused") from error
        except errors.LockNotAvailable:
            return False  # another process was on this place for so long; nothing was written
        except psycopg.Error as error:
            await connection.close()
            raise StoreUnavailable(str(error)) from error
        return row is not None and bool(row[0])

    async def put_blob(self, blob: BlobRow) -> None:
        """Keep a capture durably; the same again changes nothing."""
        connection = await self._appending()
        try:
            await connection.execute(_BLOB, (blob.sha256, blob.size, blob.zstd))
        except psycopg.Error as error:
            await connection.close()
            raise StoreUnavailable(str(error)) from error

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Hold an advisory lock, in a transaction of its own, until the block is left.

        Who waits too long goes on without it: the chain decides who was first in any case.
        """
        if self._waiting is None or self._waiting.closed:
            self._waiting = await _connect(self._url)
        held = False
        try:
            async with self._waiting.transaction():
                await self._waiting.execute("SELECT pg_advisory_xact_lock(%b::bigint)", (_TURN,))
                held = True
                yield
        except psycopg.Error as error:
            if isinstance(error, errors.LockNotAvailable) and not held:
                yield
                return
            raise StoreUnavailable(str(error)) from error

    async def _appending(self) -> Connection:
        if self._append is None or self._append.closed:
            self._append = await _connect(self._url)
        return self._append


async def _connect(url: str) -> Connection:
    try:
        return await psycopg.AsyncConnection.connect(
            postgres_conninfo(url),
            autocommit=True,
            options=_OPTIONS,
            connect_timeout=_CONNECT_TIMEOUT_S,
            tcp_user_timeout=_SILENCE_MS,
        )
    except psycopg.Error as error:
        raise StoreUnavailable(str(error)) from error


def _parameters(batch: Batch) -> Sequence[object]:
    head, leaves, statements = batch.checkpoint, batch.leaves, batch.statements
    return (
        *(head.prev_size, head.size, head.root, head.at_us, head.note),
        [row.record for row in leaves],
        [row.hash for row in leaves],
        [row.statement for row in leaves],
        [row.kind for row in leaves],
        [row.line for row in leaves],
        [row.seq for row in leaves],
        [row.at_us for row in leaves],
        [row.payload for row in statements],
        [row.envelope for row in statements],
        [tile.level for tile in batch.tiles],
        [tile.index for tile in batch.tiles],
        [tile.data for tile in batch.tiles],
        [blob.sha256 for blob in batch.blobs],
        [blob.size for blob in batch.blobs],
        [blob.zstd for blob in batch.blobs],
        [use.capture for use in batch.uses],
        [use.receipt for use in batch.uses],
    )
