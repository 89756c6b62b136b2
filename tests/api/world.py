# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a predicate is any value of it
"""A real ledger behind the real routes, and somebody who writes to it over HTTP.

``World`` keeps no state of its own but what it was answered: every step is a request.
"""

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx
from fastapi import FastAPI

from app.core.digest import from_base64
from app.core.identity import Role
from app.core.log.checkpoint import Checkpoint, parse_checkpoint, sign_checkpoint
from app.core.log.leaf import next_challenge
from app.core.log.note import NoteSigner, parse_note
from app.core.protocol.parse import document_digest
from app.core.signing.envelope import Envelope, sign, to_json
from app.core.statement.capture import Capture
from app.core.statement.key import CheckpointRef
from app.core.statement.protocol_document import ProtocolDocument
from app.core.statement.study import StudyPredicate
from app.core.verdict.bundle_head import PAYLOAD_TYPE
from app.main import assemble
from app.service.create_ledger import FirstAdmin, Founding, create_ledger
from app.service.ledger import Ledger
from app.storage.documents import schemas
from app.storage.open_store import store_of
from tests import documents, facts
from tests.documents import DAY_US
from tests.drafts import ORIGIN, Draft, signing_key
from tests.factories import START_US
from tests.makers import Maker

PATHS = {
    "key": "/v1/keys",
    "policy": "/v1/policies",
    "protocol": "/v1/protocols",
    "study": "/v1/studies",
    "reservation": "/v1/reservations",
    "receipt": "/v1/receipts",
    "deviation": "/v1/deviations",
    "review": "/v1/reviews",
    "hold": "/v1/holds",
    "decision": "/v1/decisions",
    "ref": "/v1/refs",
}
SLOTS = ["A/C2-canary/1", "B/C2-canary/1", "A2/C2-canary/1"]
DSSE = "application/vnd.dsse+json"
RECEIPT = "application/vnd.fairtrial.receipt+json"


class MovedClock:
    """A clock that goes a millisecond a look, and further when a test says so."""

    def __init__(self) -> None:
        self.at_us = START_US

    def now_us(self) -> int:
        self.at_us += 1_000
        return self.at_us


class LabelledSigner:
    """The ledger's two keys, the same in every test."""

    origin = ORIGIN
    checkpoint_key_id = signing_key("checkpoint").key_id
    statement_key_id = signing_key("ledger").key_id

    def sign_checkpoint(self, size: int, root: bytes) -> bytes:
        signer = NoteSigner(ORIGIN, signing_key("checkpoint"))
        return sign_checkpoint(Checkpoint(ORIGIN, size, root), [signer])

    def sign_statement(self, payload: bytes) -> Envelope:
        return sign(payload, [signing_key("ledger")])

    def sign_bundle_head(self, payload: bytes) -> Envelope:
        return sign(payload, [signing_key("ledger")], payload_type=PAYLOAD_TYPE)


@dataclass(frozen=True, slots=True)
class Opened:
    """A study that stands in the ledger."""

    digest: str
    predicate: StudyPredicate


@dataclass(slots=True)
class Reserved:
    """A reservation, and the challenge of its next slot."""

    digest: str
    slots: Sequence[str]
    challenge: str


@dataclass(slots=True)
class World:
    """Requests to one ledger, made by the usual people."""

    client: httpx.AsyncClient
    make: Maker
    ledger: Ledger
    clock: MovedClock
    document: ProtocolDocument = field(default_factory=documents.document)

    @property
    def head_path(self) -> str:
        return f"/v1/repos/{self.make.repository}/heads/{self.make.head}"

    async def send(self, kind: str, draft: Draft) -> httpx.Response:
        """Send a draft to the route of ``kind``."""
        if draft.capture is not None:
            return await self.send_receipt(draft.receipt_body)
        return await self.send_envelope(kind, draft.json)

    async def send_envelope(self, kind: str, body: bytes) -> httpx.Response:
        headers = {"content-type": DSSE}
        return await self.client.post(PATHS[kind], content=body, headers=headers)

    async def send_receipt(self, body: bytes) -> httpx.Response:
        headers = {"content-type": RECEIPT}
        return await self.client.post(PATHS["receipt"], content=body, headers=headers)

    async def put(self, draft: Draft) -> dict[str, Any]:
        """Send a draft that must enter."""
        answer = await self.send(draft.parsed.kind, draft)
        assert answer.status_code == 201, answer.text
        return dict(answer.json())

    async def size(self) -> int:
        return (await self.checkpoint()).size

    async def checkpoint(self) -> CheckpointRef:
        note = parse_note((await self.client.get("/log/checkpoint")).content)
        checkpoint = parse_checkpoint(note.text)
        return CheckpointRef(size=checkpoint.size, root=checkpoint.root.hex())

    async def register(self, label: str, role: Role, **changes: Any) -> None:
        draft = self.make.key(label, role, checkpoint=await self.checkpoint(), **changes)
        await self.put(draft)

    async def begin(self) -> None:
        """Register a maintainer and a runner, lock the protocol and set a policy."""
        await self.register("maintainer", Role.MAINTAINER)
        await self.register("runner", Role.RUNNER)
        await self.put(self.make.lock(self.document))
        await self.put(self.make.policy(protocols=[document_digest(self.document)]))

    def study_draft(self, **changes: Any) -> Draft:
        given = {"closes_at_us": self.clock.now_us() + DAY_US}
        return self.make.study(self.document, **(given | changes))

    async def open(self, **changes: Any) -> Opened:
        draft = self.study_draft(**changes)
        await self.put(draft)
        predicate = draft.parsed.predicate
        assert isinstance(predicate, StudyPredicate)
        return Opened(draft.digest, predicate)

    async def reserve(self, study: Opened, slots: Sequence[str], **changes: Any) -> Reserved:
        answer = await self.put(self.make.reservation(study.digest, slots, **changes))
        return Reserved(answer["statement"], slots, answer["challenge"])

    def receipt(
        self,
        study: Opened,
        reserved: Reserved,
        slot: str,
        capture: Capture | None = None,
        **changes: Any,
    ) -> Draft:
        given = {
            "study_digest": study.digest,
            "reservation": reserved.digest,
            "slot": slot,
            "challenge": reserved.challenge,
        }
        return self.make.receipt(study.predicate, capture or facts.capture(), **(given | changes))

    async def push_all(
        self, study: Opened, reserved: Reserved, capture: Capture | None = None
    ) -> list[dict[str, Any]]:
        """Push a receipt for every slot of a reservation, along its chain of challenges."""
        answers = []
        for slot in reserved.slots:
            draft = self.receipt(study, reserved, slot, capture)
            answers.append(await self.put(draft))
            reserved.challenge = next_challenge(reserved.challenge, draft.digest)
        return answers

    async def slots(self, study: Opened) -> list[dict[str, Any]]:
        answer = await self.client.get(f"/v1/studies/{study.digest}/slots")
        return list(answer.json()["slots"])


def leaf_of(answer: dict[str, Any]) -> dict[str, Any]:
    """Return the leaf that an answer carries, read."""
    return dict(json.loads(from_base64(answer["leaf"])))


async def begun_app(url: str) -> tuple[FastAPI, Maker, Ledger, MovedClock]:
    """Begin a ledger in the empty database at ``url``; return the service around it."""
    signer, clock = LabelledSigner(), MovedClock()
    founding = Founding(
        checkpoint_key=signing_key("checkpoint").public,
        statement_key=signing_key("ledger").public,
        admins=[FirstAdmin("admin", signing_key("admin"))],
    )
    store = store_of(url)
    await store.open()
    try:
        genesis = await create_ledger(store, founding, signer=signer, clock=clock)
    finally:
        await store.close()
    ledger = Ledger(store_of(url), signer=signer, clock=clock)
    app = assemble(ledger, allowed_hosts=("localhost", "127.0.0.1"), published=schemas())
    return app, Maker(genesis_digest=genesis), ledger, clock


@asynccontextmanager
async def opened(url: str) -> AsyncIterator[World]:
    """Begin a ledger at ``url`` and serve it in this process."""
    app, make, ledger, clock = await begun_app(url)
    transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=transport, base_url="http://localhost") as client,
    ):
        yield World(client, make, ledger, clock)


def assert_refused(answer: httpx.Response, *allowed: tuple[int, str]) -> None:
    """Demand a problem with one of these statuses and codes."""
    assert answer.headers["content-type"] == "application/problem+json", answer.text
    assert (answer.status_code, answer.json()["code"]) in allowed, answer.text


def signed(payload: bytes, *labels: str, payload_type: str | None = None) -> bytes:
    """Return an envelope around any bytes, by the keys of these labels."""
    keys = [signing_key(label) for label in labels]
    if payload_type is None:
        return to_json(sign(payload, keys))
    return to_json(sign(payload, keys, payload_type=payload_type))
