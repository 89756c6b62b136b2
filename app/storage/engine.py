# SPDX-License-Identifier: Apache-2.0
"""Connections: readers that cannot write, one SQLite writer that can only add, and the migrator.

SQLite connections are set up here and nowhere else, because what makes them durable and append-only
(WAL with ``synchronous=FULL``, recursive triggers, the authorizer) is a property of the connection.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Final

from psycopg import errors
from sqlalchemy import Engine, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.pool import ConnectionPoolEntry

from app.storage.tables import LEDGER_TABLES

BUSY_TIMEOUT_MS: Final = 10_000
READERS: Final = 4

# Actions whose third argument names a table, and those that change the schema itself.
_ROW_ACTIONS: Final = frozenset({sqlite3.SQLITE_UPDATE, sqlite3.SQLITE_DELETE})
_SCHEMA_ACTIONS: Final = frozenset(
    {
        sqlite3.SQLITE_ALTER_TABLE,
        sqlite3.SQLITE_ATTACH,
        sqlite3.SQLITE_CREATE_INDEX,
        sqlite3.SQLITE_CREATE_TABLE,
        sqlite3.SQLITE_CREATE_TEMP_TRIGGER,
        sqlite3.SQLITE_CREATE_TRIGGER,
        sqlite3.SQLITE_CREATE_VIEW,
        sqlite3.SQLITE_DROP_INDEX,
        sqlite3.SQLITE_DROP_TABLE,
        sqlite3.SQLITE_DROP_TRIGGER,
        sqlite3.SQLITE_DROP_VIEW,
    }
)
# Every table of the schema: a blob is never changed either, and ``sqlite_master`` is the schema.
_GUARDED: Final = frozenset({*LEDGER_TABLES, "blob", "sqlite_master", "alembic_version"})
# Pragmas whose argument is a question and not a setting.
_QUESTIONS: Final = frozenset({"table_info", "table_xinfo"})
_DAMAGED: Final = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_OTHER_FORMAT: Final = "unsupported file format"


def sqlite_path(url: str) -> Path:
    """Return the file that a SQLite URL names."""
    return Path(str(make_url(url).database))


def is_sqlite(url: str) -> bool:
    """Tell whether ``url`` is of the embedded database."""
    return make_url(url).get_backend_name() == "sqlite"


def postgres_conninfo(url: str) -> str:
    """Return a SQLAlchemy URL as libpq wants it."""
    return make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)


def reader_engine(url: str) -> Engine:
    """Return an engine whose connections cannot write."""
    parsed = make_url(url)
    if is_sqlite(url):
        engine = create_engine(parsed, pool_size=READERS, max_overflow=0)
        event.listen(engine, "connect", _set_up_reader)
        return engine
    options = {"options": "-c default_transaction_read_only=on -c timezone=UTC"}
    return create_engine(
        parsed, pool_size=READERS, max_overflow=0, pool_pre_ping=True, connect_args=options
    )


def migration_engine(url: str) -> Engine:
    """Return an engine that may change the schema."""
    parsed = make_url(url)
    if not is_sqlite(url):
        return create_engine(parsed, pool_size=1)
    _make_folder(parsed)
    engine = create_engine(parsed, pool_size=1)
    event.listen(engine, "connect", _set_up_migrator)
    # The driver starts no transaction before DDL; a migration is whole or not there.
    event.listen(engine, "begin", lambda connection: connection.exec_driver_sql("BEGIN IMMEDIATE"))
    return engine


def is_damage(error: SQLAlchemyError) -> bool:
    """Tell whether a database has found its own files damaged."""
    cause = error.orig if isinstance(error, DBAPIError) else None
    return is_damaged_file(cause) or isinstance(cause, errors.DataCorrupted | errors.IndexCorrupted)


def is_damaged_file(cause: BaseException | None) -> bool:
    """Tell whether SQLite has found its file to be damaged, or to be no database."""
    if isinstance(cause, sqlite3.DatabaseError):
        code: int | None = getattr(cause, "sqlite_errorcode", None)
        if code is None:  # the driver's own complaint: text that is none
            return "decode" in str(cause)
        # A turned schema format (byte 47 of the file) has no code of its own.
        return code & 0xFF in _DAMAGED or str(cause) == _OTHER_FORMAT
    return False


def connect_writer(path: Path) -> sqlite3.Connection:
    """Return the one connection that appends; it belongs to the thread that opened it."""
    if not path.exists():
        raise sqlite3.OperationalError("there is no database file")
    connection = sqlite3.connect(path, isolation_level=None, timeout=BUSY_TIMEOUT_MS / 1000)
    _pragmas(connection)
    connection.set_authorizer(refuse_changes)
    return connection


def refuse_changes(
    action: int, first: str | None, second: str | None, _database: str | None, _by: str | None
) -> int:
    """Let a connection read and insert, and nothing else, in the ledger's schema."""
    if action in _SCHEMA_ACTIONS or (action in _ROW_ACTIONS and first in _GUARDED):
        return sqlite3.SQLITE_DENY
    if action == sqlite3.SQLITE_PRAGMA and second is not None and first not in _QUESTIONS:
        return sqlite3.SQLITE_DENY
    return sqlite3.SQLITE_OK


def _pragmas(connection: sqlite3.Connection) -> None:
    for pragma in (
        "journal_mode=WAL",
        # FULL: a commit is on disk before it returns; NORMAL loses the last ones with the power.
        "synchronous=FULL",
        "foreign_keys=ON",
        "recursive_triggers=ON",
        f"busy_timeout={BUSY_TIMEOUT_MS}",
    ):
        connection.execute(f"PRAGMA {pragma}").fetchall()


def _set_up_reader(connection: sqlite3.Connection, _entry: ConnectionPoolEntry) -> None:
    _pragmas(connection)
    connection.execute("PRAGMA query_only=ON")
    connection.set_authorizer(refuse_changes)


def _set_up_migrator(connection: sqlite3.Connection, _entry: ConnectionPoolEntry) -> None:
    connection.isolation_level = None
    _pragmas(connection)


def _make_folder(url: URL) -> None:
    Path(str(url.database)).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
