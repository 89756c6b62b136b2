# SPDX-License-Identifier: Apache-2.0
"""``fairtrial admin``: what only the operator of a ledger does."""

from __future__ import annotations

import typer

from app.cli.options import AsJson
from app.cli.output import emit

commands = typer.Typer(no_args_is_help=True, help="Operate the ledger's database.")


@commands.command(
    epilog="Example: FAIRTRIAL_MIGRATION_URL=postgresql+psycopg://... fairtrial admin migrate"
)
def migrate(*, as_json: AsJson = False) -> None:
    """Bring the database to the schema of this version, forwards only."""
    # The database's libraries are slow to load, and only the operator's commands need them.
    from app.cli.settings import migration_url, settings_for
    from app.storage.migrate import current_revision, newest_revision, upgrade

    url = migration_url(settings_for(None))
    upgrade(url)
    now, newest = current_revision(url), newest_revision()
    emit({"revision": now, "newest": newest}, [f"revision {now}"], as_json=as_json)
