# SPDX-License-Identifier: Apache-2.0
"""Asks SQLite whether its file is in order: keys stand in a table and again in its indexes.

A look-up by key reads the index's copy; what became of the table's is seen by nobody who only looks
up. PostgreSQL has checksums of its pages for this, where its cluster was made with them.
"""

from __future__ import annotations

from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError

from app.storage.engine import is_sqlite, reader_engine


def damage_of_file(url: str) -> str | None:
    """Return what SQLite finds wrong with its own file first, in its words; None: nothing."""
    if not is_sqlite(url):
        return None
    engine = reader_engine(url)
    try:
        with engine.connect() as connection:
            found = str(connection.execute(text("PRAGMA integrity_check")).scalars().first())
    except (SQLAlchemyError, UnicodeDecodeError):
        return "the file cannot be checked"
    finally:
        engine.dispose()
    return None if found == "ok" else found[:200]
