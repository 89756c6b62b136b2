# SPDX-License-Identifier: Apache-2.0
"""``fairtrial init``: the one command that begins a log.

It makes the ledger's two keys, the genesis, and one person's admin, maintainer, runner and reviewer
keys, so that a first study can be opened at once. That the ledger is governed by one person is
printed, and stands in the log for everybody to see.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated, Final

import typer

from app.cli.keys import fresh_key
from app.cli.options import AsJson, DataDir
from app.cli.output import emit, say
from app.cli.settings import settings_for, site_of
from app.config import Settings
from app.core.errors import Conflict
from app.core.identity import Role
from app.core.signing.keys import SigningKey
from app.core.statement.header import LedgerRef
from app.runner.key_files import write_signing_key
from app.runner.registration import Seat, registration
from app.service.create_ledger import FirstAdmin
from app.service.ledger import Ledger
from app.storage.clock import SystemClock
from app.storage.found_ledger import found_ledger
from app.storage.ledger_keys import FOLDER
from app.storage.open_store import store_of

ROLES: Final = (Role.ADMIN, Role.MAINTAINER, Role.RUNNER, Role.REVIEWER)
GOVERNED: Final = "governed by one person"


def init(
    *,
    origin: Annotated[str, typer.Option(help="The log's name, for ever: a host and path you own.")],
    repository: Annotated[
        list[str],
        typer.Option(help="host/owner/name whose keys are registered; may be repeated."),
    ],
    holder: Annotated[str, typer.Option(help="Whose keys these are.", metavar="PERSON")],
    data_dir: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Begin a ledger: database, keys, genesis, and one person's keys in every role."""
    settings = settings_for(data_dir)
    keys = {role: fresh_key() for role in ROLES}
    genesis, ids = asyncio.run(_begin(settings, origin, repository, holder, keys))
    folder = settings.data_dir / FOLDER
    say(f"{GOVERNED}: {holder} holds every key of this ledger")
    result = {"origin": origin, "genesis": genesis, "governance": GOVERNED, "keys": ids}
    lines = [
        f"origin   {origin}",
        f"genesis  {genesis}",
        GOVERNED,
        *(f"{role}  {ids[role]}  {_file(folder, role)}" for role in ids),
    ]
    emit(result, lines, as_json=as_json)


async def _begin(
    settings: Settings,
    origin: str,
    repositories: list[str],
    holder: str,
    keys: dict[Role, SigningKey],
) -> tuple[str, dict[str, str]]:
    clock = SystemClock()
    folder = settings.data_dir / FOLDER
    if any(_file(folder, role).exists() for role in ROLES):
        message = (
            "The data folder holds keys already; a ledger is begun once, in a folder of its own."
        )
        raise Conflict(message, code="ledger-exists")
    first = FirstAdmin(holder, keys[Role.ADMIN])
    signer = await found_ledger(site_of(settings), origin=origin, admins=[first], clock=clock)
    for role, key in keys.items():
        write_signing_key(_file(folder, role), key)
    ledger = Ledger(store_of(settings.database_url), signer=signer, clock=clock)
    await ledger.start()
    try:
        audience = LedgerRef(origin=ledger.origin, genesis=ledger.genesis)
        admin = keys[Role.ADMIN]
        for role in ROLES[1:]:
            draft = registration(
                keys[role].public,
                Seat(role, repositories, holder),
                ledger=audience,
                admin=admin.key_id,
                checkpoint=await ledger.checkpoint(),
            )
            await ledger.submit(draft.signed(admin, keys[role]), kind="key")
        return ledger.genesis, {role.value: key.key_id for role, key in keys.items()}
    finally:
        await ledger.stop()


def _file(folder: Path, role: str) -> Path:
    return folder / f"{role}.pem"
