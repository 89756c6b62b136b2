# SPDX-License-Identifier: Apache-2.0
"""Captures that no entry names: stored ahead of a batch that never came (threat R18).

They may be deleted, since nothing refers to them and whoever sends the receipt again sends its
capture again; and they must not be while somebody appends: a large capture goes in before its
batch, and one that is there already is not stored twice, so any of them may be about to be named.
No age tells which. So whoever deletes is alone with the store (``serving_lock.not_served``), and on
PostgreSQL holds the table and sees that nobody else is connected: a process that was killed leaves
its session behind for as long as a call of it may still be carried out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection, text
from sqlalchemy.exc import SQLAlchemyError

from app.service.ports import StoreUnavailable
from app.storage.engine import migration_engine, reader_engine
from app.storage.serving_lock import ServedAlready

SLICE: Final = 1000
"""Captures that are deleted in one transaction."""
SHOWN: Final = 100
"""Digests that are told."""
_UNNAMED: Final = (
    "FROM blob WHERE NOT EXISTS (SELECT 1 FROM capture_use WHERE capture_use.capture = blob.sha256)"
)
_ALONE: Final = (
    "SET LOCAL ROLE fairtrial_owner",
    "SET LOCAL lock_timeout = '5s'",
    "LOCK TABLE blob, checkpoint IN EXCLUSIVE MODE",
)
# Of others' sessions a login sees little more than whose they are; the server's own have no user.
_OTHERS: Final = (
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
    " AND pid <> pg_backend_pid() AND usename IS NOT NULL"
)


@dataclass(frozen=True, slots=True)
class Unnamed:
    """Captures that no entry names.

    Attributes:
        captures: how many.
        stored_bytes: their size as they are stored.
        digests: of the first ``SHOWN`` of them, in order.
    """

    captures: int
    stored_bytes: int
    digests: tuple[str, ...]


def find_unnamed(url: str) -> Unnamed:
    """Return what is stored and named by no entry; while somebody appends, it may be on its way.

    Args:
        url: any login that may read.
    """
    engine = reader_engine(url)
    try:
        with engine.connect() as connection:
            counted = connection.execute(
                text(f"SELECT count(*), coalesce(sum(length(zstd)), 0) {_UNNAMED}")
            )
            captures, stored_bytes = counted.one()
            listed = text(f"SELECT sha256 {_UNNAMED} ORDER BY sha256 LIMIT {SHOWN}")
            digests = tuple(connection.execute(listed).scalars())
            return Unnamed(int(captures), int(stored_bytes), digests)
    finally:
        engine.dispose()


def delete_unnamed(migration_url: str) -> int:
    """Delete them and return how many they were; the caller is alone with the store.

    Args:
        migration_url: a login that may become the owner of the tables.

    Raises:
        ServedAlready: somebody else is connected to the database; what is left is left.
        StoreUnavailable: the database does not answer, or somebody holds its tables.
    """
    engine = migration_engine(migration_url)
    deleted = 0
    try:
        while True:
            with engine.connect() as connection, connection.begin():
                _refuse_company(connection)
                found = _delete_slice(connection)
            deleted += found
            if found < SLICE:
                return deleted
    except SQLAlchemyError as error:
        raise StoreUnavailable(str(error)) from error
    finally:
        engine.dispose()


def _refuse_company(connection: Connection) -> None:
    if connection.dialect.name == "sqlite":
        return  # BEGIN IMMEDIATE keeps other writers out
    for statement in _ALONE:
        connection.execute(text(statement))
    others = connection.execute(text(_OTHERS)).scalar_one()
    if others:
        message = f"{others} more sessions are connected to this database; end them first."
        raise ServedAlready(message)


def _delete_slice(connection: Connection) -> int:
    # Made of this file's constants alone; no value from outside is put into it.
    deleted = connection.execute(
        text(f"DELETE FROM blob WHERE sha256 IN (SELECT sha256 {_UNNAMED} LIMIT {SLICE})")  # noqa: S608  as said above
    )
    return deleted.rowcount
