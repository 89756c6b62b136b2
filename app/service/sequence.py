# SPDX-License-Identifier: Apache-2.0
"""The one write: batch, admit, append, and close what is due, in the loop of one process.

Requests that wait while a commit is under way form the next batch; no timer makes anybody wait.

The one timer is for deadlines: studies that time alone closes.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Final

from app.core.errors import FairtrialError, IntegrityBroken, LedgerBusy
from app.core.keyring.keyring import Keyring
from app.service.commit_batch import Answer, BatchCommit, Waiting
from app.service.ports import Clock
from app.service.receive_statement import Candidate
from app.service.refused_content import Refused
from app.service.standings import Standings

DOUBT_US: Final = 30 * 1_000_000
"""How long a process is not ready after a batch failed, unless one goes in before."""
LOOK_EVERY_S: Final = 5.0
"""An idle process looks this often for studies that others opened."""


@dataclass(frozen=True, slots=True)
class Capacity:
    """How much one process takes on.

    Attributes:
        max_waiting: statements that may wait; the next is answered 503 and nothing of it is kept.
        max_batch: statements that go in with one commit.
        scrub_pause_s: pause between two slices of the background scrub; 0: no scrub.
    """

    max_waiting: int = 1024
    max_batch: int = 256
    scrub_pause_s: float = 0.0


DEFAULT_CAPACITY: Final = Capacity()


class Sequencer:
    """Appends for one process. Others may append to the same log; the chain decides."""

    def __init__(
        self,
        standings: Standings,
        commit: BatchCommit,
        *,
        clock: Clock,
        capacity: Capacity,
    ) -> None:
        """Sequence on top of ``standings``; nothing runs before ``start``."""
        self._standings = standings
        self._commit = commit
        self._clock = clock
        self._capacity = capacity
        self._queue: deque[Waiting] = deque()
        self._batch: list[Waiting] = []
        self._wake = asyncio.Event()
        self._lock = asyncio.Lock()
        self._task: asyncio.Task[None] | None = None
        self._stopping = False
        self._broken: BaseException | None = None
        self._patience_s = 0.0
        self._failure: tuple[int, FairtrialError] | None = None

    # ---- for the process ----

    async def start(self) -> None:
        """Append what is overdue, then take writes; a clock that is behind only delays that."""
        with suppress(LedgerBusy):
            await self.close_overdue()
        self._launch()

    async def stop(self) -> None:
        """Take no more, finish what waits."""
        self._stopping = True
        self._wake.set()
        if self._task is not None:
            await asyncio.wait([self._task])

    @property
    def is_taking(self) -> bool:
        """Whether a statement submitted now would be tried."""
        running = self._task is not None and not self._task.done()
        return running and not self._stopping and self._broken is None

    @property
    def trouble(self) -> FairtrialError | None:
        """Why a statement submitted now would not be appended, as far as is known."""
        if self._broken is not None:
            return _failed()
        if not self.is_taking:
            return LedgerBusy("This process takes no statements now.", code="stopping")
        if self._failure is None or self._clock.now_us() - self._failure[0] > DOUBT_US:
            return None
        return self._failure[1]

    @property
    def waiting(self) -> int:
        """Statements that wait for the batch after the one under way."""
        return len(self._queue)

    # ---- for requests ----

    async def submit(self, candidate: Candidate) -> Answer:
        """Append a statement; anything but ``Appended`` says that the same one stood before.

        Raises:
            LedgerBusy: ``ledger-busy`` (too many wait), ``clock``, ``store-unavailable``,
                ``contended``, ``stopping``.
            FairtrialError: it may not enter.
        """
        return await self._wait_for(candidate)

    async def refuse(self, refused: Refused) -> None:
        """Record that content was refused, where a slot's holder sent it."""
        await self._wait_for(refused)

    async def close_overdue(self) -> None:
        """Append what is due by the clock now."""
        async with self._lock:
            await self._standings.catch_up()
            await self._commit.append([])

    @property
    def has_company(self) -> bool:
        """Whether other processes append too, so that whoever has the turn holds them up."""
        return self._commit.has_company

    async def calm(self) -> None:
        """Let the commit under way go on first, and wait while this process has the turn."""
        await asyncio.sleep(0)
        await self._commit.calm.wait()

    def keyring(self) -> Keyring:
        """Return the keys as this process last saw them."""
        return self._standings.ledger.keyring

    @asynccontextmanager
    async def newest(self) -> AsyncIterator[Standings]:
        """Hold still at the newest committed state, whichever process made it."""
        async with self._lock:
            await self._standings.catch_up()
            yield self._standings

    async def _wait_for(self, work: Candidate | Refused) -> Answer:
        if not self.is_taking:
            raise LedgerBusy("This process takes no statements now.", code="stopping")
        if len(self._queue) >= self._capacity.max_waiting:
            raise LedgerBusy("Too many statements are waiting; try again.", code="ledger-busy")
        waiting = Waiting(work)
        self._queue.append(waiting)
        self._wake.set()
        return await waiting.answer

    # ---- the loop ----

    def _launch(self) -> None:
        self._task = asyncio.create_task(self._run(), name="sequencer")
        self._task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        """Carry on after a fault in our own code: one statement's, or the end of writing."""
        error = LedgerBusy("The process is stopping.") if task.cancelled() else task.exception()
        if error is None:
            return
        culprit, self._commit.current = self._commit.current, None
        if culprit is None or task.cancelled():
            self._broken = error
            for waiting in (*self._batch, *self._queue):
                waiting.tell(_failed())
            self._queue.clear()
            return
        culprit.tell(error)
        self._queue.extendleft(reversed([one for one in self._batch if one is not culprit]))
        self._launch()

    async def _run(self) -> None:
        while not self._stopping or self._queue:
            await self._next_work()
            self._batch = []
            self._batch += self._more()
            async with self._lock:
                await self._round(self._batch)
            self._batch = []

    def _more(self) -> list[Waiting]:
        """Return who waits and still fits into the batch."""
        room = min(len(self._queue), self._capacity.max_batch - len(self._batch))
        return [self._queue.popleft() for _ in range(room)]

    async def _next_work(self) -> None:
        """Wait for a statement, for a deadline, or for a while."""
        if not self._queue:
            self._wake.clear()
            deadline = self._standings.next_deadline()
            pause = LOOK_EVERY_S
            if deadline is not None:
                pause = min(pause, max(deadline + 1 - self._clock.now_us(), 0) / 1_000_000)
            try:
                async with asyncio.timeout(max(pause, self._patience_s)):
                    await self._wake.wait()
            except TimeoutError:
                return

    async def _round(self, batch: list[Waiting]) -> None:
        try:
            if not batch:
                await self._standings.catch_up()
            await self._commit.append(batch, more=self._more)
            self._patience_s = 0.0
            self._failure = None if batch else self._failure
        except FairtrialError as error:
            self._patience_s = 1.0  # what fails for nobody in particular fails again right away
            self._failure = self._clock.now_us(), error
            for waiting in batch:
                waiting.tell(error)


def _failed() -> IntegrityBroken:
    message = "Appending has failed for a reason of the ledger's own; a person must look."
    return IntegrityBroken(message, code="writer-failed")
