# SPDX-License-Identifier: Apache-2.0
"""A ledger that is written to by real workers while something goes wrong, and what must hold after.

What was acknowledged is stored where it was said to be; what is stored was attempted; indices are
dense; all checkpoints that anybody was shown are of one log; no receipt is without its capture.
"""

import asyncio
import json
import os
import random
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import httpx
import pytest

from app.core.log.checkpoint import parse_checkpoint
from app.core.log.merkle import Frontier
from app.core.log.note import parse_note
from app.core.statement.study import StudyPredicate
from app.service.audit import Audit
from app.service.last_shown import LastShown
from app.service.ports import LeafRow, LedgerStore, StoreUnavailable
from app.storage.anchor_file import AnchorFile
from app.storage.clock import SystemClock
from app.storage.ledger_keys import write_ledger_keys
from app.storage.migrate import upgrade
from app.storage.open_store import store_of
from tests import documents, facts
from tests.documents import DAY_US
from tests.drafts import Draft
from tests.fakes import FakeClock, ledger_keys
from tests.functional.processes import PROJECT, environment_of
from tests.functional.zygote import Worker
from tests.ledgers import founded, served
from tests.makers import Maker
from tests.postgres import PostgresServer

SLOT: Final = "A/C2-canary/1"
# A fresh seed each time, printed by a failing assertion's names: the instants are the test.
CHANCE: Final = random.Random(os.environ.get("FAIRTRIAL_CRASH_SEED", time.time_ns()))
LOOKS: Final = 6_000
LOOK_EVERY_S: Final = 0.01


@dataclass(slots=True)
class Arena:
    """One ledger with an open study and a slot that is held, and what became known of it."""

    settings: Mapping[str, str]
    workers: int
    make: Maker
    pins: StudyPredicate
    study: str
    reservation: str
    challenge: str
    attempted: set[str] = field(default_factory=set)
    acknowledged: dict[int, str] = field(default_factory=dict)
    shown: set[bytes] = field(default_factory=set)
    refused: int = 0
    stored: int = 0
    sent: int = 0

    @property
    def url(self) -> str:
        return self.settings["FAIRTRIAL_DATABASE_URL"]

    @property
    def folder(self) -> Path:
        return Path(self.settings["FAIRTRIAL_DATA_DIR"])

    @property
    def figures(self) -> str:
        """How many statements were acknowledged, are stored, and were sent at all."""
        return (
            f"acknowledged {len(self.acknowledged)}, stored {self.stored}, "
            f"attempted {len(self.attempted)}"
        )

    def next_draft(self) -> Draft:
        """Return a note or a receipt nobody sent before; some captures go in ahead of their batch.

        Receipts beside the first are kept and counted as conflicting, so one slot takes them all.
        """
        self.sent += 1
        if self.sent % 2:
            return self.make.deviation(self.study, what=f"Note {self.sent}.")
        gaps = [CHANCE.randrange(1 << 16) for _ in range(30_000 if self.sent % 5 == 0 else 20)]
        capture = facts.capture(facts.incumbent(content_gaps_us=gaps), facts.newcomer())
        return self.make.receipt(
            self.pins,
            capture,
            study_digest=self.study,
            reservation=self.reservation,
            slot=SLOT,
            challenge=self.challenge,
        )


@contextmanager
def arena_on(kind: str, folder: Path, request: pytest.FixtureRequest) -> Iterator[Arena]:
    """Yield an arena on a database; two workers share the one that can be shared."""
    if kind == "sqlite":
        url = f"sqlite:///{folder / 'ledger.db'}"
        yield asyncio.run(_opened(url, url, folder, workers=1))
        return
    server: PostgresServer = request.getfixturevalue("postgres")
    database = server.create_database()
    try:
        yield asyncio.run(_opened(database.app_url, database.migration_url, folder, workers=2))
    finally:
        server.drop_database(database)


async def _opened(url: str, migration_url: str, folder: Path, *, workers: int) -> Arena:
    await asyncio.to_thread(upgrade, migration_url)
    write_ledger_keys(folder, ledger_keys())
    clock, anchor = FakeClock(SystemClock().now_us()), AnchorFile(folder)
    store = store_of(url)
    make = await founded(store, clock=clock, anchor=anchor)
    await store.close()
    async with served(store_of(url), make=make, clock=clock, anchor=anchor) as live:
        live.tick_us = 0
        live.document = documents.document(reservation={"ahead_max": 12, "allowance_us": DAY_US})
        await live.begin()
        await live.open()
        taken = await live.reserve(SLOT)
        study = await live.study()
    settings = {
        "FAIRTRIAL_DATA_DIR": str(folder),
        "FAIRTRIAL_DATABASE_URL": url,
        "FAIRTRIAL_SCRUB_PAUSE_S": "0.5",
    }
    return Arena(
        settings, workers, make, study.predicate, study.digest, taken.digest, taken.challenge or ""
    )


@asynccontextmanager
async def working(arena: Arena) -> AsyncIterator[list[Worker]]:
    """Start the workers; whoever of them lives at the end is killed too."""
    environment = environment_of(arena.settings)
    workers = [Worker.started(environment, PROJECT) for _ in range(arena.workers)]
    try:
        for worker in workers:
            await _wait_until_ready(worker)
        yield workers
    finally:
        for worker in workers:
            worker.end()


async def _wait_until_ready(worker: Worker) -> None:
    said = ""
    async with httpx.AsyncClient(trust_env=False) as client:
        for _ in range(LOOKS):
            ended = worker.process.exitcode
            assert ended is None, f"it ended with {ended}"
            with suppress(httpx.TransportError):
                answer = await client.get(f"{worker.url}/readyz")
                if answer.is_success:
                    return
                said = answer.text
            await asyncio.sleep(LOOK_EVERY_S)
    pytest.fail(f"a worker did not become ready: {said}")


async def until(done: Callable[[], bool], what: str, *, looks: int = LOOKS) -> None:
    """Wait for what other processes do: so many looks, since a busy machine's seconds say little.

    Args:
        done: tells whether it has come.
        what: what did not come, for whoever reads the failure.
        looks: how often to look.
    """
    for _ in range(looks):
        if done():
            return
        await asyncio.sleep(LOOK_EVERY_S)
    pytest.fail(f"never seen: {what}")


async def write(arena: Arena, url: str) -> None:
    """Send one statement after the other until the worker is gone; pause after a 503.

    What was not answered in time may be stored or not; the machine may have stood still meanwhile.
    """
    async with httpx.AsyncClient(base_url=url, trust_env=False, timeout=60) as client:
        while True:
            draft = arena.next_draft()
            arena.attempted.add(draft.digest)
            receipt = draft.capture is not None
            body = draft.receipt_body if receipt else draft.json
            kind = "fairtrial.receipt+json" if receipt else "dsse+json"
            headers = {"content-type": f"application/vnd.{kind}"}
            try:
                route = "/v1/receipts" if receipt else "/v1/deviations"
                answer = await client.post(route, content=body, headers=headers)
            except httpx.TimeoutException:
                continue
            except httpx.TransportError:
                return
            assert answer.status_code in {201, 503}, answer.text
            if answer.status_code == 503:
                arena.refused += 1
                await asyncio.sleep(0.05)
            else:
                said = json.loads(answer.content)
                arena.acknowledged[said["index"]] = said["statement"]
                arena.shown.add(said["checkpoint"].encode())


async def require_whole(arena: Arena) -> None:
    """Read the store as it was left, with nobody serving it, and hold it against what was said."""
    store = await _left_behind(arena.url)
    try:
        assert await store.weaknesses() == []
        await LastShown(store, AnchorFile(arena.folder)).refuse_other_store()
        audited = await Audit(store).run()
        assert audited.damage is None
        _require_kept(arena, await store.leaves(0, audited.size))
    finally:
        await store.close()


async def _left_behind(url: str) -> LedgerStore:
    """Open the store; a database that a fault has just thrown down may still be recovering."""
    store = store_of(url)
    for _ in range(4 * LOOKS):
        with suppress(StoreUnavailable):
            await store.open()
            return store
        await asyncio.sleep(LOOK_EVERY_S)
    await store.open()
    return store


def _require_kept(arena: Arena, leaves: Sequence[LeafRow]) -> None:
    stored = {row.index: row.statement for row in leaves}
    assert arena.acknowledged.items() <= stored.items()
    sent = {row.statement for row in leaves if row.kind in {"deviation", "receipt"}}
    assert sent <= arena.attempted
    arena.stored = len(sent)
    frontier, roots = Frontier(), {}
    for row in leaves:
        frontier = frontier.append(row.hash)
        roots[frontier.size] = frontier.root()
    for note in arena.shown:
        seen = parse_checkpoint(parse_note(note).text)
        assert roots[seen.size] == seen.root
