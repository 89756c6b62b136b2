# SPDX-License-Identifier: Apache-2.0
"""Begins a ledger on a machine: schema, keys and genesis, in an order that a crash cannot spoil.

Keys are on disk before the genesis names them, and a store that holds a ledger is refused before
anything is written.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from app.core.errors import Conflict, UnknownThing
from app.core.statement.genesis import Continues
from app.service.create_ledger import FirstAdmin, Founding, create_ledger
from app.service.ports import Clock
from app.storage.anchor_file import AnchorFile
from app.storage.ledger_keys import (
    LedgerKeys,
    new_ledger_keys,
    read_ledger_keys,
    write_ledger_keys,
)
from app.storage.migrate import upgrade
from app.storage.open_store import store_of


@dataclass(frozen=True, slots=True)
class Site:
    """Where a ledger is kept.

    Attributes:
        database_url: the service's own login.
        migration_url: a login that may change the schema.
        data_dir: where the ledger's keys are.
    """

    database_url: str
    migration_url: str
    data_dir: Path


async def found_ledger(
    site: Site,
    *,
    origin: str,
    admins: Sequence[FirstAdmin],
    clock: Clock,
    continues: Continues | None = None,
) -> LedgerKeys:
    """Make a ledger where none is, and return its keys.

    Keys that stand in an otherwise empty place are those of a founding that was cut short, and are
    used.

    Args:
        site: where.
        origin: the log's name.
        admins: who governs it.
        clock: gives the genesis its time.
        continues: the ended log that this one follows.

    Raises:
        Conflict: ``ledger-exists``, ``other-origin``; ``same-origin``, it has the ended log's name.
    """
    if continues is not None and continues.origin == origin:
        message = "A log that continues another has a name of its own; two logs of one name fork."
        raise Conflict(message, code="same-origin")
    upgrade(site.migration_url)
    store = store_of(site.database_url)
    await store.open()
    try:
        if await store.newest_checkpoint() is not None:
            message = "A ledger stands there already; a log is begun once."
            raise Conflict(message, code="ledger-exists")
        keys = _keys(site.data_dir, origin)
        founding = Founding(
            checkpoint_key=keys.checkpoint.key.public,
            statement_key=keys.statement.public,
            admins=admins,
            continues=continues,
        )
        anchor = AnchorFile(site.data_dir)
        await create_ledger(store, founding, signer=keys, clock=clock, anchor=anchor)
    finally:
        await store.close()
    return keys


def _keys(data_dir: Path, origin: str) -> LedgerKeys:
    try:
        keys = read_ledger_keys(data_dir)
    except UnknownThing:
        keys = new_ledger_keys(origin)
        write_ledger_keys(data_dir, keys)
    if keys.origin != origin:
        message = "The keys in the data folder are of a log with another origin."
        raise Conflict(message, code="other-origin")
    return keys
