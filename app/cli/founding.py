# SPDX-License-Identifier: Apache-2.0
"""Begins a log: the ledger's two keys, the genesis, and one person's keys in every role.

With them a first study can be opened at once. That the ledger is governed by one person is printed,
and stands in the log for everybody to see.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import typer
from msgspec.structs import asdict

from app.cli.keys import fresh_key
from app.cli.output import emit, say
from app.cli.settings import site_of
from app.config import Settings
from app.core.canonical import canonical
from app.core.errors import Conflict
from app.core.identity import REPOSITORY_FORM, Origin, Person, Repository, Role
from app.core.signing.keys import SigningKey
from app.core.statement.genesis import Continues
from app.core.statement.header import LedgerRef
from app.core.statement.sanitize import refuse_unsanitary
from app.runner.compose import has_form
from app.runner.key_files import write_signing_key
from app.runner.registration import Seat, registration
from app.service.create_ledger import FirstAdmin
from app.service.ledger import Ledger
from app.storage.anchor_file import AnchorFile, published_checkpoint
from app.storage.clock import SystemClock
from app.storage.found_ledger import found_ledger
from app.storage.ledger_keys import FOLDER
from app.storage.open_store import store_of

ROLES: Final = (Role.ADMIN, Role.MAINTAINER, Role.RUNNER, Role.REVIEWER)
GOVERNED: Final = "governed by one person"
_FORMS: Final[tuple[tuple[str, Any, str], ...]] = (
    ("--origin", list[Origin], "a host and path in lower case, such as ledger.example/sparks"),
    ("--repository", list[Repository], REPOSITORY_FORM),
    ("--holder", list[Person], "a handle of ASCII letters, digits, '.', '_' and '-'"),
)


@dataclass(frozen=True, slots=True)
class Founder:
    """Who begins which log, for which repositories."""

    origin: str
    repositories: Sequence[str]
    holder: str
    continues: Continues | None = None


def begin(settings: Settings, founder: Founder, *, as_json: bool) -> None:
    """Begin the ledger and print its name and keys.

    Raises:
        BadParameter: a name is not of its form; nothing was written.
        NotSanitized: a name must not be published; nothing was written.
        Conflict: ``ledger-exists``, ``keys-exist``.
    """
    _refuse_names(founder)
    keys = {role: fresh_key() for role in ROLES}
    genesis = asyncio.run(_begin(settings, founder, keys))
    say(f"{GOVERNED}: {founder.holder} holds every key of this ledger")
    files = {role.value: str(_file(settings, role)) for role in ROLES}
    ids = {role.value: key.key_id for role, key in keys.items()}
    result = {
        "origin": founder.origin,
        "genesis": genesis,
        "governance": GOVERNED,
        "keys": ids,
        "files": files,
    }
    lines = [
        f"origin   {founder.origin}",
        f"genesis  {genesis}",
        GOVERNED,
        *(f"{role}  {ids[role]}  {files[role]}" for role in ids),
    ]
    if founder.continues is not None:
        result["continues"] = asdict(founder.continues)
        lines.append(f"continues  {founder.continues.origin} at size {founder.continues.size}")
    emit(result, lines, as_json=as_json)


def ended_log(path: Path) -> Continues:
    """Return the ended log whose last checkpoint a file holds, as a note or as an anchor's.

    Raises:
        MalformedDocument: ``note`` or ``checkpoint``: the file holds none.
        IntegrityBroken: ``anchor``.
    """
    found = published_checkpoint(path)
    return Continues(origin=found.origin, size=found.size, root=found.root.hex())


def _refuse_names(founder: Founder) -> None:
    """Refuse what the ledger would refuse once its database and keys are there."""
    repositories = list(founder.repositories)
    said = ([founder.origin], repositories, [founder.holder])
    for (option, form, expected), names in zip(_FORMS, said, strict=True):
        if not has_form(names, form):
            message = f"{option} takes {expected}. Nothing was written."
            raise typer.BadParameter(message)
    if len(set(repositories)) != len(repositories):
        message = "--repository takes each repository once. Nothing was written."
        raise typer.BadParameter(message)
    whole = {"origin": founder.origin, "repositories": repositories, "holder": founder.holder}
    refuse_unsanitary(canonical(whole))


async def _begin(settings: Settings, founder: Founder, keys: dict[Role, SigningKey]) -> str:
    clock = SystemClock()
    if any(_file(settings, role).exists() for role in ROLES):
        message = "The data folder holds a ledger's keys already; begin one in another folder."
        raise Conflict(message, code="keys-exist")
    admin = keys[Role.ADMIN]
    signer = await found_ledger(
        site_of(settings),
        origin=founder.origin,
        admins=[FirstAdmin(founder.holder, admin)],
        clock=clock,
        continues=founder.continues,
    )
    for role, key in keys.items():
        write_signing_key(_file(settings, role), key)
    anchor = AnchorFile(settings.data_dir)
    ledger = Ledger(store_of(settings.database_url), signer=signer, clock=clock, anchor=anchor)
    await ledger.start()
    try:
        audience = LedgerRef(origin=ledger.origin, genesis=ledger.genesis)
        for role in ROLES[1:]:
            draft = registration(
                keys[role].public,
                Seat(role, founder.repositories, founder.holder),
                ledger=audience,
                admin=admin.key_id,
                checkpoint=await ledger.checkpoint(),
            )
            await ledger.submit(draft.signed(admin, keys[role]), kind="key")
        return ledger.genesis
    finally:
        await ledger.stop()


def _file(settings: Settings, role: str) -> Path:
    return settings.data_dir / FOLDER / f"{role}.pem"
