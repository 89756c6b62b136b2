# SPDX-License-Identifier: Apache-2.0
"""What one process knows of the ledger at one tree size: the folded lines, the tree and its edge.

Repositories and heads are read when they are first asked for and kept from then on; heads with a
study that is not closed are read at the start, since their deadlines may be due. What another
process appended is read and folded by ``catch_up``. Everything here is committed; what is being
tried lies in a draft on top.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from app.core.admission.apply import apply
from app.core.admission.due import next_deadline
from app.core.admission.state import (
    HeadState,
    LedgerState,
    RepositoryState,
    Standing,
    empty_standing,
)
from app.core.errors import IntegrityBroken, UnknownThing
from app.core.identity import micros_of
from app.core.log.leaf import head_line, ledger_line, repository_line
from app.core.log.merkle import leaf_hash
from app.core.statement.capture import Capture
from app.core.statement.entry import Entry, read_entry
from app.core.statement.receipt import ReceiptPredicate
from app.service.captures import CaptureReader
from app.service.ports import CheckpointRow, LeafRow, LedgerStore
from app.service.tree import Tree, load_tree

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


class LineReader:
    """Reads entries with what folding them takes."""

    def __init__(self, store: LedgerStore, captures: CaptureReader) -> None:
        """Read from ``store``."""
        self._store = store
        self._captures = captures

    async def read(self, rows: Sequence[LeafRow]) -> list[tuple[Entry, Capture | None]]:
        """Return the entries of ``rows``, receipts with their captures.

        Raises:
            IntegrityBroken: ``entry``, ``leaf-row``: stored bytes are damaged; ``capture-missing``.
        """
        stored = await self._store.statements([row.statement for row in rows])
        entries = [entry_of(row, stored[row.statement].payload) for row in rows]
        digests = [digest for digest in map(_capture_digest, entries) if digest]
        captures = await self._captures.captures(digests)
        return [(entry, captures.get(_capture_digest(entry))) for entry in entries]

    async def fold(self, standing: Standing, rows: Sequence[LeafRow]) -> Standing:
        """Return ``standing`` after the entries of ``rows``, which must be in log order."""
        for start in range(0, len(rows), _PART):
            for entry, capture in await self.read(rows[start : start + _PART]):
                standing = apply(standing, entry, capture)
        return standing

    async def below(self, name: HeadName, size: int) -> Standing:
        """Return the standing of a head (``""``: of its repository alone) below a tree size."""
        lines = [ledger_line(), repository_line(name.repository)]
        lines += [name.line] if name.head else []
        rows = [row for line in lines for row in await self._store.line(line, below=size)]
        standing = empty_standing(name.repository, name.head or None)
        return await self.fold(standing, sorted(rows, key=lambda row: row.index))


class Standings:
    """The committed state of one process; only the sequencer changes it."""

    def __init__(self, store: LedgerStore, reader: LineReader, checkpoint: CheckpointRow) -> None:
        """Stand at ``checkpoint`` with nothing read yet; use ``load``."""
        self._store = store
        self._reader = reader
        self.checkpoint = checkpoint
        self.tree = Tree()
        self.ledger = LedgerState()
        self.repositories: dict[str, RepositoryState] = {}
        self.heads: dict[HeadName, HeadState] = {}
        self.places: dict[str, dict[str, int]] = {}
        self._deadlines: dict[HeadName, int] = {}
        self._unread: set[HeadName] = set()

    @classmethod
    async def load(cls, store: LedgerStore, reader: LineReader) -> Standings:
        """Read the newest state.

        Raises:
            UnknownThing: ``no-ledger``: a log is made by ``init`` and by nothing else.
            IntegrityBroken: the leaves do not make the root of the newest checkpoint.
        """
        checkpoint = await store.newest_checkpoint()
        if checkpoint is None:
            message = "The store holds no ledger; make one with `fairtrial init`."
            raise UnknownThing(message, code="no-ledger")
        found = cls(store, reader, checkpoint)
        found.tree = await load_tree(store, checkpoint.size)
        if found.tree.root() != checkpoint.root:
            raise _wrong_root()
        rows = await store.line(ledger_line(), below=checkpoint.size)
        found.ledger = (await reader.fold(empty_standing(), rows)).ledger
        found.note_places(rows)
        for line in await store.open_lines():
            await found.bring(head_of_line(line))
        return found

    @property
    def size(self) -> int:
        """The tree size."""
        return self.tree.size

    @property
    def at_us(self) -> int:
        """Log time of the tree size."""
        return self.checkpoint.at_us

    async def bring(self, name: HeadName) -> None:
        """Read a repository, and a head of it unless that is ``""``, if they are not there yet."""
        if name.repository not in self.repositories:
            rows = await self._rows(repository_line(name.repository))
            start = Standing(self.ledger, RepositoryState(repository=name.repository))
            folded = await self._reader.fold(start, rows)
            self.repositories[name.repository] = folded.repository
            self.note_places(rows)
        if name.head and name not in self.heads:
            rows = await self._rows(name.line)
            # The wider lines as they are now: a head's entries look up locked protocols there, and
            # a lock never changes; all else is compared by index when a verdict is given.
            start = Standing(
                self.ledger,
                self.repositories[name.repository],
                HeadState(repository=name.repository, head=name.head),
            )
            folded = await self._reader.fold(start, rows)
            self.note_places(rows)
            self.keep(name, folded.head)

    def standing(self, name: HeadName) -> Standing:
        """Return the three lines of a head that was brought; ``""`` for none."""
        repository = self.repositories.get(name.repository, RepositoryState())
        return Standing(self.ledger, repository, self.heads.get(name))

    def keep(self, name: HeadName, head: HeadState | None) -> None:
        """Remember a head's state and when time alone will change it."""
        self.heads[name] = kept = head or HeadState()
        deadline = next_deadline(kept)
        if deadline is None:
            self._deadlines.pop(name, None)
        else:
            self._deadlines[name] = deadline

    def overdue(self, at_us: int) -> list[HeadName]:
        """Return the heads with a study that time alone has closed by ``at_us``, oldest first."""
        due = [(at, name.line, name) for name, at in self._deadlines.items() if at < at_us]
        return [name for _, _, name in sorted(due, key=lambda one: one[:2])]

    def next_deadline(self) -> int | None:
        """Return the earliest instant after which a study will be closed by time alone."""
        return min(self._deadlines.values(), default=None)

    def note_places(self, rows: Iterable[LeafRow]) -> None:
        """Remember where statements stand, line by line: one statement belongs to one line."""
        for row in rows:
            self.places.setdefault(row.line, {})[row.statement] = row.index

    async def catch_up(self) -> None:
        """Fold what other processes appended.

        Raises:
            IntegrityBroken: ``rollback``, the chain is shorter than it was; ``root``.
        """
        newest = await self._store.newest_checkpoint()
        if newest is None or newest.size < self.size:
            message = "The store has lost entries that were committed; nothing more is appended."
            raise IntegrityBroken(message, code="rollback")
        if newest.size == self.checkpoint.size:
            return
        for start in range(self.size, newest.size, _PART):
            rows = await self._store.leaves(start, min(start + _PART, newest.size))
            kept = [row for row in rows if self._is_kept(row.line)]
            self._fold_foreign(rows, kept, await self._reader.read(kept))
        if self.tree.root() != newest.root:
            raise _wrong_root()
        for name in sorted(self._unread, key=lambda one: one.line):
            await self.bring(name)
        self._unread.clear()
        self.checkpoint = newest

    def _fold_foreign(
        self,
        rows: Sequence[LeafRow],
        kept: Sequence[LeafRow],
        entries: Iterable[tuple[Entry, Capture | None]],
    ) -> None:
        """Join leaves to the tree and fold those whose lines are kept, in one go."""
        self.tree, _ = self.tree.grow([row.hash for row in rows])
        for entry, capture in entries:
            name = self._name_of(entry.leaf.line)
            self.adopt(name, apply(self.standing(name), entry, capture))
        self.note_places(kept)
        # A study opened elsewhere: its deadlines are everybody's to watch.
        studies = (row.line for row in rows if row.kind == "study")
        self._unread |= {head_of_line(line) for line in studies if not self._is_kept(line)}

    def adopt(self, name: HeadName, standing: Standing) -> None:
        """Keep the lines of a committed standing."""
        self.ledger = standing.ledger
        if name.repository:
            self.repositories[name.repository] = standing.repository
        if name.head:
            self.keep(name, standing.head)

    def _is_kept(self, line: str) -> bool:
        name = self._name_of(line)
        if name.head:
            return name in self.heads
        return not name.repository or name.repository in self.repositories

    @staticmethod
    def _name_of(line: str) -> HeadName:
        if line.startswith(_HEAD):
            return head_of_line(line)
        return HeadName(line.removeprefix(_REPOSITORY) if line.startswith(_REPOSITORY) else "", "")

    async def _rows(self, line: str) -> Sequence[LeafRow]:
        return await self._store.line(line, below=self.size)


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


def _wrong_root() -> IntegrityBroken:
    message = "The stored leaves do not make the root of the newest checkpoint."
    return IntegrityBroken(message, code="root")
