# SPDX-License-Identifier: Apache-2.0
"""64 clients on 4 processes of one service on PostgreSQL race for slots, locks and indices."""

import asyncio
import json
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import httpx
import pytest

from app.core.log.checkpoint import parse_checkpoint
from app.core.log.note import parse_note
from app.core.statement.capture import Capture
from app.core.statement.receipt import ReceiptPredicate
from app.core.statement.study import StudyPredicate
from app.core.study.state import StudyState
from app.service.answers import FoundStatement
from app.service.captures import CaptureReader
from app.storage.anchor_file import AnchorFile
from app.storage.clock import SystemClock
from app.storage.ledger_keys import write_ledger_keys
from app.storage.migrate import upgrade
from app.storage.open_store import store_of
from tests import documents, facts
from tests.audit import assert_no_rule_broken
from tests.documents import DAY_US
from tests.drafts import Draft
from tests.fakes import FakeClock, ledger_keys
from tests.functional.processes import serving
from tests.ledgers import founded, served
from tests.makers import Maker
from tests.postgres import PostgresServer

PROCESSES: Final = 4
CLIENTS: Final = 64
NOTES: Final = 10
ROUTES: Final = {
    "reservation": "/v1/reservations",
    "receipt": "/v1/receipts",
    "deviation": "/v1/deviations",
    "protocol": "/v1/protocols",
}


@dataclass(frozen=True, slots=True)
class Arena:
    """One ledger with an open study, served by several processes."""

    database_url: str
    make: Maker
    study: str
    pins: StudyPredicate
    slots: tuple[str, ...]
    urls: tuple[str, ...]


@pytest.fixture(scope="module")
def arena(postgres: PostgresServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Arena]:
    database = postgres.create_database()
    upgrade(database.migration_url)
    folder: Path = tmp_path_factory.mktemp("race")
    write_ledger_keys(folder, ledger_keys())
    make, study = asyncio.run(_opened(database.app_url, AnchorFile(folder)))
    settings = {
        "FAIRTRIAL_DATA_DIR": str(folder),
        "FAIRTRIAL_DATABASE_URL": database.app_url,
    }
    with ExitStack() as running:
        urls = tuple(running.enter_context(serving(settings)) for _ in range(PROCESSES))
        yield Arena(database.app_url, make, study.digest, study.predicate, tuple(study.slots), urls)
    postgres.drop_database(database)


async def _opened(url: str, anchor: AnchorFile) -> tuple[Maker, StudyState]:
    clock = FakeClock(SystemClock().now_us())
    document = documents.document(
        repetitions=4, reservation={"ahead_max": 12, "allowance_us": DAY_US}
    )
    store = store_of(url)
    make = await founded(store, clock=clock, anchor=anchor)
    await store.close()
    async with served(store_of(url), make=make, clock=clock, anchor=anchor) as live:
        live.document, live.tick_us = document, 0
        await live.begin()
        await live.open()
        return make, await live.study()


@asynccontextmanager
async def _clients(arena: Arena) -> AsyncIterator[list[httpx.AsyncClient]]:
    """Yield 64 clients, each with a connection of its own, spread over the processes."""
    async with AsyncExitStack() as stack:
        yield [
            await stack.enter_async_context(
                httpx.AsyncClient(base_url=arena.urls[n % PROCESSES], trust_env=False, timeout=60)
            )
            for n in range(CLIENTS)
        ]


async def _send(client: httpx.AsyncClient, draft: Draft) -> httpx.Response:
    kind = draft.parsed.kind
    if draft.capture is None:
        headers = {"content-type": "application/vnd.dsse+json"}
        return await client.post(ROUTES[kind], content=draft.json, headers=headers)
    headers = {"content-type": "application/vnd.fairtrial.receipt+json"}
    return await client.post(ROUTES[kind], content=draft.receipt_body, headers=headers)


async def _audited(arena: Arena) -> list[tuple[str, str]]:
    """Admit the whole log again; return kind and digest of what stands, by index."""
    clock = FakeClock(SystemClock().now_us())
    async with served(store_of(arena.database_url), make=arena.make, clock=clock) as live:
        entries = await live.ledger.entries(limit=100_000)
        checkpoint = parse_checkpoint(parse_note(await live.ledger.checkpoint()).text)
        root = assert_no_rule_broken(entries, await _captures(arena, entries))
        assert (checkpoint.size, checkpoint.root) == (len(entries), root)
        return [(entry.entry.leaf.kind, entry.digest) for entry in entries]


async def _captures(arena: Arena, entries: Sequence[FoundStatement]) -> Mapping[str, Capture]:
    predicates = [entry.entry.parsed.predicate for entry in entries if entry.entry.parsed]
    digests = {p.capture.sha256 for p in predicates if isinstance(p, ReceiptPredicate)}
    store = store_of(arena.database_url)
    await store.open()
    try:
        return await CaptureReader(store).captures(digests)
    finally:
        await store.close()


def _receipt(arena: Arena, slot: str, won: Mapping[str, Any]) -> Draft:
    return arena.make.receipt(
        arena.pins,
        facts.capture(),
        study_digest=arena.study,
        reservation=won["statement"],
        slot=slot,
        challenge=won["challenge"],
    )


async def test_r19_one_slot_goes_to_one_client_and_the_log_breaks_no_rule(arena: Arena) -> None:
    study = arena.study
    acknowledged: dict[int, str] = {}
    async with _clients(arena) as clients:
        for slot in arena.slots:
            drafts = [
                arena.make.reservation(study, [slot], host=f"driver-{n}") for n in range(CLIENTS)
            ]
            answers = await asyncio.gather(
                *(_send(client, draft) for client, draft in zip(clients, drafts, strict=True))
            )
            assert Counter(one.status_code for one in answers) == {201: 1, 409: CLIENTS - 1}
            codes = {one.json()["code"] for one in answers if one.status_code == 409}
            assert codes == {"slot-taken"}
            (won,) = (one.json() for one in answers if one.status_code == 201)
            acknowledged[won["index"]] = won["statement"]
            # The winner fills the slot through another process than the one that took it.
            receipt = _receipt(arena, slot, won)
            filled = await asyncio.gather(
                *(_send(client, receipt) for client in clients[:PROCESSES])
            )
            assert Counter(one.status_code for one in filled) == {201: 1, 200: PROCESSES - 1}
            assert len({one.json()["index"] for one in filled}) == 1
            acknowledged[filled[0].json()["index"]] = receipt.digest
    stored = await _audited(arena)
    assert {index: stored[index][1] for index in acknowledged} == acknowledged


async def test_r04_acknowledged_is_stored_and_indices_are_dense(arena: Arena) -> None:
    drafts = [
        [arena.make.deviation(arena.study, what=f"Note {n} of client {c}.") for n in range(NOTES)]
        for c in range(CLIENTS)
    ]
    before = await _audited(arena)

    async def work(client: httpx.AsyncClient, own: list[Draft]) -> list[tuple[int, str]]:
        found = []
        for draft in own:
            answer = await _send(client, draft)
            assert answer.status_code == 201, answer.text
            body = answer.json()
            assert json.loads(answer.content)["statement"] == draft.digest
            found.append((body["index"], body["statement"]))
        return found

    started = time.perf_counter()
    async with _clients(arena) as clients:
        answers = await asyncio.gather(*map(work, clients, drafts))
    spent = time.perf_counter() - started
    acknowledged = dict(pair for own in answers for pair in own)
    assert len(acknowledged) == CLIENTS * NOTES
    stored = await _audited(arena)
    assert stored[: len(before)] == before
    added = dict(enumerate(stored[len(before) :], start=len(before)))
    # A deviation in a study that is closed already lowers its head's word, and the ledger says so.
    own = {index for index, (kind, _) in added.items() if kind == "verdict"}
    sent = {index: digest for index, (_, digest) in added.items() if index not in own}
    assert acknowledged == sent, f"after {spent:.1f} s"
    assert len(own) <= 1


async def test_l07_one_of_50_locks_of_one_name_stands(arena: Arena) -> None:
    locks = [
        arena.make.lock(documents.document(name="raced", not_claimed=[f"what client {n} left out"]))
        for n in range(50)
    ]
    async with _clients(arena) as clients:
        answers = await asyncio.gather(
            *(_send(client, draft) for client, draft in zip(clients, locks, strict=False))
        )
    assert Counter(one.status_code for one in answers) == {201: 1, 409: 49}
    await _audited(arena)
