# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: S608  statements over a constant list of tables
"""Threats R08 and R09: no statement changes what stands, and no migration drops a guard."""

import sqlite3
from collections.abc import AsyncIterator
from typing import Any

import psycopg
import pytest
from alembic import command
from alembic.config import Config

from app.service.ports import LedgerStore
from app.storage import ledger_store_postgres
from app.storage.documents import folder
from app.storage.engine import migration_engine
from app.storage.migrate import check, current_revision, newest_revision, upgrade
from app.storage.open_store import store_of
from app.storage.tables import LEDGER_TABLES
from tests.storage.batches import first, second
from tests.storage.conftest import Place

REFUSED = (sqlite3.DatabaseError, psycopg.Error)
COLUMN = {
    "checkpoint": ("size", "note"),
    "statement": ("sha256", "payload"),
    "leaf": ("idx", "record"),
    "tile": ("level, n", "data"),
    "capture_use": ("capture, receipt", "capture"),
    "blob": ("sha256", "zstd"),
}


@pytest.fixture
async def filled(place: Place, store: LedgerStore) -> AsyncIterator[Place]:
    """Yield a database with a few rows in it, which must be the same afterwards."""
    await store.append(first())
    await store.append(second())
    before = _everything(place)
    yield place
    assert _everything(place) == before


def _everything(place: Place) -> list[object]:
    tables = (*LEDGER_TABLES, "blob")
    return [place.run_as_owner(f"SELECT * FROM {table}") for table in tables]


def _changes(table: str) -> dict[str, str]:
    key, column = COLUMN[table]
    return {
        "update": f"UPDATE {table} SET {column} = {column}",
        "delete": f"DELETE FROM {table}",
        "delete nothing": f"DELETE FROM {table} WHERE 1 = 0",
        "drop": f"DROP TABLE {table}",
        "rename": f"ALTER TABLE {table} RENAME TO other",
        "trigger": f"DROP TRIGGER {table}_no_update" + ("" if table == "blob" else f" -- {table}"),
        "truncate": f"TRUNCATE {table} CASCADE",
        "upsert": f"INSERT INTO {table} SELECT * FROM {table} WHERE true ON CONFLICT ({key})"
        f" DO UPDATE SET {column} = excluded.{column}",
        "replace": f"INSERT OR REPLACE INTO {table} SELECT * FROM {table}",
    }


def test_r08_app_role_can_change_nothing(filled: Place) -> None:
    for table in (*LEDGER_TABLES, "blob"):
        for name, statement in _changes(table).items():
            # A blob proves itself by its digest: an equal one may take its place.
            if (table, name) == ("blob", "replace") and filled.is_sqlite:
                continue
            with pytest.raises(REFUSED):
                filled.run_as_app(statement)


def test_r08_owner_meets_triggers(filled: Place) -> None:
    foreign = "truncate" if filled.is_sqlite else "replace"
    for table in LEDGER_TABLES:
        for name in {"update", "delete", "truncate", "upsert", "replace"} - {foreign}:
            with pytest.raises(REFUSED, match=r"append-only|a gap"):
                filled.run_as_owner(_changes(table)[name])


def test_r08_app_role_can_neither_write_past_the_function_nor_change_it(
    postgres_place: Place,
) -> None:
    for statement in (
        "INSERT INTO leaf VALUES (0, '', '', repeat('a', 64), 'key', 'ledger', 0, 0)",
        "INSERT INTO statement VALUES (repeat('a', 64), '', '')",
        "INSERT INTO checkpoint VALUES (1, NULL, '', 0, '')",
        "SET ROLE fairtrial_owner",
        "SET session_replication_role = replica",
        "CREATE TABLE other (a integer)",
        "CREATE OR REPLACE FUNCTION append_batch() RETURNS integer LANGUAGE sql AS 'SELECT 1'",
        "ALTER FUNCTION refuse_change() RENAME TO other",
    ):
        with pytest.raises(psycopg.Error, match=r"permission denied|must be owner"):
            postgres_place.run_as_app(statement)


@pytest.mark.parametrize(
    "statement",
    [
        "PRAGMA writable_schema = ON",
        "PRAGMA recursive_triggers = OFF",
        "PRAGMA synchronous = OFF",
        "PRAGMA ignore_check_constraints = ON",
        "ATTACH DATABASE ':memory:' AS other",
        "CREATE TEMP TRIGGER sly BEFORE INSERT ON leaf BEGIN SELECT RAISE(IGNORE); END",
        "UPDATE sqlite_master SET sql = ''",
        "CREATE VIEW sly AS SELECT 1",
        "DROP INDEX ix_leaf_kind",
    ],
)
def test_r08_sqlite_connection_of_the_service_cannot_loosen_its_guards(
    sqlite_place: Place, statement: str
) -> None:
    with pytest.raises(sqlite3.DatabaseError):
        sqlite_place.run_as_app(statement)


async def test_r08_session_in_replication_mode_meets_triggers_too(postgres_place: Place) -> None:
    store = store_of(postgres_place.url)
    await store.open()
    await store.append(first())
    await store.append(second())
    await store.close()
    mode = "SET session_replication_role = replica"
    for table in LEDGER_TABLES:
        for change in ("update", "delete", "truncate"):
            with pytest.raises(psycopg.Error, match="append-only"):
                postgres_place.run_as_owner(mode, _changes(table)[change])


async def test_r15_service_of_postgresql_waits_for_the_disk_whatever_the_server_does(
    postgres_place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    ((name,),) = postgres_place.run_as_owner("SELECT current_database()")
    postgres_place.run_as_owner(f'ALTER DATABASE "{name}" SET synchronous_commit = off')
    connect = ledger_store_postgres._connect
    made: list[psycopg.AsyncConnection[tuple[Any, ...]]] = []

    async def kept(url: str) -> psycopg.AsyncConnection[tuple[Any, ...]]:
        made.append(await connect(url))
        return made[-1]

    monkeypatch.setattr(ledger_store_postgres, "_connect", kept)
    store = store_of(postgres_place.url)
    await store.open()
    await store.append(first())
    for connection in made:
        answer = await connection.execute("SHOW synchronous_commit")
        assert await answer.fetchone() == ("on",)
    assert made
    await store.close()


async def test_r08_app_role_adds_captures_and_never_changes_one(
    postgres_place: Place,
) -> None:
    insert = "INSERT INTO blob VALUES (repeat('c', 64), 1, '')"
    postgres_place.run_as_app(insert)
    for statement in (insert, "UPDATE blob SET size = 2", "DELETE FROM blob"):
        with pytest.raises(psycopg.Error):
            postgres_place.run_as_app(statement)


# ---- R09: the guards, by name, after every revision ----

TRIGGERS = {
    *(f"{table}_no_{event}" for table in LEDGER_TABLES for event in ("update", "delete")),
}
SQLITE_TRIGGERS = (
    TRIGGERS
    | {f"{table}_no_replace" for table in LEDGER_TABLES}
    | {"checkpoint_dense", "leaf_dense"}
)
POSTGRES_TRIGGERS = TRIGGERS | {f"{table}_no_truncate" for table in LEDGER_TABLES}
CHECKS = {
    "ck_checkpoint_grows",
    "ck_checkpoint_root",
    "ck_statement_sha256",
    "ck_leaf_places",
    "ck_leaf_hash",
    "ck_tile_full",
    "ck_blob_sha256",
}
KEYS = {
    "pk_checkpoint",
    "uq_checkpoint_prev_size",
    "fk_checkpoint_prev_size",
    "pk_statement",
    "pk_leaf",
    "uq_leaf_statement",
    "uq_leaf_line_seq",
    "fk_leaf_statement",
    "pk_tile",
    "pk_capture_use",
    "fk_capture_use_receipt",
    "pk_blob",
}


def test_r09_guards_of_sqlite_are_exactly_these(sqlite_place: Place) -> None:
    rows = sqlite_place.run_as_owner("SELECT type, name, sql FROM sqlite_master")
    by_type: dict[object, set[object]] = {}
    for kind, name, _ in rows:
        by_type.setdefault(kind, set()).add(name)
    assert by_type["trigger"] == SQLITE_TRIGGERS
    assert "ix_leaf_kind" in by_type["index"]
    text = "\n".join(str(sql) for _, _, sql in rows)
    assert all(f"CONSTRAINT {name} " in text for name in CHECKS | KEYS)
    assert text.count("CHECK (") == len(CHECKS)


def test_r09_guards_of_postgresql_are_exactly_these(postgres_place: Place) -> None:
    triggers = postgres_place.run_as_owner(
        "SELECT tgname, tgenabled::text FROM pg_trigger WHERE NOT tgisinternal"
    )
    assert set(triggers) == {(name, "A") for name in POSTGRES_TRIGGERS}
    constraints = postgres_place.run_as_owner(
        "SELECT conname FROM pg_constraint JOIN pg_class ON pg_class.oid = conrelid"
        " WHERE relnamespace = 'public'::regnamespace AND contype <> 'n'"
        " AND relname <> 'alembic_version'"
    )
    assert {name for (name,) in constraints} == CHECKS | KEYS
    grants = postgres_place.run_as_owner(
        "SELECT table_name, privilege_type FROM information_schema.role_table_grants"
        " WHERE grantee IN ('fairtrial_app', 'PUBLIC') AND table_schema = 'public'"
    )
    read = {(table, "SELECT") for table in (*LEDGER_TABLES, "blob", "alembic_version")}
    assert set(grants) == read | {("blob", "INSERT")}
    functions = postgres_place.run_as_owner(
        "SELECT proname, prosecdef, proconfig, proowner::regrole::text,"
        " has_function_privilege('fairtrial_app', oid, 'EXECUTE'),"
        " has_function_privilege('fairtrial_migrator', oid, 'EXECUTE')"
        " FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND prosecdef"
    )
    path = ["search_path=pg_catalog, pg_temp"]
    assert functions == [("append_batch", True, path, "fairtrial_owner", True, False)]


def test_r10_no_foreign_key_deletes_or_blanks_evidence(place: Place) -> None:
    if place.is_sqlite:
        rows = [
            row
            for table in (*LEDGER_TABLES, "blob")
            for row in place.run_as_owner(f"PRAGMA foreign_key_list({table})")
        ]
        assert {row[6] for row in rows} == {"NO ACTION"}
    else:
        rows = place.run_as_owner(
            "SELECT confdeltype::text, confupdtype::text FROM pg_constraint WHERE contype = 'f'"
        )
        assert set(rows) == {("a", "a")}


def test_r11_downgrade_is_refused_and_changes_nothing(filled: Place) -> None:
    config = Config()
    config.set_main_option("script_location", str(folder("migrations")))
    config.set_main_option("path_separator", "os")
    config.attributes["url"] = filled.owner_url
    with pytest.raises(NotImplementedError, match="never dropped"):
        command.downgrade(config, "-1")


def test_migrating_again_changes_nothing_and_tables_are_as_mapped(place: Place) -> None:
    url = place.owner_url
    upgrade(url)
    check(url)
    assert current_revision(place.url) == newest_revision()


def test_r15_service_connection_waits_for_the_disk(sqlite_place: Place) -> None:
    engine = migration_engine(sqlite_place.url)
    with engine.connect() as connection:
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 2
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
    engine.dispose()
