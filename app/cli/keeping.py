# SPDX-License-Identifier: Apache-2.0
"""``fairtrial admin backup|restore``: a running ledger copied, and a copy brought back to life."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from app.cli.exit_code import ExitCode
from app.cli.output import emit, say
from app.cli.settings import site_of
from app.config import Settings
from app.core.errors import IntegrityBroken, LedgerBusy
from app.service.last_shown import LastShown
from app.service.ports import LedgerStore, StoreUnavailable
from app.service.stored_slice import Damaged
from app.storage.anchor_file import AnchorFile
from app.storage.backup import Manifest, back_up
from app.storage.keys_file import read_keys_file, write_keys_file
from app.storage.ledger_keys import LedgerKeys, read_ledger_keys, write_ledger_keys
from app.storage.migrate import upgrade
from app.storage.open_store import store_of
from app.storage.restore import restore


def keep(settings: Settings, folder: Path, *, keys: Path | None, as_json: bool) -> None:
    """Write a backup, and the ledger's keys apart from it where that is asked for.

    Raises:
        Conflict: ``backup-exists``, ``keys-exist``.
        IntegrityBroken: an entry is damaged, or the store is not the one that was published.
        LedgerBusy: ``store-unavailable``.
    """
    if keys is not None:
        write_keys_file(keys, read_ledger_keys(settings.data_dir), outside=folder)
    manifest = asyncio.run(_keep(settings, folder))
    result = {
        "origin": manifest.origin,
        "genesis": manifest.genesis,
        "size": manifest.size,
        "root": manifest.root,
        "files": len(manifest.files),
    }
    lines = [f"{name:8} {value}" for name, value in result.items()]
    emit(result, lines, as_json=as_json)


def revive(settings: Settings, folder: Path, *, keys: Path | None, as_json: bool) -> ExitCode:
    """Restore a backup into an empty place and audit what stands there then.

    Raises:
        Conflict: ``ledger-exists``, ``keys-exist``.
        IntegrityBroken: ``backup``, ``rollback``, ``fork``, ``keys-file``.
        LedgerBusy: ``store-unavailable``.
    """
    held = None if keys is None else read_keys_file(keys)
    site = site_of(settings)
    settings.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    upgrade(site.migration_url)
    return asyncio.run(_revive(settings, folder, held, as_json=as_json))


async def _keep(settings: Settings, folder: Path) -> Manifest:
    async with opened(settings) as store:
        # A backup of a store that was set back would look like one of the log.
        await LastShown(store, AnchorFile(settings.data_dir)).refuse_other_store()
        try:
            return await back_up(store, folder, progress=_progress)
        except Damaged as found:
            raise IntegrityBroken(found.damage.what, code=found.damage.code) from found


async def _revive(
    settings: Settings, folder: Path, held: LedgerKeys | None, *, as_json: bool
) -> ExitCode:
    async with opened(settings) as store:
        anchor = AnchorFile(settings.data_dir)
        manifest, audited = await restore(store, folder, anchor=anchor, progress=_progress)
    if held is not None:
        write_ledger_keys(settings.data_dir, held)
    damage = audited.damage
    result = {"origin": manifest.origin, "size": audited.size, "root": audited.root}
    lines = [f"{name:8} {value}" for name, value in result.items()]
    say(f"restored up to size {audited.size}; if a larger one was published, do not serve this")
    emit({**result, "damage": damage and damage.what}, lines, as_json=as_json)
    return ExitCode.OK if damage is None else ExitCode.DAMAGE


@asynccontextmanager
async def opened(settings: Settings) -> AsyncIterator[LedgerStore]:
    """Open the store that the settings name, and close it.

    Raises:
        LedgerBusy: ``store-unavailable``.
        IntegrityBroken: ``schema-version``.
    """
    store = store_of(settings.database_url)
    try:
        await store.open()
        yield store
    except StoreUnavailable as error:
        message = "The store does not answer; start it, or correct FAIRTRIAL_DATABASE_URL."
        raise LedgerBusy(message, code="store-unavailable") from error
    finally:
        await store.close()


def _progress(done: int, of: int) -> None:
    if done == of or done % 4096 == 0:
        say(f"{done} of {of} entries")
