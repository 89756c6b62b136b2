# SPDX-License-Identifier: Apache-2.0
"""The same machine over the real service: no sequence breaks a rule on either database."""

import asyncio
import shutil
from collections.abc import Callable, Coroutine, Iterator
from itertools import count
from pathlib import Path
from typing import Any, ClassVar, Final, TypeVar

import pytest
from hypothesis import HealthCheck, settings
from typing_extensions import override

from app.core.admission.state import Standing
from app.core.digest import sha256_hex
from app.core.statement.encoding import encode
from app.core.statement.verdict import VerdictPredicate
from app.service.ledger import Ledger
from app.storage.migrate import upgrade
from app.storage.open_store import store_of
from tests.drafts import Draft, zstd
from tests.fakes import FakeClock, ledger_keys
from tests.ledgers import LiveLedger, founded
from tests.postgres import PostgresServer
from tests.property.slots_driver import DOCUMENT, Driver
from tests.property.slots_machine import SlotsMachine

T = TypeVar("T")
Fresh = Callable[[], tuple[str, Callable[[], None]]]
"""Makes an empty, migrated database; returns its URL and how to drop it."""

FRESH: Final[dict[str, Fresh]] = {}


class StoredDriver:
    """The service over a store, in a loop of its own that runs while it is asked something."""

    def __init__(self, url: str, drop: Callable[[], None]) -> None:
        """Begin a ledger in the empty database at ``url``."""
        self._drop = drop
        self._url = url
        self._runner = asyncio.Runner()
        self._clock = FakeClock()
        self.live = self._run(self._begin())
        self.make = self.live.make

    @property
    def now_us(self) -> int:
        """The service's clock."""
        return self._clock.at_us

    def wait(self, micros: int) -> None:
        """Move it."""
        self._clock.at_us += micros

    def submit(self, draft: Draft) -> str:
        """Submit as the routes do."""
        capture = None if draft.capture is None else zstd(draft.capture_bytes)
        answer = self._run(
            self.live.ledger.submit(draft.json, kind=draft.parsed.kind, capture=capture)
        )
        return answer.effect

    def settle(self) -> None:
        """Let the timer's work be done."""
        self._run(self.live.ledger.close_overdue())

    def standing(self) -> Standing:
        """Return the service's own."""
        return self._run(self.live.ledger.standing(self.make.repository, self.make.head))

    def stop(self) -> None:
        """Hold what was served against a fresh reading and against recomputation; let go."""
        try:
            self._run(self._audit())
        finally:
            self._run(self.live.ledger.stop())
            self._runner.close()
            self._drop()

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        return self._runner.run(work)

    async def _begin(self) -> LiveLedger:
        store = store_of(self._url)
        make = await founded(store, clock=self._clock)
        await store.close()
        ledger = Ledger(store_of(self._url), signer=ledger_keys(), clock=self._clock)
        await ledger.start()
        live = LiveLedger(ledger, make, self._clock, document=DOCUMENT)
        await live.begin()
        return live

    async def _audit(self) -> None:
        live = self.live
        name = (live.make.repository, live.make.head)
        served, checkpoint = await live.ledger.verdicts(*name), await live.ledger.checkpoint()
        entries = await live.ledger.entries(limit=10_000)
        assert [entry.index for entry in entries] == list(range(len(entries)))
        for entry in entries:
            assert sha256_hex(entry.payload) == entry.leaf.statement
            predicate = entry.entry.parsed and entry.entry.parsed.predicate
            if isinstance(predicate, VerdictPredicate):
                claim = predicate.document.claim
                again = await live.ledger.verdict(*name, claim=claim, at_size=entry.index)
                assert again.document == encode(predicate.document)
        fresh = Ledger(store_of(self._url), signer=ledger_keys(), clock=self._clock)
        await fresh.start()
        try:
            assert await fresh.standing(*name) == await live.ledger.standing(*name)
            assert await fresh.verdicts(*name) == served
            assert await fresh.checkpoint() == checkpoint
        finally:
            await fresh.stop()


@pytest.fixture(autouse=True, scope="module")
def _databases(
    postgres: PostgresServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[None]:
    folder = tmp_path_factory.mktemp("slots")
    upgrade(f"sqlite:///{folder / 'empty.db'}")
    template = postgres.create_database()
    upgrade(template.migration_url)
    numbers = count()

    def on_sqlite() -> tuple[str, Callable[[], None]]:
        path: Path = folder / f"{next(numbers)}.db"
        shutil.copyfile(folder / "empty.db", path)
        return f"sqlite:///{path}", path.unlink

    def on_postgres() -> tuple[str, Callable[[], None]]:
        database = postgres.create_database(template=template.name)
        return database.app_url, lambda: postgres.drop_database(database)

    FRESH.update(sqlite=on_sqlite, postgresql=on_postgres)
    yield
    FRESH.clear()
    postgres.drop_database(template)


class StoredSlots(SlotsMachine):
    """The machine on the service over one of the databases."""

    database: ClassVar[str]

    @override
    def driver(self) -> Driver:
        return StoredDriver(*FRESH[self.database]())


class SlotsOnSqlite(StoredSlots):
    """On SQLite."""

    database = "sqlite"


class SlotsOnPostgres(StoredSlots):
    """On PostgreSQL."""

    database = "postgresql"


SETTINGS: Final = settings(
    max_examples=max(5, settings().max_examples // 10),
    stateful_step_count=25,
    suppress_health_check=[HealthCheck.too_slow],
)
TestSlotsOnSqlite = SlotsOnSqlite.TestCase
TestSlotsOnSqlite.settings = SETTINGS
TestSlotsOnPostgres = SlotsOnPostgres.TestCase
TestSlotsOnPostgres.settings = SETTINGS
