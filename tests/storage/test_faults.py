# SPDX-License-Identifier: Apache-2.0
"""Threats R02, R03 and R18: a full disk, a flush that fails, an answer lost after the commit.

The faults are put between the store and its database's driver; what a power cut does beneath the
driver is not shown here.
"""

import sqlite3
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from app.core.errors import LedgerBusy
from app.service.audit import Audit
from app.storage import ledger_store_sqlite
from app.storage.engine import connect_writer, refuse_changes
from app.storage.open_store import store_of
from tests import facts
from tests.ledgers import LiveLedger, founded, served
from tests.storage.conftest import Place


class Faulty:
    """A writer's connection of which some commits fail, before or after they are done."""

    def __init__(self, path: Path) -> None:
        self.real = connect_writer(path)
        self.before = 0
        self.after = 0
        self.pages: int | None = None

    @property
    def in_transaction(self) -> bool:
        return self.real.in_transaction

    def execute(self, statement: str, *values: Iterable[object]) -> sqlite3.Cursor:
        if self.pages is not None and statement.startswith("BEGIN"):
            self.real.set_authorizer(None)
            self.real.execute(f"PRAGMA max_page_count = {self.pages}")
            self.real.set_authorizer(refuse_changes)
        if statement == "COMMIT" and self.before:
            self.before -= 1
            raise sqlite3.OperationalError("disk I/O error")
        cursor = self.real.execute(statement, *values)  # type: ignore[arg-type]  # as given
        if statement == "COMMIT" and self.after:
            self.after -= 1
            raise sqlite3.OperationalError("disk I/O error")
        return cursor

    def executemany(self, statement: str, rows: Iterable[Iterable[object]]) -> sqlite3.Cursor:
        return self.real.executemany(statement, rows)  # type: ignore[arg-type]  # as given

    def close(self) -> None:
        self.real.close()


@pytest.fixture
def faulty(monkeypatch: pytest.MonkeyPatch) -> list[Faulty]:
    """Return the connections that writers have opened, newest last."""
    opened: list[Faulty] = []

    def connect(path: Path) -> Faulty:
        one = Faulty(path)
        if opened:  # a fault of the disk outlives a connection
            one.before, one.pages = opened[-1].before, opened[-1].pages
        opened.append(one)
        return one

    monkeypatch.setattr(ledger_store_sqlite, "connect_writer", connect)
    return opened


async def _whole(place: Place, size: int) -> None:
    store = store_of(place.url)
    await store.open()
    audited = await Audit(store).run()
    assert (audited.size, audited.damage) == (size, None)
    await store.close()


async def _begun(place: Place, work: Callable[[LiveLedger], object]) -> None:
    first = store_of(place.url)
    make = await founded(first)
    await first.close()
    async with served(store_of(place.url), make=make) as live:
        await work(live)  # type: ignore[misc]  # a coroutine function


async def test_r02_flush_that_fails_once_costs_nothing(
    sqlite_place: Place, faulty: list[Faulty]
) -> None:
    async def work(live: LiveLedger) -> None:
        faulty[-1].before = 1
        answer = await live.register("runner")
        assert (answer.created, answer.index) == (True, 1)

    await _begun(sqlite_place, work)
    await _whole(sqlite_place, 2)


async def test_r02_flush_that_keeps_failing_is_503_and_keeps_nothing(
    sqlite_place: Place, faulty: list[Faulty]
) -> None:
    async def work(live: LiveLedger) -> None:
        faulty[-1].before = 3
        with pytest.raises(LedgerBusy) as busy:
            await live.register("runner")
        assert busy.value.code == "store-unavailable"
        assert not await live.ledger.is_ready()
        assert await live.size() == 1
        faulty[-1].before = 0
        assert (await live.register("runner")).index == 1
        assert await live.ledger.is_ready()

    await _begun(sqlite_place, work)
    await _whole(sqlite_place, 2)


async def test_r03_answer_lost_after_the_commit_is_found_in_the_chain(
    sqlite_place: Place, faulty: list[Faulty]
) -> None:
    async def work(live: LiveLedger) -> None:
        faulty[-1].after = 1
        answer = await live.register("runner")
        # It was in by the time it was looked for again, so it is not said to be new.
        assert (answer.created, answer.index) == (False, 1)

    await _begun(sqlite_place, work)
    await _whole(sqlite_place, 2)


async def test_r02_full_database_is_503_and_goes_on_where_it_stopped(
    sqlite_place: Place, faulty: list[Faulty]
) -> None:
    async def work(live: LiveLedger) -> None:
        await live.begin()
        await live.open()
        (slot, *_) = await live.slots()
        await live.reserve(slot)
        gaps = [n * 7919 % 65_536 for n in range(9_000)]
        large = facts.capture(facts.incumbent(content_gaps_us=gaps), facts.newcomer())
        draft = await live.receipt(slot, large)
        size = await live.size()
        faulty[-1].pages = 1  # SQLite takes the pages there are: none may be added
        ended = None
        for n in range(40):
            try:
                await live.send(live.make.deviation((await live.study()).digest, what=f"Note {n}."))
            except LedgerBusy as busy:
                ended = busy
                break
        assert ended is not None
        assert ended.code == "store-unavailable"
        faulty[-1].pages = 1_000_000
        stopped = await live.size()
        assert stopped >= size
        assert (await live.send(draft)).index == stopped

    await _begun(sqlite_place, work)
    store = store_of(sqlite_place.url)
    await store.open()
    assert (await Audit(store).run()).damage is None
    await store.close()


async def test_r18_large_capture_whose_entry_never_came_harms_nobody(
    sqlite_place: Place, faulty: list[Faulty]
) -> None:
    async def work(live: LiveLedger) -> None:
        await live.begin()
        await live.open()
        (slot, *_) = await live.slots()
        await live.reserve(slot)
        gaps = [n * 7919 % 65_536 for n in range(60_000)]
        large = facts.capture(facts.incumbent(content_gaps_us=gaps), facts.newcomer())
        draft = await live.receipt(slot, large)
        faulty[-1].before = 3
        with pytest.raises(LedgerBusy):
            await live.send(draft)
        faulty[-1].before = 0
        assert (await live.send(draft)).effect == "scored"

    await _begun(sqlite_place, work)
    store = store_of(sqlite_place.url)
    await store.open()
    assert (await Audit(store).run()).damage is None
    await store.close()
