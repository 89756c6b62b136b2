# SPDX-License-Identifier: Apache-2.0
"""What one process knows of the ledger at one tree size: the folded lines, the tree and its edge.

Repositories and heads are read when they are first asked for. Heads with a study that is not closed
are read at the start, since their deadlines may be due, and kept; what rests is forgotten when it
becomes too much, and read again. What another process appended is read and folded by ``catch_up``.
Everything here is committed; what is being tried lies in a draft on top.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from app.core.admission.apply import apply
from app.core.admission.due import next_deadline
from app.core.admission.state import (
    HeadState,
    LedgerState,
    RepositoryState,
    Standing,
    empty_standing,
)
from app.core.admission.unread import can_wait, is_unread
from app.core.errors import IntegrityBroken, UnknownThing
from app.core.identity import micros_of
from app.core.log.leaf import ledger_line, repository_line
from app.core.statement.capture import Capture
from app.core.statement.entry import Entry
from app.core.study.state import NotRead
from app.service.last_shown import LastShown
from app.service.lines import HeadName, LineReader, head_of_line, name_of_line
from app.service.ports import CheckpointRow, LeafRow, LedgerStore
from app.service.resting import Resting
from app.service.tree import Tree, load_tree

RESTING_ENTRIES: Final = 20_000
"""Entries of lines without an open study kept at hand; receipts take some 9 KB each as state."""
_PART = 1000


def no_ledger() -> UnknownThing:
    """Return the error for a store in which no log was begun."""
    message = "The store holds no ledger; make one with `fairtrial init`."
    return UnknownThing(message, code="no-ledger")


class Standings:
    """The committed state of one process; only the sequencer changes it."""

    def __init__(
        self,
        store: LedgerStore,
        reader: LineReader,
        checkpoint: CheckpointRow,
        *,
        shown: LastShown,
    ) -> None:
        """Stand at ``checkpoint`` with nothing read yet; use ``load``."""
        self._store = store
        self._tail = store.tail
        self._reader = reader
        self._at_tail = reader.at_tail()
        self._shown = shown
        self.newest = checkpoint
        """Of the tree as it stands: durable, and to be shown to nobody yet."""
        self.checkpoint = checkpoint
        """The newest that may be shown."""
        self.tree = Tree()
        self.ledger = LedgerState()
        self.repositories: dict[str, RepositoryState] = {}
        self.heads: dict[HeadName, HeadState] = {}
        self.places: dict[str, dict[str, int]] = {}
        self._deadlines: dict[HeadName, int] = {}
        self._opened_elsewhere: set[HeadName] = set()
        self._resting = Resting(RESTING_ENTRIES)
        self._heads_in: Counter[str] = Counter()

    @classmethod
    async def load(cls, store: LedgerStore, reader: LineReader, *, shown: LastShown) -> Standings:
        """Read the newest state.

        Raises:
            UnknownThing: ``no-ledger``: a log is made by ``init`` and by nothing else.
            IntegrityBroken: the leaves do not make the root of the newest checkpoint; ``rollback``,
                ``fork``, ``no-anchor`` or ``anchor``.
        """
        checkpoint = await store.newest_checkpoint()
        if checkpoint is None:
            raise no_ledger()
        found = cls(store, reader, checkpoint, shown=shown)
        found.tree = await load_tree(store, checkpoint.size)
        found.tree.require_root(checkpoint.root)
        rows = await store.line(ledger_line(), below=checkpoint.size)
        found.ledger = (await reader.fold(empty_standing(), rows)).ledger
        found.note_places(rows)
        for line in await store.open_lines():
            await found.bring(head_of_line(line))
        await shown.refuse_other_store()
        await shown.advance(checkpoint)
        return found

    @property
    def size(self) -> int:
        """The tree size."""
        return self.tree.size

    @property
    def is_shown(self) -> bool:
        """Whether the newest checkpoint stands in the anchor, as it must before anything else."""
        return self.checkpoint.size == self.size

    @property
    def at_us(self) -> int:
        """Log time of the tree size."""
        return self.newest.at_us

    async def bring(self, name: HeadName) -> None:
        """Read a repository, and a head of it unless that is ``""``, with every capture."""
        await self.bring_unread(name)
        head = self.heads.get(name)
        if head is not None and is_unread(head):
            self.keep(name, await self.read_up(head))

    async def read_up(self, head: HeadState) -> HeadState:
        """Return a head with every capture read that was left for later."""
        return await self._at_tail.read_up(head)

    async def bring_unread(self, name: HeadName) -> None:
        """Read a repository and a head if they are not there yet; captures may be left unread."""
        self._resting.touch(HeadName(name.repository, ""))
        self._resting.touch(name)
        if name.repository not in self.repositories:
            rows = await self._store.line(repository_line(name.repository), below=self.size)
            start = Standing(self.ledger, RepositoryState(repository=name.repository))
            folded = await self._reader.fold(start, rows)
            self.repositories[name.repository] = folded.repository
            self.note_places(rows)
            self._rest_repository(name.repository)
        if name.head and name not in self.heads:
            rows = await self._store.line(name.line, below=self.size)
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
        if name not in self.heads:
            self._heads_in[name.repository] += 1
            self._resting.wake(HeadName(name.repository, ""))
        self.heads[name] = kept = head or HeadState()
        deadline = next_deadline(kept)
        if deadline is None:
            self._deadlines.pop(name, None)
            self._resting.rest(name, entries=kept.length)
        else:
            self._deadlines[name] = deadline
            self._resting.wake(name)

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

    async def catch_up(self, *, show: bool = True) -> None:
        """Fold what other processes appended; forget what rests and is too much.

        A draft does not outlive this: what it lies on may be another, or forgotten.

        Args:
            show: whether the newest checkpoint is put into the anchor at once; else ``show`` must
                follow before anybody is told anything.

        Raises:
            IntegrityBroken: ``rollback``, the chain is shorter than it was; ``leaf-missing``;
                ``root``; what ``show`` raises.
            LedgerBusy: ``store-unavailable``.
        """
        self._forget()
        newest = await self._tail.newest_checkpoint()
        if newest is None or newest.size < self.size:
            message = "The store has lost entries that were committed; nothing more is appended."
            raise IntegrityBroken(message, code="rollback")
        if newest.size > self.newest.size:
            await self._fold_tail(newest)
        if show:
            await self.show()

    async def show(self) -> None:
        """Put the newest checkpoint into the anchor: it may be shown from then on and not before.

        Raises:
            IntegrityBroken: ``rollback``, ``fork``, ``no-anchor`` or ``anchor``.
            LedgerBusy: ``store-unavailable``.
        """
        if not self.is_shown:
            await self._shown.advance(self.newest)
            self.checkpoint = self.newest

    async def _fold_tail(self, newest: CheckpointRow) -> None:
        """Fold everything up to ``newest``."""
        for start in range(self.size, newest.size, _PART):
            rows = await self._at_tail.leaves(start, min(start + _PART, newest.size))
            kept = [row for row in rows if self._is_kept(row.line)]
            entries = await self._at_tail.entries(kept)
            self._fold_foreign(rows, kept, entries, await self._captures_of(entries))
        self.tree.require_root(newest.root)
        for name in sorted(self._opened_elsewhere, key=lambda one: one.line):
            await self.bring(name)
        self._opened_elsewhere.clear()
        self.newest = newest

    async def _captures_of(self, entries: Sequence[Entry]) -> dict[int, Capture]:
        """Return the captures of receipts that cannot be folded without, by their indices."""
        coming: dict[HeadName, list[Entry]] = {}
        for entry in entries:
            coming.setdefault(name_of_line(entry.leaf.line), []).append(entry)
        demanded: list[Entry] = []
        for name, some in coming.items():
            head = self.heads.get(name)
            at_us = micros_of(some[-1].leaf.at)
            if head is not None and not can_wait(head, [one.parsed for one in some], at_us):
                await self.bring(name)
                demanded += some
        return await self._at_tail.captures(demanded)

    def _fold_foreign(
        self,
        rows: Sequence[LeafRow],
        kept: Sequence[LeafRow],
        entries: Iterable[Entry],
        captures: Mapping[int, Capture],
    ) -> None:
        """Join leaves to the tree and fold those whose lines are kept, in one go."""
        self.tree, _ = self.tree.grow([row.hash for row in rows])
        for entry in entries:
            name = name_of_line(entry.leaf.line)
            capture = captures.get(entry.index, NotRead.YET)
            self.adopt(name, apply(self.standing(name), entry, capture))
        self.note_places(kept)
        # A study opened elsewhere: its deadlines are everybody's to watch.
        studies = (row.line for row in rows if row.kind == "study")
        self._opened_elsewhere |= {
            head_of_line(line) for line in studies if not self._is_kept(line)
        }

    def adopt(self, name: HeadName, standing: Standing) -> None:
        """Keep the lines of a committed standing."""
        self.ledger = standing.ledger
        if name.repository:
            self.repositories[name.repository] = standing.repository
        if name.head:
            self.keep(name, standing.head)

    def _forget(self) -> None:
        for name in self._resting.above_room():
            if not name.head:
                del self.repositories[name.repository]
                self.places.pop(repository_line(name.repository), None)
                continue
            del self.heads[name]
            self.places.pop(name.line, None)
            self._heads_in[name.repository] -= 1
            if not self._heads_in[name.repository]:
                del self._heads_in[name.repository]
                self._rest_repository(name.repository)

    def _rest_repository(self, repository: str) -> None:
        """Let a repository rest of which no head is kept; heads keep theirs."""
        entries = self.repositories[repository].length
        self._resting.rest(HeadName(repository, ""), entries=entries)

    def _is_kept(self, line: str) -> bool:
        name = name_of_line(line)
        if name.head:
            return name in self.heads
        return not name.repository or name.repository in self.repositories
