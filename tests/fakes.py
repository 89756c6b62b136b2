# SPDX-License-Identifier: Apache-2.0
"""Ports without a machine behind them: a store in memory, a clock that tests move, fixed keys."""

from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from app.core.errors import IntegrityBroken
from app.core.log.note import NoteSigner
from app.service.ports import (
    Batch,
    BlobRow,
    CheckpointRow,
    LeafRow,
    StatementRow,
    StoreUnavailable,
)
from app.storage.ledger_keys import LedgerKeys
from tests.drafts import ORIGIN, signing_key

START_US = 1_790_000_000_000_000


def ledger_keys() -> LedgerKeys:
    """Return the ledger's keys, the same in every test."""
    return LedgerKeys(NoteSigner(ORIGIN, signing_key("checkpoint")), signing_key("ledger"))


@dataclass(slots=True)
class FakeClock:
    """A clock that stands still until a test moves it."""

    at_us: int = START_US

    def now_us(self) -> int:
        return self.at_us


@dataclass(slots=True)
class MemoryAnchor:
    """An ``Anchor`` in memory, which may fail."""

    note: bytes | None = None
    down: BaseException | None = None

    async def read(self) -> bytes | None:
        if self.down is not None:
            raise self.down
        return self.note

    async def swap(self, old: bytes | None, new: bytes) -> bool:
        if self.down is not None:
            raise self.down
        if self.note != old:
            return False
        self.note = new
        return True


@dataclass(slots=True)
class MemoryTables:
    """Rows that several stores share, as processes share a database."""

    checkpoints: list[CheckpointRow] = field(default_factory=list)
    leaves: list[LeafRow] = field(default_factory=list)
    statements: dict[str, StatementRow] = field(default_factory=dict)
    tiles: dict[tuple[int, int], bytes] = field(default_factory=dict)
    blobs: dict[str, BlobRow] = field(default_factory=dict)
    uses: dict[str, list[str]] = field(default_factory=dict)


@dataclass(slots=True)
class MemoryStore:
    """A ``LedgerStore`` in memory.

    Attributes:
        tables: shared with the stores of other "processes".
        lose_answers: so many of the next appends commit and then say that they do not know.
        fail: so many of the next appends do not commit and say that they do not know.
        down: reads raise, as if the database were gone.
        turns: how often ``turn`` was taken.
        weak: guards that are missing.
    """

    tables: MemoryTables = field(default_factory=MemoryTables)
    lose_answers: int = 0
    fail: int = 0
    down: BaseException | None = None
    turns: int = 0
    appends: int = 0
    is_open: bool = False
    weak: tuple[str, ...] = ()

    async def open(self) -> None:
        self.is_open = True

    async def close(self) -> None:
        self.is_open = False

    async def weaknesses(self) -> Sequence[str]:
        return self.weak

    async def append(self, batch: Batch, *, has_turn: bool = False) -> bool:
        self.appends += 1
        if self.fail:
            self.fail -= 1
            raise StoreUnavailable("the connection broke")
        if batch.checkpoint.prev_size != self._size():
            return False
        self._refuse_gaps(batch)
        self.tables.checkpoints.append(batch.checkpoint)
        self.tables.leaves += batch.leaves
        self.tables.statements |= {row.sha256: row for row in batch.statements}
        self.tables.tiles |= {(tile.level, tile.index): tile.data for tile in batch.tiles}
        self.tables.blobs |= {blob.sha256: blob for blob in batch.blobs}
        for use in batch.uses:
            self.tables.uses.setdefault(use.capture, []).append(use.receipt)
        if self.lose_answers:
            self.lose_answers -= 1
            raise StoreUnavailable("the connection broke")
        return True

    async def put_blob(self, blob: BlobRow) -> None:
        self.tables.blobs.setdefault(blob.sha256, blob)

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        self.turns += 1
        yield

    @property
    def tail(self) -> "MemoryStore":
        """These very reads."""
        return self

    async def newest_checkpoint(self) -> CheckpointRow | None:
        self._answer()
        return self.tables.checkpoints[-1] if self.tables.checkpoints else None

    async def checkpoint_at(self, size: int) -> CheckpointRow | None:
        return next((row for row in self.tables.checkpoints if row.size >= size), None)

    async def checkpoints(self, above: int, up_to: int) -> Sequence[CheckpointRow]:
        return [row for row in self.tables.checkpoints if above < row.size <= up_to]

    async def counts(self) -> Mapping[str, int]:
        tables = self.tables
        return {
            "checkpoint": len(tables.checkpoints),
            "statement": len(tables.statements),
            "leaf": len(tables.leaves),
            "tile": len(tables.tiles),
            "capture_use": sum(map(len, tables.uses.values())),
        }

    async def leaves(self, start: int, end: int) -> Sequence[LeafRow]:
        self._answer()
        return self.tables.leaves[start:end]

    async def line(self, line: str, *, below: int) -> Sequence[LeafRow]:
        self._answer()
        return [row for row in self.tables.leaves[:below] if row.line == line]

    async def leaves_of(self, statements: Collection[str]) -> Mapping[str, LeafRow]:
        return {row.statement: row for row in self.tables.leaves if row.statement in statements}

    async def leaves_of_kind(
        self, kind: str, *, lines: str = "", after: int = -1, limit: int | None = None
    ) -> Sequence[LeafRow]:
        found = [
            row
            for row in self.tables.leaves
            if row.kind == kind and row.line.startswith(lines) and row.index > after
        ]
        return found[:limit]

    async def lines(self, prefix: str, *, limit: int | None = None) -> Sequence[str]:
        found = {row.line for row in self.tables.leaves if row.line.startswith(prefix)}
        return sorted(found)[:limit]

    async def open_lines(self) -> Sequence[str]:
        balance: dict[str, int] = {}
        for row in self.tables.leaves:
            if row.kind in {"study", "closure"}:
                balance[row.line] = balance.get(row.line, 0) + (1 if row.kind == "study" else -1)
        return sorted(line for line, more in balance.items() if more > 0)

    async def statements(self, digests: Collection[str]) -> Mapping[str, StatementRow]:
        self._answer()
        kept = self.tables.statements
        return {digest: kept[digest] for digest in digests if digest in kept}

    async def statements_like(self, prefix: str, *, limit: int) -> Sequence[str]:
        return sorted(one for one in self.tables.statements if one.startswith(prefix))[:limit]

    async def tiles(self, names: Collection[tuple[int, int]]) -> Mapping[tuple[int, int], bytes]:
        return {name: self.tables.tiles[name] for name in names if name in self.tables.tiles}

    async def blobs(self, digests: Collection[str]) -> Mapping[str, BlobRow]:
        kept = self.tables.blobs
        return {digest: kept[digest] for digest in digests if digest in kept}

    async def uses_of(self, capture: str) -> Sequence[str]:
        return sorted(self.tables.uses.get(capture, []))

    def _size(self) -> int | None:
        return self.tables.checkpoints[-1].size if self.tables.checkpoints else None

    def _answer(self) -> None:
        if self.down is not None:
            raise self.down

    def _refuse_gaps(self, batch: Batch) -> None:
        lines: dict[str, int] = {}
        for row in self.tables.leaves:
            lines[row.line] = row.seq + 1
        for place, row in enumerate(batch.leaves, start=len(self.tables.leaves)):
            if (row.index, row.seq) != (place, lines.get(row.line, 0)):
                raise IntegrityBroken("a gap", code="batch-refused")
            lines[row.line] = row.seq + 1
        if batch.checkpoint.size != len(self.tables.leaves) + len(batch.leaves):
            raise IntegrityBroken("a gap", code="batch-refused")
