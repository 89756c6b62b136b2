# SPDX-License-Identifier: Apache-2.0
"""What holds the ledger's tables append-only, as lines, and what of it is missing in a database.

The expected lines are shipped beside the migrations (``guards.sqlite.txt``,
``guards.postgresql.txt``); the tests compare them after every revision, the service when it starts
and while it scrubs. A trigger that somebody dropped "for a moment" is found either way: what stood
behind it is then held by the tree alone.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import Connection, Engine

from app.storage.documents import folder

_FILE: Final = "guards.{}.txt"
_MAY_BE_MORE: Final = "index "
"""An operator's own index does no harm; anything else that nobody expects may."""

_SQLITE: Final = (
    "SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL"
    " AND tbl_name <> 'alembic_version'"
)
_POSTGRES_FILE: Final = "guards.postgresql.sql"


def guards(connection: Connection) -> list[str]:
    """Return a database's guards as sorted lines."""
    if connection.dialect.name == "sqlite":
        rows = connection.exec_driver_sql(_SQLITE)
        return sorted(f"{kind} {name}: {' '.join(sql.split())}" for kind, name, sql in rows)
    query = (folder("migrations") / _POSTGRES_FILE).read_text(encoding="utf-8")
    return sorted(line for (line,) in connection.exec_driver_sql(query))


def expected_guards(dialect: str) -> list[str]:
    """Return the lines that this version expects."""
    path = folder("migrations") / _FILE.format(dialect)
    lines = path.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def weaknesses(engine: Engine) -> list[str]:
    """Return what is missing or another, each in words that name it."""
    with engine.connect() as connection:
        found = set(guards(connection))
    expected = set(expected_guards(engine.dialect.name))
    missing = [f"missing: {line}" for line in sorted(expected - found)]
    more = sorted(line for line in found - expected if not line.startswith(_MAY_BE_MORE))
    return [*missing, *(f"not expected: {line}" for line in more)]
