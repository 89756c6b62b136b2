# SPDX-License-Identifier: Apache-2.0
"""Both databases, migrated, each test on its own copy: whatever uses ``place`` runs on both."""

import shutil
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import psycopg
import pytest

from app.service.ports import LedgerStore
from app.storage.engine import connect_writer
from app.storage.migrate import upgrade
from app.storage.open_store import store_of
from tests.ledgers import LiveLedger, founded, served
from tests.postgres import Database, PostgresServer, conninfo


@dataclass(frozen=True, slots=True)
class Place:
    """A migrated, empty database, and who may do what there.

    Attributes:
        url: the service's login.
        owner_url: may change rows and schema; on SQLite that is anybody with the file.
    """

    name: str
    url: str
    owner_url: str
    app_role: str
    path: Path = field(default_factory=Path)

    @property
    def is_sqlite(self) -> bool:
        return self.name == "sqlite"

    def run_as_app(self, *statements: str) -> None:
        """Run SQL the way the service connects."""
        if self.is_sqlite:
            with closing(connect_writer(self.path)) as connection:
                for statement in statements:
                    connection.execute(statement)
            return
        with psycopg.connect(conninfo(self.url), autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement.encode())

    def run_as_owner(self, *statements: str) -> list[tuple[object, ...]]:
        """Run SQL as whoever may do most, and return the last answer."""
        if self.is_sqlite:
            with closing(sqlite3.connect(self.path, isolation_level=None)) as connection:
                connection.execute("PRAGMA recursive_triggers=ON")
                rows = [connection.execute(statement).fetchall() for statement in statements]
            return rows[-1]
        answer: list[tuple[object, ...]] = []
        with psycopg.connect(conninfo(self.owner_url), autocommit=True) as connection:
            for statement in statements:
                cursor = connection.execute(statement.encode())
                answer = cursor.fetchall() if cursor.description else []
        return answer


@pytest.fixture(scope="session")
def migrated_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an empty, migrated SQLite database, to be copied."""
    path = tmp_path_factory.mktemp("migrated") / "ledger.db"
    upgrade(f"sqlite:///{path}")
    return path


@pytest.fixture(scope="session")
def migrated_template(postgres: PostgresServer) -> Database:
    """Return an empty, migrated PostgreSQL database, to be copied."""
    database = postgres.create_database()
    upgrade(database.migration_url)
    return database


@pytest.fixture
def sqlite_place(migrated_file: Path, tmp_path: Path) -> Place:
    """Return an empty SQLite ledger."""
    path = tmp_path / "ledger.db"
    shutil.copyfile(migrated_file, path)
    return Place("sqlite", f"sqlite:///{path}", f"sqlite:///{path}", "", path)


@pytest.fixture
def postgres_place(postgres: PostgresServer, migrated_template: Database) -> Iterator[Place]:
    """Yield an empty PostgreSQL ledger."""
    database = postgres.create_database(template=migrated_template.name)
    yield Place("postgresql", database.app_url, database.superuser_url, "fairtrial_app")
    postgres.drop_database(database)


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest) -> Place:
    """Return an empty ledger on each database in turn."""
    name = "sqlite_place" if request.param == "sqlite" else "postgres_place"
    found: Place = request.getfixturevalue(name)
    return found


@pytest.fixture
async def store(place: Place) -> AsyncIterator[LedgerStore]:
    """Yield an opened, empty store."""
    one = store_of(place.url)
    await one.open()
    yield one
    await one.close()


@pytest.fixture
async def live(place: Place) -> AsyncIterator[LiveLedger]:
    """Yield a served ledger that holds its genesis only."""
    first = store_of(place.url)
    make = await founded(first)
    await first.close()
    async with served(store_of(place.url), make=make) as one:
        yield one
