# SPDX-License-Identifier: Apache-2.0
"""A service over a fresh ledger, on SQLite, and for a few tests on both databases."""

import shutil
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import httpx
import pytest

from app.storage.migrate import upgrade
from tests.api.fake_ledger import FakeLedger, app_around
from tests.api.world import World, opened
from tests.postgres import PostgresServer


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder with an empty, migrated SQLite database, to be copied."""
    folder = tmp_path_factory.mktemp("migrated")
    upgrade(f"sqlite:///{folder / 'ledger.db'}")
    return folder


@pytest.fixture
def sqlite_url(migrated: Path, tmp_path: Path) -> str:
    """URL of an empty database of this test's own."""
    folder = tmp_path / "data"
    shutil.copytree(migrated, folder)
    return f"sqlite:///{folder / 'ledger.db'}"


@pytest.fixture
async def world(sqlite_url: str) -> AsyncIterator[World]:
    """Yield a begun ledger on SQLite behind the routes."""
    async with opened(sqlite_url) as one:
        yield one


@pytest.fixture
def everything_stored(tmp_path: Path) -> Callable[[], bytes]:
    """Return every byte of every file the service keeps, joined."""
    return lambda: b"".join(
        path.read_bytes() for path in sorted(tmp_path.rglob("*")) if path.is_file()
    )


@pytest.fixture
async def both_worlds(world: World, postgres: PostgresServer) -> AsyncIterator[tuple[World, World]]:
    """Yield one ledger on SQLite and one on PostgreSQL."""
    database = postgres.create_database()
    try:
        upgrade(database.migration_url)
        async with opened(database.app_url) as other:
            yield world, other
    finally:
        postgres.drop_database(database)


@pytest.fixture
def fake() -> FakeLedger:
    """Return a ledger that stores nothing."""
    return FakeLedger()


@pytest.fixture
async def client(fake: FakeLedger) -> AsyncIterator[httpx.AsyncClient]:
    """Yield a client of the service around it."""
    transport = httpx.ASGITransport(app=app_around(fake), raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as one:
        yield one
