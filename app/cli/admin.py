# SPDX-License-Identifier: Apache-2.0
"""``fairtrial admin``: what only the operator of a ledger does."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from app.cli.options import AsJson, DataDir
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


@commands.command(
    epilog="Example: fairtrial admin backup backups/monday --with-keys vault/keys.json"
)
def backup(
    folder: Annotated[Path, typer.Argument(help="A folder that is not there.", metavar="DIR")],
    *,
    with_keys: Annotated[
        Path | None,
        typer.Option(
            "--with-keys", help="Write the ledger's keys too, to this file.", metavar="FILE"
        ),
    ] = None,
    data_dir: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Copy the ledger while it is served; its keys are never in the copy."""
    from app.cli.keeping import keep
    from app.cli.settings import settings_for

    keep(settings_for(data_dir), folder, keys=with_keys, as_json=as_json)


@commands.command(epilog="Example: fairtrial admin restore backups/monday --keys vault/keys.json")
def restore(
    folder: Annotated[Path, typer.Argument(help="A backup.", metavar="DIR")],
    *,
    keys: Annotated[
        Path | None,
        typer.Option("--keys", help="The ledger's keys, to be put in place.", metavar="FILE"),
    ] = None,
    data_dir: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Bring a backup back to life in an empty place, and audit what stands there then."""
    from app.cli.keeping import revive
    from app.cli.settings import settings_for

    raise typer.Exit(revive(settings_for(data_dir), folder, keys=keys, as_json=as_json))


@commands.command(epilog="Example: fairtrial admin sweep --delete --data-dir ./var")
def sweep(
    *,
    delete: Annotated[
        bool, typer.Option("--delete", help="Delete them; the service must be stopped.")
    ] = False,
    data_dir: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Tell which captures no entry names: what a batch that never came has left behind."""
    from app.cli.settings import settings_for
    from app.cli.sweeping import sweep as tidy

    raise typer.Exit(tidy(settings_for(data_dir), delete=delete, as_json=as_json))
