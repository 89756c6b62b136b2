# SPDX-License-Identifier: Apache-2.0
"""The lines of a store: whose they are, and their entries, read with what folding them takes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from app.core.admission.apply import apply
from app.core.admission.state import HeadState, Standing, empty_standing
from app.core.errors import IntegrityBroken
from app.core.identity import micros_of
from app.core.log.leaf import head_line, ledger_line, repository_line
from app.core.log.merkle import leaf_hash
from app.core.statement.capture import Capture
from app.core.statement.entry import Entry, read_entry
from app.core.statement.receipt import ReceiptPredicate
from app.core.study.unread import read_up
from app.service.captures import CaptureReader
from app.service.ports import LeafRow, LedgerStore, StatementRow, Tail

_PART = 1000
_HEAD = "head:"
_REPOSITORY = "repo:"


@dataclass(frozen=True, slots=True)
class HeadName:
    """A head of a repository."""

    repository: str
    head: str

    @property
    def line(self) -> str:
        """Its line."""
        return head_line(self.repository, self.head)


def head_of_line(line: str) -> HeadName:
    """Return the head that a line starting with ``head:`` is of."""
    repository, _, head = line.removeprefix(_HEAD).rpartition("@")
    return HeadName(repository, head)


def name_of_line(line: str) -> HeadName:
    """Return the head or repository that a line is of; both empty for the ledger's own."""
    if line.startswith(_HEAD):
        return head_of_line(line)
    return HeadName(line.removeprefix(_REPOSITORY) if line.startswith(_REPOSITORY) else "", "")


class EntryReader:
    """Reads entries with what folding them takes."""

    def __init__(self, tail: Tail, captures: CaptureReader) -> None:
        """Read statements from ``tail``, captures through ``captures``."""
        self._tail = tail
        self._captures = captures

    async def leaves(self, start: int, end: int) -> Sequence[LeafRow]:
        """Return the leaves of ``[start, end)``, every one.

        Raises:
            IntegrityBroken: ``leaf-missing``: a size that was turned over speaks of any number.
        """
        rows = await self._tail.leaves(start, end)
        if len(rows) < end - start:
            message = "Leaves are missing that the newest checkpoint says there are."
            raise IntegrityBroken(message, code="leaf-missing")
        return rows

    async def entries(self, rows: Sequence[LeafRow]) -> list[Entry]:
        """Return the entries of ``rows``.

        Raises:
            IntegrityBroken: ``entry``, ``leaf-row``: stored bytes are damaged.
        """
        stored = await self._tail.statements([row.statement for row in rows])
        return [entry_in(row, stored) for row in rows]

    async def captures(self, entries: Iterable[Entry]) -> dict[int, Capture]:
        """Return the captures of those of ``entries`` that are receipts, by their indices.

        Raises:
            IntegrityBroken: ``capture-missing``.
        """
        named = {entry.index: digest for entry in entries if (digest := _capture_digest(entry))}
        found = await self._captures.captures(named.values())
        return {index: found[digest] for index, digest in named.items()}

    async def read(self, rows: Sequence[LeafRow]) -> list[tuple[Entry, Capture | None]]:
        """Return the entries of ``rows``, receipts with their captures.

        Raises:
            IntegrityBroken: ``entry``, ``leaf-row`` or ``capture-missing``.
        """
        entries = await self.entries(rows)
        captures = await self.captures(entries)
        return [(entry, captures.get(entry.index)) for entry in entries]

    async def read_up(self, head: HeadState) -> HeadState:
        """Return ``head`` with every capture read that was left for later.

        Raises:
            IntegrityBroken: ``capture-missing``.
        """
        digests = {one.capture for study in head.studies for one in study.unread}
        captures = await self._captures.captures(digests)
        studies = tuple(
            read_up(study, captures.__getitem__) if study.unread else study
            for study in head.studies
        )
        return replace(head, studies=studies)

    async def fold(self, standing: Standing, rows: Sequence[LeafRow]) -> Standing:
        """Return ``standing`` after the entries of ``rows``, which must be in log order."""
        for start in range(0, len(rows), _PART):
            for entry, capture in await self.read(rows[start : start + _PART]):
                standing = apply(standing, entry, capture)
        return standing


class LineReader(EntryReader):
    """Reads whole lines of a store."""

    def __init__(self, store: LedgerStore, captures: CaptureReader) -> None:
        """Read from ``store``."""
        super().__init__(store, captures)
        self._store = store

    def at_tail(self) -> EntryReader:
        """Return a reader for whoever appends, with the same memory of captures."""
        tail = self._store.tail
        return EntryReader(tail, self._captures.through(tail))

    async def below(self, name: HeadName, size: int) -> Standing:
        """Return the standing of a head (``""``: of its repository alone) below a tree size."""
        lines = [ledger_line(), repository_line(name.repository)]
        lines += [name.line] if name.head else []
        rows = [row for line in lines for row in await self._store.line(line, below=size)]
        standing = empty_standing(name.repository, name.head or None)
        return await self.fold(standing, sorted(rows, key=lambda row: row.index))


def entry_in(row: LeafRow, stored: Mapping[str, StatementRow]) -> Entry:
    """Read an entry whose statement should be among ``stored``.

    Raises:
        IntegrityBroken: ``statement-missing``, ``entry`` or ``leaf-row``.
    """
    found = stored.get(row.statement)
    if found is None:
        message = f"The statement of the leaf at index {row.index} is not in the store."
        raise IntegrityBroken(message, code="statement-missing")
    return entry_of(row, found.payload)


def entry_of(row: LeafRow, payload: bytes) -> Entry:
    """Read a stored entry; what is looked up beside its record must be what the record says.

    Raises:
        IntegrityBroken: ``entry`` or ``leaf-row``.
    """
    entry = read_entry(row.index, row.record, payload)
    leaf = entry.leaf
    looked_up = (row.statement, row.kind, row.line, row.seq, row.at_us)
    if looked_up != (leaf.statement, leaf.kind, leaf.line, leaf.seq, micros_of(leaf.at)):
        raise _damaged(row.index)
    if row.hash != leaf_hash(row.record):
        raise _damaged(row.index)
    return entry


def _capture_digest(entry: Entry) -> str:
    predicate = None if entry.parsed is None else entry.parsed.predicate
    return predicate.capture.sha256 if isinstance(predicate, ReceiptPredicate) else ""


def _damaged(index: int) -> IntegrityBroken:
    message = f"The leaf at index {index} is not what its row says; compare it with a backup."
    return IntegrityBroken(message, code="leaf-row")
