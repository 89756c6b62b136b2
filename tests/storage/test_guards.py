# SPDX-License-Identifier: Apache-2.0
"""Threat R09: the guards are the expected ones after every revision, and a missing one is found."""

from pathlib import Path

import pytest
from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory

from app.core.errors import IntegrityBroken
from app.service.ports import LedgerStore
from app.storage.documents import folder
from app.storage.engine import reader_engine
from app.storage.guards import expected_guards, guards
from app.storage.open_store import store_of
from tests.ledgers import founded, served
from tests.postgres import PostgresServer
from tests.storage.conftest import Place

SCRIPTS = ScriptDirectory(str(folder("migrations")))
REVISIONS = [one.revision for one in SCRIPTS.walk_revisions()]

DISARMED = (
    "CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql"
    " AS 'BEGIN RETURN NEW; END'"
)


def _config(url: str) -> Config:
    config = Config()
    config.set_main_option("script_location", str(folder("migrations")))
    config.set_main_option("path_separator", "os")
    config.attributes["url"] = url
    return config


def _guards(url: str) -> list[str]:
    engine = reader_engine(url)
    with engine.connect() as connection:
        found = guards(connection)
    engine.dispose()
    return found


@pytest.mark.parametrize("first", REVISIONS)
def test_r09_guards_of_sqlite_from_each_revision_are_the_expected(
    first: str, tmp_path: Path
) -> None:
    url = f"sqlite:///{tmp_path / 'ledger.db'}"
    for revision in (first, "head"):
        command.upgrade(_config(url), revision)
    assert _guards(url) == expected_guards("sqlite")


@pytest.mark.parametrize("first", REVISIONS)
def test_r09_guards_of_postgresql_from_each_revision_are_the_expected(
    first: str, postgres: PostgresServer
) -> None:
    database = postgres.create_database()
    for revision in (first, "head"):
        command.upgrade(_config(database.migration_url), revision)
    assert _guards(database.app_url) == expected_guards("postgresql")
    postgres.drop_database(database)


def test_r11_no_revision_of_a_ledger_table_goes_back() -> None:
    for revision in SCRIPTS.walk_revisions():
        with pytest.raises(NotImplementedError, match="never dropped"):
            revision.module.downgrade()


async def test_r10_r09_store_says_what_is_missing_by_name(store: LedgerStore, place: Place) -> None:
    assert list(await store.weaknesses()) == []
    drop = "DROP TRIGGER leaf_no_update" + ("" if place.is_sqlite else " ON leaf")
    place.run_as_owner(drop)
    (found,) = await store.weaknesses()
    assert found.startswith("missing: trigger leaf_no_update")


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ("ALTER TABLE leaf DISABLE TRIGGER leaf_no_delete", "leaf_no_delete (D)"),
        ("ALTER TABLE leaf ENABLE TRIGGER leaf_no_delete", "leaf_no_delete (O)"),
        ("GRANT UPDATE ON leaf TO fairtrial_app", "table leaf"),
        ("GRANT DELETE ON blob TO PUBLIC", "table blob"),
        ("ALTER TABLE statement OWNER TO fairtrial_app", "table statement of fairtrial_app"),
        ("ALTER TABLE leaf DROP CONSTRAINT ck_leaf_hash", "ck_leaf_hash"),
        ("ALTER TABLE capture_use DISABLE TRIGGER ALL", "foreign key of capture_use is off"),
        ("CREATE RULE sly AS ON INSERT TO tile DO INSTEAD NOTHING", "rule sly of tile"),
        ("CREATE FUNCTION sly() RETURNS int LANGUAGE sql AS 'SELECT 1'", "function sly"),
        ("ALTER FUNCTION append_batch SET search_path = public", "append_batch"),
        ("GRANT EXECUTE ON FUNCTION append_batch TO PUBLIC", "append_batch"),
        ("GRANT CREATE ON SCHEMA public TO fairtrial_app", "may create in it"),
        (DISARMED, "refuse_change"),
    ],
)  # fmt: skip
async def test_r08_each_weakening_of_postgresql_is_found(
    postgres_place: Place, change: str, named: str
) -> None:
    postgres_place.run_as_owner(change)
    store = store_of(postgres_place.url)
    await store.open()
    assert any(named in line for line in await store.weaknesses())
    await store.close()


async def test_service_of_a_superuser_is_a_weakness(postgres_place: Place) -> None:
    store = store_of(postgres_place.owner_url)
    await store.open()
    found = await store.weaknesses()
    assert any("postgres is a superuser" in line for line in found)
    await store.close()


@pytest.mark.parametrize(
    "change",
    [
        "DROP TRIGGER checkpoint_dense",
        "CREATE TRIGGER sly BEFORE INSERT ON leaf BEGIN SELECT RAISE(IGNORE); END",
        "CREATE TABLE sly (a)",
        "CREATE VIEW sly AS SELECT 1",
    ],
)
async def test_r08_each_weakening_of_sqlite_is_found(sqlite_place: Place, change: str) -> None:
    sqlite_place.run_as_owner(change)
    store = store_of(sqlite_place.url)
    await store.open()
    assert len(await store.weaknesses()) == 1
    await store.close()


async def test_index_of_an_operators_own_is_no_weakness(place: Place, store: LedgerStore) -> None:
    place.run_as_owner("CREATE INDEX mine ON leaf (at_us)")
    assert list(await store.weaknesses()) == []


async def test_r08_ledger_does_not_start_on_a_weakened_store(place: Place) -> None:
    store = store_of(place.url)
    make = await founded(store)
    await store.close()
    drop = "DROP TRIGGER statement_no_delete" + ("" if place.is_sqlite else " ON statement")
    place.run_as_owner(drop)
    with pytest.raises(IntegrityBroken, match="statement_no_delete") as refused:
        async with served(store_of(place.url), make=make):
            pytest.fail("it must not start")
    assert refused.value.code == "weakened"
