# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: S608  statements over our own names of tables and columns
"""Does to a database what no login of the service can do, as its owner or from its files."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing

import psycopg

from tests.postgres import conninfo
from tests.storage.conftest import Place

Row = tuple[object, ...]
KEYS = {
    "checkpoint": ("size",),
    "statement": ("sha256",),
    "leaf": ("idx",),
    "tile": ("level", "n"),
    "capture_use": ("capture", "receipt"),
    "blob": ("sha256",),
}
COLUMNS = {
    "checkpoint": ("size", "prev_size", "root", "at_us", "note"),
    "statement": ("sha256", "payload", "envelope"),
    "leaf": ("idx", "record", "hash", "statement", "kind", "line", "seq", "at_us"),
    "tile": ("level", "n", "data"),
    "capture_use": ("capture", "receipt"),
    "blob": ("sha256", "size", "zstd"),
}


def unguarded(place: Place, statement: str, values: Sequence[object] = ()) -> list[Row]:
    """Run one statement with every trigger and foreign key out of the way; checks on SQLite too."""
    if place.is_sqlite:
        return _unguarded_sqlite(place, statement, values)
    with psycopg.connect(conninfo(place.owner_url), autocommit=True) as connection:
        triggers = connection.execute(
            "SELECT tgrelid::regclass::text, tgname FROM pg_trigger WHERE NOT tgisinternal"
        ).fetchall()
        for table, name in triggers:
            connection.execute(f"ALTER TABLE {table} DISABLE TRIGGER {name}".encode())
        connection.execute("SET session_replication_role = replica")
        try:
            cursor = connection.execute(statement.replace("?", "%b").encode(), list(values))
            return cursor.fetchall() if cursor.description else []
        finally:
            connection.execute("SET session_replication_role = origin")
            for table, name in triggers:
                connection.execute(f"ALTER TABLE {table} ENABLE ALWAYS TRIGGER {name}".encode())


def _unguarded_sqlite(place: Place, statement: str, values: Sequence[object]) -> list[Row]:
    with closing(sqlite3.connect(place.path, isolation_level=None)) as connection:
        connection.execute("PRAGMA foreign_keys=OFF")
        connection.execute("PRAGMA ignore_check_constraints=ON")
        triggers = connection.execute(
            "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"
        ).fetchall()
        for name, _ in triggers:
            connection.execute(f"DROP TRIGGER {name}")
        try:
            return connection.execute(statement, tuple(values)).fetchall()
        finally:
            for _, sql in triggers:
                connection.execute(sql)


def rows_of(place: Place, table: str) -> list[Row]:
    """Return a table, every column in the order of ``COLUMNS``, sorted by its key."""
    keys = ", ".join(KEYS[table])
    return unguarded(place, f"SELECT {', '.join(COLUMNS[table])} FROM {table} ORDER BY {keys}")


def change(place: Place, table: str, row: Row, column: str, value: object) -> None:
    """Put ``value`` into one column of one row."""
    names = COLUMNS[table]
    where = " AND ".join(f"{key} = ?" for key in KEYS[table])
    old = [row[names.index(key)] for key in KEYS[table]]
    unguarded(place, f"UPDATE {table} SET {column} = ? WHERE {where}", [value, *old])


def flipped(value: object, *, byte: int) -> object:
    """Return a value with one bit of one byte turned over; texts stay texts."""
    match value:
        case bytes():
            return _flipped(value, byte)
        case str():
            return _flipped(value.encode(), byte).decode()
        case int():
            return value ^ 1
        case _:
            return 7


def _flipped(value: bytes, byte: int) -> bytes:
    at = byte % len(value)
    return value[:at] + bytes([value[at] ^ 1]) + value[at + 1 :]
