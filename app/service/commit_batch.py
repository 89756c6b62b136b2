# SPDX-License-Identifier: Apache-2.0
"""One batch, from statements that wait to a durable commit and what is answered for each.

A batch is drafted on top of the newest known tree, its checkpoint signed, and swapped in by one
durable commit. Where another process was first, everything is admitted again on top of what it
left: a slot or a key that was free before may not be now. Nobody is shown a root, an index or a
proof before its commit is known to be durable.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from typing import Final

from app.core.errors import FairtrialError, LedgerBusy
from app.core.log.leaf import RESERVATION, challenge_of
from app.core.log.merkle import Frontier, inclusion_proof
from app.service.admit_batch import BatchAdmission, Placed
from app.service.answers import Appended
from app.service.captures import INLINE_BYTES
from app.service.counts import Counts
from app.service.draft import Draft
from app.service.ports import Clock, LedgerStore, LogSigner, StoreUnavailable
from app.service.receive_statement import Candidate
from app.service.refused_content import Refused
from app.service.standings import Standings
from app.service.tree import hash_at_of

MAX_SWAPS: Final = 64
"""Swaps lost in a row before a batch is answered 503."""
MAX_SILENCES: Final = 3
"""Commits of one batch whose outcome is unknown before it is answered 503."""
COMPANY: Final = 32
"""Batches in which nobody else appended before the turn is not waited for any more."""
MAX_CLOCK_LAG_US: Final = 5 * 60 * 1_000_000
"""How far the clock may be behind the log before appending stops (threat R20)."""

Answer = Appended | Placed | None
"""A new place; a place where the same statement stood before; None: nothing to tell."""


@dataclass(eq=False, slots=True)
class Waiting:
    """Somebody's statement, or the record of a refusal, and whom to tell."""

    work: Candidate | Refused
    answer: asyncio.Future[Answer] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )

    def tell(self, answer: Answer | BaseException) -> None:
        """Answer, if anybody is still waiting for it."""
        if self.answer.done():
            return
        if isinstance(answer, BaseException):
            self.answer.set_exception(answer)
        else:
            self.answer.set_result(answer)


_Results = dict[Waiting, Placed | FairtrialError | None]


class BatchCommit:
    """Commits batches on top of one process's standings; one at a time."""

    def __init__(  # noqa: PLR0913  each is a port, or what the ports are used with
        self,
        store: LedgerStore,
        standings: Standings,
        admission: BatchAdmission,
        *,
        signer: LogSigner,
        clock: Clock,
        draw_nonce: Callable[[], bytes],
        counts: Counts,
    ) -> None:
        """Commit to ``store``."""
        self._store = store
        self._standings = standings
        self._admission = admission
        self._signer = signer
        self._clock = clock
        self._draw_nonce = draw_nonce
        self._counts = counts
        self._silences = 0
        self._company = 0
        self.current: Waiting | None = None
        """Whose statement is being admitted: the culprit, should our own code fail."""
        self.calm: Final = asyncio.Event()
        """Not set while this process holds the turn, for which all others wait."""
        self.calm.set()

    @property
    def has_company(self) -> bool:
        """Whether another process was seen to append a while ago."""
        return self._company > 0

    async def append(
        self, batch: list[Waiting], *, more: Callable[[], Iterable[Waiting]] | None = None
    ) -> None:
        """Commit ``batch`` and what is overdue, and tell everybody.

        Where other processes append too, whoever drafts first and then loses the swap has worked
        for nothing. So after a lost swap the turn comes first, until nobody else was seen for a
        while.

        Args:
            batch: those who wait; whoever joins or leaves it does so in this list.
            more: returns who came while the turn was waited for.

        Raises:
            LedgerBusy: ``clock``, ``store-unavailable`` or ``contended``; nothing was written.
            IntegrityBroken: the store holds something else than it should.
        """
        self._silences = 0
        if not self._standings.is_shown:
            await self._standings.catch_up()
        async with AsyncExitStack() as quiet, AsyncExitStack() as turn:
            quiet.callback(self.calm.set)
            has_turn = self._company > 0 and bool(batch)
            if has_turn:
                await self._take_turn(turn)
                self._company = self._company - 1 if await self._is_newest(show=False) else COMPANY
                batch += () if more is None else more()
            for _ in range(MAX_SWAPS):
                draft, results = await self._draft(batch)
                if draft.is_empty:
                    # A swap that is won proves that this was the newest state. Without one, what
                    # is refused here may be right by what another process just appended.
                    if await self._is_newest():
                        self._tell(results, {})
                        return
                    continue
                old = self._standings.tree.frontier
                if await self._swap(draft, has_turn=has_turn):
                    await _pass_on(turn)
                    await self._standings.show()
                    self._tell(results, self._appended(draft, results, old))
                    return
                self._company = COMPANY
                if not has_turn:
                    await self._take_turn(turn)
                    has_turn = True
                await self._standings.catch_up()
        message = "Other processes were faster every time; nothing was written, try again."
        raise LedgerBusy(message, code="contended")

    async def _is_newest(self, *, show: bool = True) -> bool:
        size = self._standings.size
        await self._standings.catch_up(show=show)
        return self._standings.size == size

    async def _take_turn(self, turn: AsyncExitStack) -> None:
        try:
            await turn.enter_async_context(self._store.turn())
            self.calm.clear()
        except StoreUnavailable as error:
            raise _unavailable() from error

    async def _draft(self, batch: list[Waiting]) -> tuple[Draft, _Results]:
        """Admit one by one; a statement that spoils the draft is left out and all begins again."""
        while True:
            draft = Draft(self._standings, at_us=self._log_time(), draw_nonce=self._draw_nonce)
            await self._admission.close_overdue(draft)
            results: _Results = {}
            spoilt = None
            for waiting in batch:
                before = draft.size
                self.current = waiting
                try:
                    results[waiting] = await self._admit(draft, waiting.work)
                except FairtrialError as error:
                    results[waiting] = error
                    spoilt = waiting if draft.size != before else None
                if spoilt is not None:
                    break
            self.current = None
            if spoilt is None:
                return draft, results
            batch.remove(spoilt)
            self._tell({spoilt: results[spoilt]}, {})

    async def _admit(self, draft: Draft, work: Candidate | Refused) -> Placed | None:
        if isinstance(work, Candidate):
            return await self._admission.take(draft, work)
        await self._admission.refuse(draft, work)
        return None

    async def _swap(self, draft: Draft, *, has_turn: bool) -> bool:
        """Commit a draft durably. From here on it is there, or nothing of it is.

        An answer that got lost leaves open which: then False, and the chain tells it afterwards.
        Large captures are durable before the entries that name them.

        Raises:
            LedgerBusy: ``store-unavailable``: several in a row were lost, as on a full disk.
        """
        batch = draft.batch(self._signer.sign_checkpoint, inline_bytes=INLINE_BYTES)
        try:
            for blob in draft.blobs_above(INLINE_BYTES):
                await self._store.put_blob(blob)
            if not await self._store.append(batch, has_turn=has_turn):
                return False
        except StoreUnavailable as error:
            self._silences += 1
            if self._silences >= MAX_SILENCES:
                raise _unavailable() from error
            return False
        draft.adopt(batch.checkpoint)
        self._counts.committed([row.kind for row in batch.leaves])
        self._admission.remember(draft)
        return True

    def _log_time(self) -> int:
        now, last = self._clock.now_us(), self._standings.at_us
        if last - now > MAX_CLOCK_LAG_US:
            message = "This machine's clock is minutes behind the log; appending waits for it."
            raise LedgerBusy(message, code="clock")
        return max(now, last)

    def _appended(self, draft: Draft, results: _Results, old: Frontier) -> dict[int, Appended]:
        """Return what to answer for each new statement; the batch is durable by now."""
        checkpoint = self._standings.checkpoint
        note = checkpoint.note.decode()
        hash_at = hash_at_of(old, draft.hashes())
        appended = {}
        for result in results.values():
            if not (isinstance(result, Placed) and result.created):
                continue
            leaf = draft.leaf(result.index)
            appended[result.index] = Appended(
                index=result.index,
                digest=leaf.statement,
                kind=leaf.kind,
                leaf=leaf,
                proof=inclusion_proof(result.index, checkpoint.size, hash_at),
                size=checkpoint.size,
                checkpoint=note,
                effect=result.effect,
                created=True,
                challenge=challenge_of(leaf) if leaf.kind == RESERVATION else None,
            )
        return appended

    def _tell(self, results: _Results, appended: dict[int, Appended]) -> None:
        for waiting, result in results.items():
            if isinstance(result, Placed) and result.created:
                waiting.tell(appended[result.index])
            else:
                waiting.tell(result)


async def _pass_on(turn: AsyncExitStack) -> None:
    """Let the next process append: it need not wait until the anchor is on disk here.

    The batch is durable. Where the turn cannot be given back, the database ends it in time.
    """
    with suppress(StoreUnavailable):
        await turn.aclose()


def _unavailable() -> LedgerBusy:
    return LedgerBusy("The store does not answer; try again later.", code="store-unavailable")
