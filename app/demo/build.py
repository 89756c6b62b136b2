# SPDX-License-Identifier: Apache-2.0
"""Builds the example ledger in a folder of its own, and builds it again over the last one.

A folder is only ever cleared if the marker says that a demo ledger is all it holds; anything else
there, and the folder is refused untouched.
"""

from __future__ import annotations

import secrets
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from app.core.errors import Conflict
from app.core.signing.keys import SigningKey, ed25519_signing_key
from app.core.statement.parse import parse_document
from app.core.statement.protocol_document import ProtocolDocument
from app.demo import replays, synthetic
from app.demo.clock import DAY, HOUR, ScriptedClock
from app.demo.writer import Keys, Writer
from app.runner.compose import HeadPlace
from app.runner.key_files import write_signing_key
from app.service.create_ledger import FirstAdmin
from app.service.ledger import Ledger
from app.service.ports import Clock
from app.storage.anchor_file import FILE as ANCHOR
from app.storage.anchor_file import AnchorFile
from app.storage.documents import protocols
from app.storage.found_ledger import Site, found_ledger
from app.storage.ledger_keys import FOLDER, IGNORE_FILE
from app.storage.open_store import store_of
from app.storage.serving_lock import SUFFIX

ORIGIN: Final = "demo.fairtrial.example/ledger"
HOLDER: Final = "demo-keeper"
MARKER: Final = "DEMO"
_MARK: Final = "An example ledger. `fairtrial demo` deletes and rebuilds it; keep nothing here.\n"
LOCK: Final = f"ledger.db{SUFFIX}"
_OWN: Final = frozenset(
    {MARKER, IGNORE_FILE, FOLDER, LOCK, ANCHOR, "ledger.db", "ledger.db-wal", "ledger.db-shm"}
)
_BEGAN_BEFORE: Final = 9 * DAY
SYNTHETIC: Final = "synthetic-demo.v1.json"


@dataclass(frozen=True, slots=True)
class Shown:
    """A head, and in a line what its page shows."""

    place: HeadPlace
    what: str


@dataclass(frozen=True, slots=True)
class Built:
    """What there is to read."""

    replays: tuple[Shown, ...]
    synthetic: tuple[Shown, ...]


def site_in(folder: Path) -> Site:
    """Return a demo ledger's place: one SQLite file in its folder."""
    url = f"sqlite:///{folder / 'ledger.db'}"
    return Site(database_url=url, migration_url=url, data_dir=folder)


def refuse_other(folder: Path) -> None:
    """Refuse a folder that holds something that is no demo ledger's.

    Raises:
        Conflict: ``not-a-demo``.
    """
    # A lock alone is of a build that is about to begin, or never did.
    names = _names(folder) - {LOCK}
    marked = MARKER in names and (folder / MARKER).read_text(encoding="utf-8") == _MARK
    if names and (not marked or not names <= _OWN):
        message = "The folder holds something else than a demo ledger; name another --data-dir."
        raise Conflict(message, code="not-a-demo")


def clear(folder: Path) -> None:
    """Make room in ``folder`` for a new demo ledger.

    Raises:
        Conflict: ``not-a-demo``, it holds something that is no demo ledger's.
    """
    refuse_other(folder)
    folder.mkdir(parents=True, exist_ok=True)
    # Marked first and unmarked never: a build that is cut short can be built over.
    (folder / MARKER).write_text(_MARK, encoding="utf-8")
    # The lock is held by whoever builds: a file put in its place would be another lock.
    for name in _names(folder) - {MARKER, LOCK}:
        path = folder / name
        shutil.rmtree(path) if path.is_dir() else path.unlink()


def _names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()} if folder.is_dir() else set()


async def build(folder: Path, clock: Clock) -> Built:
    """Make the ledger and write both stories through it; the last study opened an hour ago.

    Raises:
        Conflict: ``not-a-demo``.
    """
    clear(folder)
    site, now_us = site_in(folder), clock.now_us()
    scripted = ScriptedClock((now_us - _BEGAN_BEFORE) // HOUR * HOUR)
    keys = Keys(*(_fresh_key() for _ in range(4)))
    signer = await found_ledger(
        site, origin=ORIGIN, admins=[FirstAdmin(HOLDER, keys.admin)], clock=scripted
    )
    for role, key in (("admin", keys.admin), *keys.by_role()):
        write_signing_key(folder / FOLDER / f"{role}.pem", key)
    anchor = AnchorFile(folder)
    ledger = Ledger(store_of(site.database_url), signer=signer, clock=scripted, anchor=anchor)
    await ledger.start()
    try:
        writer = Writer(ledger, scripted, keys, holder=HOLDER)
        await writer.register_keys((replays.REPOSITORY, synthetic.REPOSITORY))
        documents = {name: shipped(name) for name in replays.PROTOCOLS}
        await replays.write_replays(writer, documents)
        await synthetic.write_synthetic(
            writer, shipped(SYNTHETIC), scripted, open_at_us=now_us - HOUR
        )
    finally:
        await ledger.stop()
    # A head with several studies is named by the first.
    told = {story.place: story.what for story in reversed(replays.STORIES)}
    places = dict.fromkeys(story.place for story in replays.STORIES)
    return Built(
        tuple(Shown(place, told[place]) for place in places),
        tuple(Shown(place, what) for place, what in synthetic.places().items()),
    )


def shipped(name: str) -> ProtocolDocument:
    """Return a protocol document that comes with the program."""
    return parse_document(protocols()[name])


def _fresh_key() -> SigningKey:
    return ed25519_signing_key(secrets.token_bytes(32))
