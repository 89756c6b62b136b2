# SPDX-License-Identifier: Apache-2.0
"""What ``fairtrial doctor`` finds on this machine: settings, keys, database and disk."""

from __future__ import annotations

import shutil
import stat
from pathlib import Path
from typing import Final

from sqlalchemy.engine import make_url
from sqlalchemy.exc import SQLAlchemyError

from app.cli.examined import Examined, fail, ok, warn
from app.cli.misconfigured import Misconfigured
from app.cli.settings import settings_for
from app.config import Settings
from app.core.errors import FairtrialError, UnknownThing
from app.runner.failures import UnusableKeyFile
from app.runner.key_files import read_signing_key
from app.storage.engine import is_sqlite, sqlite_path
from app.storage.ledger_keys import FOLDER, read_ledger_keys
from app.storage.migrate import current_revision, newest_revision

MIB: Final = 1024 * 1024
LITTLE_BYTES: Final = 2048 * MIB
NO_SPACE_BYTES: Final = 128 * MIB
_OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO
_MIGRATE: Final = "Bring it there with: fairtrial admin migrate"


def examine_machine(data_dir: Path | None, key: Path | None) -> list[Examined]:
    """Return what is found here; where no ledger is kept, its keys and database are not missed."""
    try:
        settings = settings_for(data_dir)
    except Misconfigured as error:
        todo = "Set what is named; an empty variable counts as one that is not set."
        return [fail("configuration", str(error), todo), *_own_key(key)]
    told = f"{settings.environment.value}, data in {settings.data_dir}"
    found = [ok("configuration", told)]
    kept = (settings.data_dir / FOLDER).exists()
    if kept:
        found += [*_ledger_keys(settings), *_role_keys(settings), _database(settings)]
    else:
        found.append(ok("ledger", "none is kept on this machine"))
    return [*found, _space(settings.data_dir), *_own_key(key)]


def _ledger_keys(settings: Settings) -> list[Examined]:
    try:
        keys = read_ledger_keys(settings.data_dir)
    except UnknownThing as error:
        return [fail("ledger keys", error.detail, "Restore the folder keys from a backup.")]
    except FairtrialError as error:
        todo = "chmod 600 each file of the folder keys, or restore it from a backup."
        return [fail("ledger keys", error.detail, todo)]
    return [ok("ledger keys", f"of {keys.origin}, readable by their owner alone")]


def _role_keys(settings: Settings) -> list[Examined]:
    """Look at the private keys that ``init`` wrote beside the ledger's own."""
    folder = settings.data_dir / FOLDER
    opened = [path.name for path in sorted(folder.glob("*.pem")) if path.stat().st_mode & _OTHERS]
    if opened or folder.stat().st_mode & _OTHERS:
        named = ", ".join(opened) or "the folder keys"
        todo = "chmod 700 the folder keys and 600 its files; replace what others may have read."
        return [fail("key files", f"others may read {named}", todo)]
    return [ok("key files", "readable by their owner alone")]


def _database(settings: Settings) -> Examined:
    url = settings.database_url
    named = make_url(url).render_as_string(hide_password=True)
    if is_sqlite(url) and not sqlite_path(url).exists():
        return fail("database", f"{named}: no such file", "Restore it, or set the right URL.")
    try:
        now, newest = current_revision(url), newest_revision()
    except SQLAlchemyError as error:
        told = f"{named}: cannot be asked ({type(error).__name__})"
        return fail("database", told, "Start it, or set FAIRTRIAL_DATABASE_URL to where it is.")
    if now != newest:
        told = f"{named}: revision {now or 'none'}, this version needs {newest}"
        return fail("database", told, _MIGRATE)
    return ok("database", f"{named}: revision {now}")


def _space(data_dir: Path) -> Examined:
    folder = next(one for one in (data_dir, *data_dir.parents) if one.exists())
    free = shutil.disk_usage(folder).free
    told = f"{free // MIB} MiB free in {folder}"
    todo = "Make room: a ledger that cannot write takes no statements."
    if free < NO_SPACE_BYTES:
        return fail("free space", told, todo)
    return warn("free space", told, todo) if free < LITTLE_BYTES else ok("free space", told)


def _own_key(path: Path | None) -> list[Examined]:
    if path is None:
        return []
    try:
        read_signing_key(path)
    except UnusableKeyFile as error:
        return [fail("your key file", str(error), "Name another with --key or FAIRTRIAL_KEY.")]
    return [ok("your key file", f"{path}, readable by its owner alone")]
