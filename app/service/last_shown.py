# SPDX-License-Identifier: Apache-2.0
"""The newest checkpoint that anybody may have been shown, held against what the store says.

A root is shown to nobody before it stands in the anchor, outside the database. So a store that was
set back to an older copy (a backup, a snapshot, a lost disk) is told from one that is merely short
(threat R06), and nothing is signed that contradicts what was published.

Several processes share one anchor. Each only ever moves it forwards, by compare-and-swap, and what
another process put there must stand in the chain that this process reads.
"""

from __future__ import annotations

from app.core.errors import FairtrialError, IntegrityBroken, LedgerBusy
from app.core.log.checkpoint import Checkpoint, parse_checkpoint
from app.core.log.note import parse_note
from app.service.ports import Anchor, CheckpointRow, LedgerStore, StoreUnavailable


class LastShown:
    """One process's hold on the anchor."""

    def __init__(self, store: LedgerStore, anchor: Anchor | None) -> None:
        """Hold ``store`` against ``anchor``; None: a ledger that outlives no process."""
        self._store = store
        self._anchor = anchor
        self._known: tuple[int, bytes] | None = None
        """Size and note of what the anchor held when this process last looked or wrote."""

    async def refuse_other_store(self) -> None:
        """Refuse a store that does not go on from what was shown.

        Raises:
            IntegrityBroken: ``rollback``, it ends before; ``fork``, it holds another tree of that
                size; ``no-anchor``, nothing tells what was shown; ``anchor``, it cannot be read.
            LedgerBusy: ``store-unavailable``.
        """
        if self._anchor is not None:
            self._known = await self._look(self._anchor)

    async def advance(self, row: CheckpointRow) -> None:
        """Note that ``row`` is about to be shown; durable once this returns.

        Raises:
            IntegrityBroken: ``rollback``, ``fork``, ``no-anchor`` or ``anchor``: nothing may be
                shown of this store.
            LedgerBusy: ``store-unavailable``, the anchor cannot be written now.
        """
        if self._anchor is None:
            return
        while True:
            known = self._known or await self._look(self._anchor)
            if known[0] >= row.size:
                return  # noted already: by this process, or by one that was ahead of it
            if await self._swap(self._anchor, known[1], row.note):
                self._known = row.size, row.note
                return
            self._known = None  # another process was faster; what it wrote must be in the chain

    async def _look(self, anchor: Anchor) -> tuple[int, bytes]:
        note = await self._read(anchor)
        if note is None:
            message = (
                "The checkpoint file is missing: whether this store was set back cannot be told. "
                "Put the file back, or restore a backup into an empty place."
            )
            raise IntegrityBroken(message, code="no-anchor")
        return await self._require_in_chain(note), note

    async def _swap(self, anchor: Anchor, old: bytes, new: bytes) -> bool:
        try:
            return await anchor.swap(old, new)
        except StoreUnavailable as error:
            raise _unavailable() from error

    async def _read(self, anchor: Anchor) -> bytes | None:
        try:
            return await anchor.read()
        except StoreUnavailable as error:
            raise _unavailable() from error

    async def _require_in_chain(self, note: bytes) -> int:
        shown = checkpoint_of(note)
        found = await self._store.checkpoint_at(shown.size)
        if found is None:
            message = (
                f"The store ends before size {shown.size}, which was published: it was set back. "
                "Restore the newest copy, or end this log and begin another that continues it."
            )
            raise IntegrityBroken(message, code="rollback")
        if (found.size, found.root) != (shown.size, shown.root):
            message = (
                f"The store holds another tree of size {shown.size} than the one published: it is "
                "a fork. Restore the copy that belongs to the checkpoint file."
            )
            raise IntegrityBroken(message, code="fork")
        return shown.size


def checkpoint_of(note: bytes) -> Checkpoint:
    """Return the checkpoint in an anchor's note.

    Raises:
        IntegrityBroken: ``anchor``, it is none.
    """
    try:
        return parse_checkpoint(parse_note(note).text)
    except FairtrialError as error:
        message = "The checkpoint file holds no checkpoint; put it back from a copy."
        raise IntegrityBroken(message, code="anchor") from error


def _unavailable() -> LedgerBusy:
    message = "The checkpoint file cannot be written or read now; nothing is shown before it is."
    return LedgerBusy(message, code="store-unavailable")
