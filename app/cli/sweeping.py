# SPDX-License-Identifier: Apache-2.0
"""``fairtrial admin sweep``: captures that no entry names are told, and deleted when asked.

Nothing is deleted from a store that is served, damaged, set back or weakened: what an entry names
is read from the entries, and a store that lost some would take their captures for nobody's.
"""

from __future__ import annotations

import asyncio
from dataclasses import asdict

from app.cli.auditing import examine, told
from app.cli.exit_code import ExitCode
from app.cli.keeping import opened
from app.cli.misconfigured import Misconfigured
from app.cli.output import emit, say
from app.cli.settings import migration_url
from app.config import Settings
from app.core.errors import LedgerBusy
from app.service.ports import StoreUnavailable
from app.storage.serving_lock import ServedAlready, not_served
from app.storage.unnamed_captures import Unnamed, delete_unnamed, find_unnamed


def sweep(settings: Settings, *, delete: bool, as_json: bool) -> ExitCode:
    """Print which captures no entry names; with ``delete``, delete them.

    Raises:
        Misconfigured: a process serves the ledger or is connected to its database, or no login
            that may delete was named.
        LedgerBusy: ``store-unavailable``.
        UnknownThing: ``no-ledger``.
    """
    if not delete:
        found = asyncio.run(_found(settings))
        return _tell(found, deleted=None, as_json=as_json)
    login = migration_url(settings)
    try:
        with not_served(settings.database_url, settings.data_dir):
            audited, unfit = asyncio.run(examine(settings))
            if audited.damage is not None or unfit is not None:
                say("nothing was deleted")
                return told(audited, unfit, as_json=as_json)
            found = asyncio.run(_found(settings))
            return _tell(found, deleted=delete_unnamed(login), as_json=as_json)
    except ServedAlready as error:
        raise Misconfigured(str(error)) from error
    except StoreUnavailable as error:
        message = "The store does not answer; try again later."
        raise LedgerBusy(message, code="store-unavailable") from error


async def _found(settings: Settings) -> Unnamed:
    async with opened(settings):
        return await asyncio.to_thread(find_unnamed, settings.database_url)


def _tell(found: Unnamed, *, deleted: int | None, as_json: bool) -> ExitCode:
    lines = [f"captures that no entry names  {found.captures}, {found.stored_bytes} bytes"]
    lines += [f"  {digest}" for digest in found.digests]
    if deleted is not None:
        lines.append(f"deleted  {deleted}")
    elif found.captures:
        say("nothing was deleted; stop the service and say --delete")
    emit({**asdict(found), "deleted": deleted}, lines, as_json=as_json)
    return ExitCode.OK
