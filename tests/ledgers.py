# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a predicate is any value of it
"""A real ledger, wired as the service wires it, and the usual people who write to it.

Nothing here knows HTTP. What a statement needs to name (a reservation, a challenge) is read from
what was answered or from the ledger's own standing.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from app.core.admission.state import HeadState
from app.core.identity import Role
from app.core.log.checkpoint import parse_checkpoint
from app.core.log.merkle import verify_inclusion
from app.core.log.note import parse_note
from app.core.protocol.parse import document_digest
from app.core.statement.capture import Capture
from app.core.statement.key import CheckpointRef
from app.core.statement.protocol_document import ProtocolDocument
from app.core.study.chain import challenge_for
from app.core.study.state import StudyState
from app.service.answers import Appended
from app.service.create_ledger import FirstAdmin, Founding, create_ledger
from app.service.ledger import Ledger
from app.service.ports import Anchor, LedgerStore
from app.service.sequence import Capacity
from tests import documents, facts
from tests.documents import DAY_US
from tests.drafts import Draft, signing_key, zstd
from tests.fakes import FakeClock, ledger_keys
from tests.makers import Maker

FOUNDING = Founding(
    checkpoint_key=signing_key("checkpoint").public,
    statement_key=signing_key("ledger").public,
    admins=[FirstAdmin("admin", signing_key("admin"))],
)


@dataclass(slots=True)
class LiveLedger:
    """Writes to one process's ledger, a second after the statement before."""

    ledger: Ledger
    make: Maker
    clock: FakeClock = field(default_factory=FakeClock)
    document: ProtocolDocument = field(default_factory=documents.document)
    tick_us: int = 1_000_000

    async def send(self, draft: Draft, *, kind: str | None = None) -> Appended:
        """Submit a draft as its route would."""
        self.clock.at_us += self.tick_us
        capture = None if draft.capture is None else zstd(draft.capture_bytes)
        return await self.ledger.submit(draft.json, kind=kind or draft.parsed.kind, capture=capture)

    async def policy_in_force(self) -> str:
        """Return the digest of the repository's policy."""
        policy = (await self.ledger.standing(self.make.repository)).repository.policy
        assert policy is not None
        return policy.digest

    async def head(self) -> HeadState:
        standing = await self.ledger.standing(self.make.repository, self.make.head)
        assert standing.head is not None
        return standing.head

    async def study(self, ordinal: int | None = None) -> StudyState:
        return (await self.head()).studies[-1 if ordinal is None else ordinal - 1]

    async def checkpoint(self) -> CheckpointRef:
        found = parse_checkpoint(parse_note(await self.ledger.checkpoint()).text)
        return CheckpointRef(size=found.size, root=found.root.hex())

    async def size(self) -> int:
        return (await self.checkpoint()).size

    async def register(self, label: str, role: Role = Role.RUNNER, **changes: Any) -> Appended:
        draft = self.make.key(label, role, checkpoint=await self.checkpoint(), **changes)
        return await self.send(draft)

    async def begin(self, *, policy: bool = True) -> None:
        """Register a maintainer and a runner, lock the protocol and set a policy."""
        await self.register("maintainer", Role.MAINTAINER)
        await self.register("runner")
        await self.send(self.make.lock(self.document))
        if policy:
            await self.send(self.policy())

    def policy(self, **changes: Any) -> Draft:
        return self.make.policy(protocols=[document_digest(self.document)], **changes)

    async def open(self, **changes: Any) -> Appended:
        standing = await self.ledger.standing(self.make.repository, self.make.head)
        studies = () if standing.head is None else standing.head.studies
        given = {"closes_at_us": self.clock.at_us + 2 * DAY_US, "ordinal": len(studies) + 1}
        return await self.send(self.make.study(self.document, **(given | changes)))

    async def reserve(self, *slots: str, **changes: Any) -> Appended:
        study = await self.study()
        return await self.send(self.make.reservation(study.digest, slots, **changes))

    async def receipt(self, slot: str, capture: Capture | None = None, **changes: Any) -> Draft:
        """Make a receipt for the newest attempt at a slot."""
        study = await self.study()
        attempt = study.slots[slot].attempts[-1]
        reservation = study.reservations[attempt.reservation]
        given: dict[str, Any] = {
            "study_digest": study.digest,
            "reservation": reservation.digest,
            "challenge": challenge_for(reservation, slot),
            "attempt": attempt.number,
        }
        return self.make.receipt(
            study.predicate, capture or facts.capture(), slot=slot, **(given | changes)
        )

    async def push(self, slot: str, capture: Capture | None = None, **changes: Any) -> Appended:
        return await self.send(await self.receipt(slot, capture, **changes))

    async def slots(self) -> Sequence[str]:
        return tuple((await self.study()).slots)

    async def fill(self, capture: Capture | None = None) -> list[Appended]:
        """Reserve and fill every slot of the newest study, in plan order."""
        slots = await self.slots()
        await self.reserve(*slots)
        return [await self.push(slot, capture) for slot in slots]


@asynccontextmanager
async def served(
    store: LedgerStore,
    *,
    make: Maker,
    clock: FakeClock | None = None,
    anchor: Anchor | None = None,
    scrub_pause_s: float = 0.0,
) -> AsyncIterator[LiveLedger]:
    """Serve the ledger that stands in ``store``, as one process does."""
    time = clock or FakeClock()
    ledger = Ledger(
        store,
        signer=ledger_keys(),
        clock=time,
        anchor=anchor,
        capacity=Capacity(scrub_pause_s=scrub_pause_s),
    )
    try:
        await ledger.start()
        yield LiveLedger(ledger, make, time)
    finally:
        await ledger.stop()


async def founded(
    store: LedgerStore, *, clock: FakeClock | None = None, anchor: Anchor | None = None
) -> Maker:
    """Begin a ledger in an empty store."""
    await store.open()
    time = clock or FakeClock()
    genesis = await create_ledger(store, FOUNDING, signer=ledger_keys(), clock=time, anchor=anchor)
    return Maker(genesis_digest=genesis)


def assert_proven(answer: Appended) -> None:
    """Hold an answer against its own checkpoint."""
    checkpoint = parse_checkpoint(parse_note(answer.checkpoint.encode()).text)
    assert checkpoint.size == answer.size
    verify_inclusion(
        answer.leaf.hash(),
        index=answer.index,
        size=answer.size,
        proof=answer.proof,
        root=checkpoint.root,
    )
