# SPDX-License-Identifier: Apache-2.0
"""What the use cases need from outside: a store, a place for captures, a clock and a signer.

The rows are what stands in the ledger's tables, no more and no less, so that a store keeps bytes
and decides nothing. Every method that reads sees committed rows only.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol

from app.core.signing.envelope import Envelope


@dataclass(frozen=True, slots=True)
class CheckpointRow:
    """One link of the append-only chain of tree heads.

    Attributes:
        size: tree size.
        prev_size: size of the checkpoint before; None for the first, which holds the genesis alone.
        root: RFC 6962 root, 32 bytes.
        at_us: log time of this size.
        note: the signed note as published.
    """

    size: int
    prev_size: int | None
    root: bytes
    at_us: int
    note: bytes


@dataclass(frozen=True, slots=True)
class LeafRow:
    """One leaf: its record, and the parts of it that are looked up."""

    index: int
    record: bytes
    hash: bytes
    statement: str
    kind: str
    line: str
    seq: int
    at_us: int


@dataclass(frozen=True, slots=True)
class StatementRow:
    """A payload by its digest, and the envelope it came in (verified signatures only)."""

    sha256: str
    payload: bytes
    envelope: bytes


@dataclass(frozen=True, slots=True)
class TileRow:
    """A full tile of hashes; partial ones are never stored."""

    level: int
    index: int
    data: bytes


@dataclass(frozen=True, slots=True)
class BlobRow:
    """A capture's JCS bytes, compressed here and not by whoever sent them.

    Attributes:
        sha256: of the bytes before compression.
        size: their number.
    """

    sha256: str
    size: int
    zstd: bytes


@dataclass(frozen=True, slots=True)
class CaptureUse:
    """Which receipt names which capture."""

    capture: str
    receipt: str


@dataclass(frozen=True, slots=True)
class Batch:
    """What one durable commit adds: all of it or nothing."""

    checkpoint: CheckpointRow
    leaves: Sequence[LeafRow]
    statements: Sequence[StatementRow]
    tiles: Sequence[TileRow] = ()
    blobs: Sequence[BlobRow] = ()
    uses: Sequence[CaptureUse] = ()


class StoreUnavailable(Exception):
    """The store did not answer; whether a batch that was on its way is durable is not known."""


class BlobReads(Protocol):
    """Captures by digest, as they are stored."""

    async def blobs(self, digests: Collection[str]) -> Mapping[str, BlobRow]:
        """Return those of ``digests`` that are there."""
        ...


class Tail(BlobReads, Protocol):
    """What a process reads of the log before it appends: what others appended meanwhile."""

    async def newest_checkpoint(self) -> CheckpointRow | None:
        """Return the end of the chain, None before genesis."""
        ...

    async def leaves(self, start: int, end: int) -> Sequence[LeafRow]:
        """Return the leaves of ``[start, end)`` in order."""
        ...

    async def statements(self, digests: Collection[str]) -> Mapping[str, StatementRow]:
        """Return those of ``digests`` that are there."""
        ...


class Anchor(Protocol):
    """The newest checkpoint that anybody was shown, kept where the store is not.

    A store that was set back to an older copy of itself looks whole; this tells.
    """

    async def read(self) -> bytes | None:
        """Return the signed note, None where there is none."""
        ...

    async def swap(self, old: bytes | None, new: bytes) -> bool:
        """Put ``new`` in the place of ``old``, durably; False: something else stood there."""
        ...


class LedgerStore(Tail, Protocol):
    """The append-only tables, and captures by digest."""

    @property
    def tail(self) -> Tail:
        """The end of the log, for whoever appends to it: one reader at a time."""
        ...

    async def open(self) -> None:
        """Connect; refuse a schema that is not the expected one."""
        ...

    async def close(self) -> None:
        """Disconnect."""
        ...

    async def weaknesses(self) -> Sequence[str]:
        """Return what should hold the tables append-only and is missing or another, in words."""
        ...

    async def append(self, batch: Batch, *, has_turn: bool = False) -> bool:
        """Append durably, or return False because another process is first.

        Args:
            batch: what follows what stands.
            has_turn: this process holds the ``turn``; without it nothing goes in while another
                does, or whoever queues up would lose to whoever does not.

        Raises:
            StoreUnavailable: the outcome is not known.
            IntegrityBroken: the batch is not what may follow; nothing was written.
        """
        ...

    async def put_blob(self, blob: BlobRow) -> None:
        """Keep a capture durably; the same again changes nothing."""
        ...

    def turn(self) -> AbstractAsyncContextManager[None]:
        """Queue up with other processes that append; whoever is alone does not ask."""
        ...

    async def checkpoint_at(self, size: int) -> CheckpointRow | None:
        """Return the smallest checkpoint of at least ``size``."""
        ...

    async def checkpoints(self, above: int, up_to: int) -> Sequence[CheckpointRow]:
        """Return the links of the chain with a size in ``(above, up_to]``, in order."""
        ...

    async def counts(self) -> Mapping[str, int]:
        """Return how many rows each table of the ledger has."""
        ...

    async def line(self, line: str, *, below: int) -> Sequence[LeafRow]:
        """Return the leaves of a line with an index below ``below``, in order."""
        ...

    async def leaves_of(self, statements: Collection[str]) -> Mapping[str, LeafRow]:
        """Return the leaves of those statement digests that are there."""
        ...

    async def leaves_of_kind(
        self, kind: str, *, lines: str = "", after: int = -1, limit: int | None = None
    ) -> Sequence[LeafRow]:
        """Return leaves of a kind on lines that begin with ``lines``, above index ``after``."""
        ...

    async def lines(self, prefix: str, *, limit: int | None = None) -> Sequence[str]:
        """Return the distinct lines that begin with ``prefix``, sorted; no more than ``limit``."""
        ...

    async def open_lines(self) -> Sequence[str]:
        """Return the head lines that hold more studies than closures."""
        ...

    async def statements_like(self, prefix: str, *, limit: int) -> Sequence[str]:
        """Return statement digests that begin with ``prefix``."""
        ...

    async def tiles(self, names: Collection[tuple[int, int]]) -> Mapping[tuple[int, int], bytes]:
        """Return those of the full tiles ``(level, index)`` that are there."""
        ...

    async def uses_of(self, capture: str) -> Sequence[str]:
        """Return the receipts that name a capture."""
        ...


class Clock(Protocol):
    """The one clock of the process."""

    def now_us(self) -> int:
        """Return microseconds since 1970-01-01T00:00:00Z."""
        ...


class LogSigner(Protocol):
    """The ledger's two keys: one for checkpoints, one for its own statements."""

    @property
    def origin(self) -> str:
        """The log's name."""
        ...

    @property
    def checkpoint_key_id(self) -> str:
        """Key id of the checkpoint key."""
        ...

    @property
    def statement_key_id(self) -> str:
        """Key id of the statement key."""
        ...

    def sign_checkpoint(self, size: int, root: bytes) -> bytes:
        """Return the signed note of a tree head."""
        ...

    def sign_statement(self, payload: bytes) -> Envelope:
        """Return the envelope around a statement of the ledger's own."""
        ...

    def sign_bundle_head(self, payload: bytes) -> Envelope:
        """Return the envelope around a bundle's head: by the statement key, of its own type."""
        ...
