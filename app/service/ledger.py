# SPDX-License-Identifier: Apache-2.0
"""The ledger of one process: every use case behind one door.

Writes go through the sequencer; reads see the newest committed tree, whichever process wrote it.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from typing import Final

from typing_extensions import override

from app.core.admission.request import Effect
from app.core.admission.state import HeadState
from app.core.errors import (
    FairtrialError,
    Finding,
    LedgerBusy,
    NotAuthenticated,
)
from app.core.keyring.keyring import Keyring
from app.core.statement.header import LedgerRef
from app.core.statement.parse import Parsed
from app.core.statement.receipt import ReceiptPredicate
from app.core.verdict.bundle import SignedHead, head_at, payload_of
from app.service.admit_batch import BatchAdmission
from app.service.answers import Appended
from app.service.commit_batch import BatchCommit
from app.service.counts import Counts
from app.service.draft import name_of
from app.service.fit_to_serve import audience_of, refuse_weakened
from app.service.last_shown import LastShown
from app.service.ledger_voice import LedgerVoice
from app.service.lines import HeadName
from app.service.ports import Anchor, Clock, LedgerStore, LogSigner
from app.service.read_ledger import LedgerReader
from app.service.receive_statement import Candidate, receive
from app.service.refused_content import ContentRefused
from app.service.scrub import Newest, Scrub, Scrubbed
from app.service.sent_again import answer_again, effect_now
from app.service.sequence import DEFAULT_CAPACITY, Capacity, Sequencer
from app.service.standings import Standings
from app.service.witnessing import Witnessing, WitnessStanding

IN_LOOP_BYTES: Final = 64 * 1024
"""Larger bodies are checked in a thread, so that they hold nobody else up."""


class Ledger(LedgerReader):
    """One per process: ``start`` it before use and ``stop`` it at the end."""

    def __init__(  # noqa: PLR0913  each is a port, or how the ports are used
        self,
        store: LedgerStore,
        *,
        signer: LogSigner,
        clock: Clock,
        anchor: Anchor | None = None,
        capacity: Capacity = DEFAULT_CAPACITY,
        draw_nonce: Callable[[], bytes] = lambda: secrets.token_bytes(32),
        witnessing: Witnessing | None = None,
    ) -> None:
        """Wire the ledger; nothing is read before ``start``.

        Without an ``anchor`` nothing outside the store remembers what was shown: for a ledger that
        nobody else ever sees. ``capacity`` says how much waits and how fast the store is
        re-hashed in the background.
        """
        super().__init__(store, origin=signer.origin)
        self._signer = signer
        self._clock = clock
        self._shown = LastShown(store, anchor)
        self._capacity = capacity
        self._scrub = Scrub(store, self._log, self.to_scrub)
        self._scrubbing: asyncio.Task[None] | None = None
        self._draw_nonce = draw_nonce
        self._audience = LedgerRef(origin=signer.origin, genesis=None)
        self._witnessing = witnessing
        self.counts = Counts()
        self._asking: asyncio.Task[None] | None = None
        # However many requests came at once, a commit under way waits for one check at most.
        self._one_by_one = asyncio.Lock()

    async def start(self) -> None:
        """Read the newest state, append what is overdue, take writes.

        Raises:
            UnknownThing: ``no-ledger``, the store holds no log; only ``init`` makes one.
            IntegrityBroken: ``ledger-keys``, the keys at hand are not those of the genesis;
                ``weakened``, the tables are not held append-only; ``rollback``, ``fork``,
                ``no-anchor`` or ``anchor``, the store does not go on from what was shown; or what
                is stored is damaged.
        """
        await self._store.open()
        refuse_weakened(await self._store.weaknesses())
        standings = await Standings.load(self._store, self._lines, shown=self._shown)
        self._audience = audience_of(standings.ledger, self._signer)
        voice = LedgerVoice(self._signer, self._audience)
        commit = BatchCommit(
            self._store,
            standings,
            BatchAdmission(self._store, standings, captures=self._captures, voice=voice),
            signer=self._signer,
            clock=self._clock,
            draw_nonce=self._draw_nonce,
            counts=self.counts,
        )
        self._running = Sequencer(standings, commit, clock=self._clock, capacity=self._capacity)
        await self._running.start()
        if self._witnessing is not None:
            running = self._witnessing.run(super().checkpoint, self._consistency_proof)
            self._asking = asyncio.create_task(running, name="witnesses")
        if self._capacity.scrub_pause_s:
            scrubbing = self._scrub.run(self._capacity.scrub_pause_s)
            self._scrubbing = asyncio.create_task(scrubbing, name="scrub")

    async def stop(self) -> None:
        """Take no more writes, finish those under way, let go of the store."""
        beside = [task for task in (self._asking, self._scrubbing) if task is not None]
        for task in beside:
            task.cancel()
        if beside:
            await asyncio.wait(beside)
        self._asking = self._scrubbing = None
        if self._running is not None:
            await self._running.stop()
            self._running = None
        await self._store.close()

    @property
    def origin(self) -> str:
        """The log's name."""
        return self._origin

    @property
    def genesis(self) -> str:
        """Digest of the genesis statement."""
        return self._audience.genesis or ""

    async def unready(self) -> tuple[Finding, ...]:
        """Return why statements cannot be appended now; nothing: they can."""
        if self._running is None:
            return (_reason(LedgerBusy("This process serves no ledger now.", code="stopping")),)
        try:
            async with self._running.newest():
                trouble = self._running.trouble
        except FairtrialError as error:
            trouble = error
        reasons = () if trouble is None else (_reason(trouble),)
        damage = self.scrubbed.damage
        return reasons if damage is None else (*reasons, Finding("", damage.code, damage.what))

    @property
    def scrubbed(self) -> Scrubbed:
        """How far the background scrub has come, and what it found."""
        return self._scrub.state

    @property
    def waiting(self) -> int:
        """Statements that wait for a commit in this process now."""
        return 0 if self._running is None else self._running.waiting

    async def scrub(self) -> Scrubbed:
        """Re-hash the next slice now, without waiting for its turn."""
        await self._scrub.step()
        return self.scrubbed

    async def is_ready(self) -> bool:
        """Tell whether statements can be appended now."""
        return not await self.unready()

    async def close_overdue(self) -> None:
        """Append what is due by the clock now, without waiting for the timer."""
        await self.sequencer.close_overdue()

    @override
    async def checkpoint(self) -> bytes:
        """Return the newest signed checkpoint, with what named witnesses have cosigned of it."""
        return self._cosigned(await super().checkpoint())

    def witnesses(self) -> tuple[WitnessStanding, ...]:
        """Return what each witness that this ledger names has cosigned last."""
        return () if self._witnessing is None else self._witnessing.standings()

    async def submit(self, envelope: bytes, *, kind: str, capture: bytes | None = None) -> Appended:
        """Receive, admit and append one statement.

        Args:
            envelope: the DSSE envelope's JSON as received.
            kind: the kind the route takes.
            capture: receipts only: zstd of the capture's JCS bytes.

        Raises:
            FairtrialError: why it may not enter; nothing was stored, save a ``refusal`` for a slot
                that this key holds.
        """
        try:
            return await self._submit(envelope, kind, capture)
        except FairtrialError as error:
            self.counts.refused[error.code] += 1
            raise

    async def _submit(self, envelope: bytes, kind: str, capture: bytes | None) -> Appended:
        try:
            candidate = await self._received(envelope, kind, capture)
        except ContentRefused as refused:
            await self.sequencer.refuse(refused.refused)
            raise refused.error from None
        answer = await self.sequencer.submit(candidate)
        return answer if isinstance(answer, Appended) else await self._again(candidate.parsed)

    async def bundle(self, repository: str, head: str, *, at_size: int | None = None) -> bytes:
        """Return the three lines of a head whole, as JSONL, with what this ledger signs for them.

        Raises:
            UnknownThing: ``unknown-repository``, ``unknown-size``.
        """
        standing, size, log_time_us = await self._standing(HeadName(repository, head), at_size)
        tree = (await self._newest()).tree
        stored = await self._store.checkpoint_at(size)
        if stored is not None and stored.size == size:
            root, note = stored.root, stored.note
        else:  # Inside a batch; its root follows from the tree, which was checked against the log.
            root = bytes.fromhex(await self._log.root_at(tree, size))
            note = self._signer.sign_checkpoint(size, root)
        of = head_at(standing, size=size, root=root.hex(), log_time_us=log_time_us)
        envelope = self._signer.sign_bundle_head(payload_of(of))
        signed = SignedHead(of, envelope, self._cosigned(note).decode())
        return await self._heads.bundle(signed, standing, tree)

    def _cosigned(self, note: bytes) -> bytes:
        return note if self._witnessing is None else self._witnessing.cosigned(note)

    async def _consistency_proof(self, old_size: int, new_size: int) -> tuple[bytes, ...]:
        return (await self.consistency(old_size, new_size)).proof

    async def to_scrub(self) -> Newest:
        """Return the committed state that a slice of the store is held against."""
        async with self.sequencer.newest() as standings:
            return Newest(standings.tree, standings.ledger)

    async def _received(self, envelope: bytes, kind: str, capture: bytes | None) -> Candidate:
        known = self.sequencer.keyring()
        try:
            return await self._receive(envelope, kind, capture, known)
        except NotAuthenticated:
            # A key may have been registered through another process a moment ago.
            newest = await self.keyring()
            if newest is known:
                raise
            return await self._receive(envelope, kind, capture, newest)

    async def _receive(
        self, envelope: bytes, kind: str, capture: bytes | None, keyring: Keyring
    ) -> Candidate:
        def work() -> Candidate:
            return receive(
                envelope, kind=kind, keyring=keyring, audience=self._audience, capture=capture
            )

        large = len(envelope) + len(capture or b"") > IN_LOOP_BYTES
        if self.sequencer.has_company:
            async with self._one_by_one:
                await self.sequencer.calm()
        return await asyncio.to_thread(work) if large else work()

    async def _again(self, parsed: Parsed) -> Appended:
        proof, predicate = await self.proof(parsed.digest), parsed.predicate
        effect = Effect.ACCEPTED
        if isinstance(predicate, ReceiptPredicate):
            name = name_of(parsed)
            head = (await self.standing(name.repository, name.head)).head or HeadState()
            effect = effect_now(predicate, parsed.digest, head)
        return answer_again(parsed, proof, effect)


def _reason(error: FairtrialError) -> Finding:
    return Finding("", error.code, error.detail)
