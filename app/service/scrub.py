# SPDX-License-Identifier: Apache-2.0
"""Re-hashes the store in slices while the service runs, round after round (threat R07).

A slice is small, other work goes before each entry of it, and between slices is a pause: so many
entries a minute, whatever the load. It asks what ``stored_slice`` asks, verifies signatures, the
links of the chain and the tiles that the slice completes, and at the beginning of a round whether
the tables are still held append-only. What one entry says of another is for ``audit``.

What it finds it remembers: a store that was damaged once is not ready until a person has acted.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Final

from app.core.admission.state import LedgerState
from app.core.errors import FairtrialError, IntegrityBroken, LedgerBusy
from app.core.log.tile import FULL, Tile
from app.service.ports import LedgerStore
from app.service.read_log import LogReader
from app.service.stored_slice import (
    Damage,
    Damaged,
    damaged,
    read_slice,
    refuse_bad_signatures,
    refuse_other_note,
)
from app.service.tree import Tree

SCRUB_SLICE: Final = 64


@dataclass(frozen=True, slots=True)
class Scrubbed:
    """How far the scrub has come.

    Attributes:
        rounds: times the whole store was found in order since the process started.
        position: entries re-hashed in the round under way.
        damage: what it found; None: nothing so far.
    """

    rounds: int = 0
    position: int = 0
    damage: Damage | None = None


@dataclass(frozen=True, slots=True)
class Newest:
    """The state that a slice is held against."""

    tree: Tree
    ledger: LedgerState


class Scrub:
    """The scrub of one process."""

    def __init__(
        self, store: LedgerStore, log: LogReader, newest: Callable[[], Awaitable[Newest]]
    ) -> None:
        """Scrub ``store``; ``newest`` gives the committed state."""
        self._store = store
        self._log = log
        self._newest = newest
        self.state = Scrubbed()

    async def run(self, pause_s: float) -> None:
        """Take a slice, rest, and so on until cancelled."""
        while True:
            await asyncio.sleep(pause_s)
            await self.step()

    async def step(self) -> None:
        """Re-hash the next slice; a store that does not answer is asked again next time."""
        start = self.state.position
        try:
            newest = await self._newest()
            end = min(start - start % SCRUB_SLICE + SCRUB_SLICE, newest.tree.size)
            if start == 0:
                await self._refuse_weakened()
            await self._slice(newest, start, end)
        except LedgerBusy:
            return
        except Damaged as found:
            self.state = replace(self.state, damage=self.state.damage or found.damage)
            return
        except FairtrialError as error:
            damage = damaged(start, error).damage
            self.state = replace(self.state, damage=self.state.damage or damage)
            return
        if end < newest.tree.size:
            self.state = replace(self.state, position=end)
        else:
            self.state = replace(self.state, position=0, rounds=self.state.rounds + 1)

    async def _refuse_weakened(self) -> None:
        found = await self._store.weaknesses()
        if found:
            what = f"The tables are not held append-only any more: {found[0][:200]}."
            raise Damaged(Damage(None, "weakened", what))

    async def _slice(self, newest: Newest, start: int, end: int) -> None:
        async for stored in read_slice(self._store, start, end):
            await asyncio.sleep(0)
            try:
                keyring, index = newest.ledger.keyring, stored.row.index
                refuse_bad_signatures(stored.envelope, keyring, index=index)
            except IntegrityBroken as error:
                raise damaged(stored.row.index, error) from error
        for row in await self._store.checkpoints(start, end):
            refuse_other_note(newest.ledger, row)
        if end % FULL == 0 or end == newest.tree.size:
            await self._refuse_other_tile(newest.tree, (end - 1) // FULL)

    async def _refuse_other_tile(self, tree: Tree, index: int) -> None:
        """Hold the records of a tile against it, and it against all above."""
        width = min(FULL, tree.size - index * FULL)
        try:
            await self._log.tile(tree, Tile(-1, index, width))
        except IntegrityBroken as error:
            raise damaged(index * FULL, error) from error
