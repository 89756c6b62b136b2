# SPDX-License-Identifier: Apache-2.0
"""Runs the migrations: as the tables' owner, one runner at a time, and not waiting long for a lock.

The URL is given by whoever calls (``app.storage.migrate``), or found in the environment when the
``alembic`` command is used while developing.
"""

from __future__ import annotations

import os

from alembic import context
from sqlalchemy import Connection, text
from sqlmodel import SQLModel

from app.storage import tables
from app.storage.engine import migration_engine

LOCK_TIMEOUT = "5s"
MIGRATION_LOCK = 0x666169727472  # any number, the same in every runner
METADATA = SQLModel.metadata if tables.LEDGER_TABLES else None  # filled by that import


def _url() -> str:
    given = context.config.attributes.get("url") or context.get_x_argument(as_dictionary=True).get(
        "url"
    )
    for name in ("FAIRTRIAL_MIGRATION_URL", "FAIRTRIAL_DATABASE_URL"):
        given = given or os.environ.get(name)
    if not given:
        raise SystemExit("Set FAIRTRIAL_MIGRATION_URL to the login that may change the schema.")
    return str(given)


def _become_owner(connection: Connection) -> None:
    if connection.dialect.name != "postgresql":
        return
    connection.execute(text(f"SET LOCAL lock_timeout = '{LOCK_TIMEOUT}'"))
    connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": MIGRATION_LOCK})
    connection.execute(text("SET LOCAL ROLE fairtrial_owner"))


def run() -> None:
    """Connect and run, everything in one transaction on either database."""
    engine = migration_engine(_url())
    try:
        with engine.connect() as connection, connection.begin():
            _become_owner(connection)
            context.configure(
                connection=connection,
                target_metadata=METADATA,
                transactional_ddl=True,
                compare_type=True,
                # Batch mode rebuilds a table and drops its triggers without a word.
                render_as_batch=False,
            )
            context.run_migrations()
    finally:
        engine.dispose()


if context.is_offline_mode():
    raise SystemExit("Migrations need a connection: their guards depend on the database.")
run()
