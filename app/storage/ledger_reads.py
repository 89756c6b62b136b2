# SPDX-License-Identifier: Apache-2.0
"""Every read of the ledger's tables: the same selects on SQLite and PostgreSQL.

They run in a small pool of threads, so that a slow disk never stops the loop that appends. A select
sees committed rows only; since nothing is ever changed, whatever is read below a tree size is the
same at any later moment.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final, TypeVar

from sqlalchemy import case, func, literal_column, tuple_
from sqlalchemy.exc import SQLAlchemyError
from sqlmodel import Session, col, select

from app.core.errors import IntegrityBroken, LedgerBusy
from app.service.ports import BlobRow, CheckpointRow, LeafRow, StatementRow, Tail
from app.storage.engine import READERS, is_damage, reader_engine
from app.storage.guards import weaknesses
from app.storage.tables import (
    BlobTable,
    CaptureUseTable,
    CheckpointTable,
    LeafTable,
    StatementTable,
    TileTable,
)

# Below the number of parameters that either database takes in one statement.
CHUNK: Final = 500
_LAST: Final = chr(0x10FFFF)
"""Stands behind every character that a line has."""
_Answer = TypeVar("_Answer")
_Item = TypeVar("_Item")


class LedgerReads:
    """The reading half of both stores."""

    def __init__(self, url: str) -> None:
        """Prepare connections to ``url``; none is opened yet."""
        self._engine = reader_engine(url)
        self._pool = ThreadPoolExecutor(READERS, thread_name_prefix="ledger-read")

    @property
    def tail(self) -> Tail:
        """The end of the log, for whoever appends to it: here, these very reads."""
        return self

    def close_reads(self) -> None:
        """Let go of threads and connections."""
        self._pool.shutdown()
        self._engine.dispose()

    async def weaknesses(self) -> Sequence[str]:
        """Return what should hold the tables append-only and is missing or another, in words."""
        return await self._off_loop(lambda: weaknesses(self._engine))

    async def newest_checkpoint(self) -> CheckpointRow | None:
        """Return the end of the chain, None before genesis."""
        query = select(CheckpointTable).order_by(col(CheckpointTable.size).desc()).limit(1)
        return await self._ask(lambda session: _checkpoint(session.exec(query).first()))

    async def checkpoint_at(self, size: int) -> CheckpointRow | None:
        """Return the smallest checkpoint of at least ``size``."""
        query = (
            select(CheckpointTable)
            .where(CheckpointTable.size >= size)
            .order_by(col(CheckpointTable.size))
            .limit(1)
        )
        return await self._ask(lambda session: _checkpoint(session.exec(query).first()))

    async def checkpoints(self, above: int, up_to: int) -> Sequence[CheckpointRow]:
        """Return the links of the chain with a size in ``(above, up_to]``, in order."""
        query = (
            select(CheckpointTable)
            .where(CheckpointTable.size > above, CheckpointTable.size <= up_to)
            .order_by(col(CheckpointTable.size))
        )
        return await self._ask(
            lambda session: [row for one in session.exec(query) if (row := _checkpoint(one))]
        )

    async def counts(self) -> Mapping[str, int]:
        """Return how many rows each table of the ledger has."""
        tables = (CheckpointTable, StatementTable, LeafTable, TileTable, CaptureUseTable)
        queries = {
            str(table.__tablename__): select(func.count()).select_from(table) for table in tables
        }
        return await self._ask(
            lambda session: {name: session.exec(query).one() for name, query in queries.items()}
        )

    async def leaves(self, start: int, end: int) -> Sequence[LeafRow]:
        """Return the leaves of ``[start, end)`` in order."""
        query = (
            select(LeafTable)
            .where(LeafTable.idx >= start, LeafTable.idx < end)
            .order_by(col(LeafTable.idx))
        )
        return await self._ask(lambda session: _leaves(session.exec(query)))

    async def line(self, line: str, *, below: int) -> Sequence[LeafRow]:
        """Return the leaves of a line with an index below ``below``, in order."""
        query = (
            select(LeafTable)
            .where(LeafTable.line == line, LeafTable.idx < below)
            .order_by(col(LeafTable.seq))
        )
        return await self._ask(lambda session: _leaves(session.exec(query)))

    async def leaves_of(self, statements: Collection[str]) -> Mapping[str, LeafRow]:
        """Return the leaves of those statement digests that are there."""

        def read(session: Session) -> dict[str, LeafRow]:
            found = {}
            for part in _chunks(statements):
                query = select(LeafTable).where(col(LeafTable.statement).in_(part))
                found.update({row.statement: row for row in _leaves(session.exec(query))})
            return found

        return await self._ask(read)

    async def leaves_of_kind(
        self, kind: str, *, lines: str = "", after: int = -1, limit: int | None = None
    ) -> Sequence[LeafRow]:
        """Return leaves of a kind on lines that begin with ``lines``, above index ``after``."""
        query = (
            select(LeafTable)
            .where(LeafTable.kind == kind, LeafTable.idx > after)
            .where(func.substr(LeafTable.line, 1, len(lines)) == lines)
            .order_by(col(LeafTable.idx))
            .limit(limit)
        )
        return await self._ask(lambda session: _leaves(session.exec(query)))

    async def lines(self, prefix: str, *, limit: int | None = None) -> Sequence[str]:
        """Return the distinct lines that begin with ``prefix``, sorted; no more than ``limit``."""
        line = col(LeafTable.line)
        # By bytes, as ``ix_leaf_line`` is sorted; a database may sort text otherwise.
        from_, below = (">=", "<") if self._engine.name == "sqlite" else ("~>=~", "~<~")
        query = (
            select(LeafTable.line)
            # A literal: no plan for any value can use an index that holds this one alone.
            .where(col(LeafTable.seq) == literal_column("0"))
            .where(line.bool_op(from_)(prefix), line.bool_op(below)(prefix + _LAST))
            .limit(limit)
        )
        return await self._ask(lambda session: sorted(session.exec(query)))

    async def open_lines(self) -> Sequence[str]:
        """Return the head lines that hold more studies than closures."""
        balance = func.sum(case((col(LeafTable.kind) == "study", 1), else_=-1))
        query = (
            select(LeafTable.line)
            .where(col(LeafTable.kind).in_(("study", "closure")))
            .group_by(LeafTable.line)
            .having(balance > 0)
        )
        return await self._ask(lambda session: sorted(session.exec(query)))

    async def statements(self, digests: Collection[str]) -> Mapping[str, StatementRow]:
        """Return those of ``digests`` that are there."""

        def read(session: Session) -> dict[str, StatementRow]:
            found = {}
            for part in _chunks(digests):
                query = select(StatementTable).where(col(StatementTable.sha256).in_(part))
                for row in session.exec(query):
                    found[row.sha256] = StatementRow(row.sha256, row.payload, row.envelope)
            return found

        return await self._ask(read)

    async def statements_like(self, prefix: str, *, limit: int) -> Sequence[str]:
        """Return statement digests that begin with ``prefix``."""
        # A range of the primary key; "g" stands behind every hex digit.
        query = (
            select(StatementTable.sha256)
            .where(StatementTable.sha256 >= prefix, StatementTable.sha256 < prefix + "g")
            .order_by(StatementTable.sha256)
            .limit(limit)
        )
        return await self._ask(lambda session: list(session.exec(query)))

    async def tiles(self, names: Collection[tuple[int, int]]) -> Mapping[tuple[int, int], bytes]:
        """Return those of the full tiles ``(level, index)`` that are there."""

        def read(session: Session) -> dict[tuple[int, int], bytes]:
            found = {}
            key = tuple_(col(TileTable.level), col(TileTable.n))
            for part in _chunks(names):
                for row in session.exec(select(TileTable).where(key.in_(part))):
                    found[row.level, row.n] = row.data
            return found

        return await self._ask(read)

    async def blobs(self, digests: Collection[str]) -> Mapping[str, BlobRow]:
        """Return those of ``digests`` that are there."""

        def read(session: Session) -> dict[str, BlobRow]:
            found = {}
            for part in _chunks(digests):
                for row in session.exec(select(BlobTable).where(col(BlobTable.sha256).in_(part))):
                    found[row.sha256] = BlobRow(row.sha256, row.size, row.zstd)
            return found

        return await self._ask(read)

    async def uses_of(self, capture: str) -> Sequence[str]:
        """Return the receipts that name a capture."""
        query = select(CaptureUseTable.receipt).where(CaptureUseTable.capture == capture)
        return await self._ask(lambda session: sorted(session.exec(query)))

    async def _ask(self, question: Callable[[Session], _Answer]) -> _Answer:
        def answer() -> _Answer:
            with Session(self._engine) as session:
                return question(session)

        return await self._off_loop(answer)

    async def _off_loop(self, answer: Callable[[], _Answer]) -> _Answer:
        try:
            return await asyncio.get_running_loop().run_in_executor(self._pool, answer)
        except SQLAlchemyError as error:
            if is_damage(error):
                message = "The database says that its own files are damaged; restore a backup."
                raise IntegrityBroken(message, code="store-damaged") from error
            message = "The store does not answer; try again later."
            raise LedgerBusy(message, code="store-unavailable") from error


def _chunks(items: Collection[_Item]) -> Iterator[list[_Item]]:
    everything = sorted(set(items))  # type: ignore[type-var]  # strings, or pairs of numbers
    for start in range(0, len(everything), CHUNK):
        yield everything[start : start + CHUNK]


def _checkpoint(row: CheckpointTable | None) -> CheckpointRow | None:
    if row is None:
        return None
    return CheckpointRow(row.size, row.prev_size, row.root, row.at_us, row.note)


def _leaves(rows: Iterator[LeafTable]) -> list[LeafRow]:
    return [
        LeafRow(r.idx, r.record, r.hash, r.statement, r.kind, r.line, r.seq, r.at_us) for r in rows
    ]
