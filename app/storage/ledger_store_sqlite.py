# SPDX-License-Identifier: Apache-2.0
"""The embedded store: one file, one writer in a thread of its own.

Durability point: COMMIT in WAL mode with ``synchronous=FULL`` returns after the log file is on
disk. A crash before it leaves nothing of the batch, a crash after it all of it; whether a batch on
its way went in is seen from the chain after the restart.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Final, TypeVar

from app.core.errors import IntegrityBroken
from app.service.ports import Batch, BlobRow, StoreUnavailable
from app.storage.engine import connect_writer, is_damaged_file, sqlite_path
from app.storage.ledger_reads import LedgerReads
from app.storage.schema_version import refuse_other_schema

_CHECKPOINT: Final = (
    "INSERT INTO checkpoint (size, prev_size, root, at_us, note) VALUES (?,?,?,?,?)"
)
_STATEMENT: Final = "INSERT INTO statement (sha256, payload, envelope) VALUES (?, ?, ?)"
_LEAF: Final = (
    "INSERT INTO leaf (idx, record, hash, statement, kind, line, seq, at_us)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
)
_TILE: Final = "INSERT INTO tile (level, n, data) VALUES (?, ?, ?)"
_BLOB: Final = "INSERT INTO blob (sha256, size, zstd) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
_USE: Final = "INSERT INTO capture_use (capture, receipt) VALUES (?, ?)"

_Answer = TypeVar("_Answer")


class SqliteLedgerStore(LedgerReads):
    """The ledger's tables in one SQLite file."""

    def __init__(self, url: str) -> None:
        """Name the file; it is opened by ``open``."""
        super().__init__(url)
        self._url = url
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="ledger-write")
        self._connection: sqlite3.Connection | None = None

    async def open(self) -> None:
        """Open the writer's connection.

        Raises:
            StoreUnavailable: there is no such file.
            IntegrityBroken: ``store-damaged``, it is no database, or ``schema-version``.
        """
        try:
            await self._write(lambda connection: connection.execute("SELECT 1").fetchone())
        except (StoreUnavailable, UnicodeDecodeError) as error:
            # The driver decodes what SQLite says of a schema that it cannot read.
            if isinstance(error, UnicodeDecodeError) or is_damaged_file(error.__cause__):
                message = "The file is damaged, or is no database; restore a backup."
                raise IntegrityBroken(message, code="store-damaged") from error
            raise
        await asyncio.to_thread(refuse_other_schema, self._url)

    async def close(self) -> None:
        """Close the writer's connection and the readers'."""
        await asyncio.get_running_loop().run_in_executor(self._writer, self._disconnect)
        self._writer.shutdown()
        self.close_reads()

    async def append(
        self,
        batch: Batch,
        *,
        has_turn: bool = False,  # noqa: ARG002  the port's: this store has one process
    ) -> bool:
        """Append durably, or return False because the chain goes on from elsewhere already.

        Raises:
            StoreUnavailable: the outcome is not known.
            IntegrityBroken: a trigger or a constraint refused the batch; nothing was written.
        """
        return await self._write(lambda connection: _append(connection, batch))

    async def put_blob(self, blob: BlobRow) -> None:
        """Keep a capture durably; the same again changes nothing."""
        row = (blob.sha256, blob.size, blob.zstd)
        await self._write(lambda connection: connection.execute(_BLOB, row).close())

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Return at once: BEGIN IMMEDIATE queues up whoever else has the file open."""
        yield

    async def _write(self, work: Callable[[sqlite3.Connection], _Answer]) -> _Answer:
        def in_writer() -> _Answer:
            if self._connection is None:
                self._connection = connect_writer(sqlite_path(self._url))
            return work(self._connection)

        try:
            return await asyncio.get_running_loop().run_in_executor(self._writer, in_writer)
        except sqlite3.IntegrityError as error:
            message = "The store refused a batch that does not follow what stands."
            raise IntegrityBroken(message, code="batch-refused") from error
        except sqlite3.Error as error:
            await asyncio.get_running_loop().run_in_executor(self._writer, self._disconnect)
            raise StoreUnavailable(str(error)) from error

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()  # rolls back what was not committed
            self._connection = None


def _append(connection: sqlite3.Connection, batch: Batch) -> bool:
    connection.execute("BEGIN IMMEDIATE")
    try:
        (newest,) = connection.execute("SELECT max(size) FROM checkpoint").fetchone()
        if newest != batch.checkpoint.prev_size:
            connection.execute("ROLLBACK")
            return False
        for statement, rows in _rows(batch):
            connection.executemany(statement, rows)
        (leaves,) = connection.execute("SELECT max(idx) + 1 FROM leaf").fetchone()
        if leaves != batch.checkpoint.size:
            message = "a batch adds as many leaves as it adds to the size"
            raise sqlite3.IntegrityError(message)
        connection.execute("COMMIT")
    except sqlite3.Error:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    return True


def _rows(batch: Batch) -> Iterable[tuple[str, list[tuple[object, ...]]]]:
    """Return the inserts of a batch in the order in which each finds what it refers to."""
    head = batch.checkpoint
    yield _CHECKPOINT, [(head.size, head.prev_size, head.root, head.at_us, head.note)]
    yield _STATEMENT, [(s.sha256, s.payload, s.envelope) for s in batch.statements]
    yield (
        _LEAF,
        [
            (row.index, row.record, row.hash, row.statement, row.kind, row.line, row.seq, row.at_us)
            for row in batch.leaves
        ],
    )
    yield _TILE, [(tile.level, tile.index, tile.data) for tile in batch.tiles]
    yield _BLOB, [(blob.sha256, blob.size, blob.zstd) for blob in batch.blobs]
    yield _USE, [(use.capture, use.receipt) for use in batch.uses]
