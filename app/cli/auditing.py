# SPDX-License-Identifier: Apache-2.0
"""``fairtrial fsck``: the whole store, lived through again, with the first bad index by name.

The service may run meanwhile: nothing below the size at which the audit began ever changes.
"""

from __future__ import annotations

import asyncio
from dataclasses import asdict, replace

from app.cli.exit_code import ExitCode
from app.cli.output import emit, say
from app.config import Settings
from app.core.errors import FairtrialError, LedgerBusy
from app.service.audit import Audit, Audited
from app.service.last_shown import LastShown
from app.service.ports import LedgerStore, StoreUnavailable
from app.service.stored_slice import Damage
from app.storage.anchor_file import AnchorFile
from app.storage.file_check import damage_of_file
from app.storage.open_store import store_of

_EVERY: int = 16
"""Slices between two lines of progress."""


def fsck(settings: Settings, *, as_json: bool) -> ExitCode:
    """Audit the store that the settings name and print what was found.

    Raises:
        LedgerBusy: ``store-unavailable``.
        UnknownThing: ``no-ledger``.
    """
    return told(*asyncio.run(examine(settings)), as_json=as_json)


def told(audited: Audited, unfit: Damage | None, *, as_json: bool) -> ExitCode:
    """Print what was found and return its exit code."""
    found = audited.damage or unfit
    result = {
        "size": audited.size,
        "root": audited.root,
        "damage": None if audited.damage is None else asdict(audited.damage),
        "unfit": None if unfit is None else asdict(unfit),
    }
    lines = [f"entries in order  {audited.size}", f"root              {audited.root}"]
    if found is None:
        lines.append("no damage")
    else:
        place = "" if found.index is None else f" at index {found.index}"
        lines.append(f"{found.code}{place}: {found.what}")
    emit(result, lines, as_json=as_json)
    if audited.damage is not None:
        return ExitCode.DAMAGE
    return ExitCode.OK if unfit is None else ExitCode.ROLLBACK


async def examine(settings: Settings) -> tuple[Audited, Damage | None]:
    """Return what an audit found, and what keeps the store from being served all the same.

    Raises:
        LedgerBusy: ``store-unavailable``.
        UnknownThing: ``no-ledger``.
    """
    store = store_of(settings.database_url)
    try:
        await store.open()
        audited = await Audit(store, progress=_progress).run()
        if audited.damage is None:
            found = await asyncio.to_thread(damage_of_file, settings.database_url)
            damage = found and Damage(None, "store-damaged", f"The database says: {found}")
            audited = replace(audited, damage=damage or None)
        return audited, await _unfit(store, settings)
    except StoreUnavailable as error:
        message = "The store does not answer; start it, or correct FAIRTRIAL_DATABASE_URL."
        raise LedgerBusy(message, code="store-unavailable") from error
    finally:
        await store.close()


async def _unfit(store: LedgerStore, settings: Settings) -> Damage | None:
    """Return what keeps a store from being served although its own bytes agree."""
    weak = await store.weaknesses()
    if weak:
        return Damage(None, "weakened", "; ".join(weak))
    try:
        await LastShown(store, AnchorFile(settings.data_dir)).refuse_other_store()
    except FairtrialError as error:
        return Damage(None, error.code, error.detail)
    return None


def _progress(done: int, of: int) -> None:
    if done == of or done // 256 % _EVERY == 0:
        say(f"{done} of {of} entries")
