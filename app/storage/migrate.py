# SPDX-License-Identifier: Apache-2.0
"""Brings a database to the schema of this version, forwards only."""

from __future__ import annotations

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory

from app.storage.documents import folder
from app.storage.engine import reader_engine


def upgrade(url: str) -> None:
    """Run what is missing, as the owner of the tables."""
    command.upgrade(_config(url), "head")


def check(url: str) -> None:
    """Compare the database with ``tables.py``.

    Raises:
        alembic.util.exc.CommandError: they differ.
    """
    command.check(_config(url))


def newest_revision() -> str:
    """Return the revision this version needs."""
    head = ScriptDirectory.from_config(_config("")).get_current_head()
    return str(head)


def current_revision(url: str) -> str | None:
    """Return the revision a database has, None before the first."""
    engine = reader_engine(url)
    try:
        with engine.connect() as connection:
            return MigrationContext.configure(connection).get_current_revision()
    finally:
        engine.dispose()


def _config(url: str) -> Config:
    config = Config()
    config.set_main_option("script_location", str(folder("migrations")))
    config.set_main_option("path_separator", "os")
    config.attributes["url"] = url
    return config
