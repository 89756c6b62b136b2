# SPDX-License-Identifier: Apache-2.0
"""Threat R13: a backup taken under load restores, into either database, to the same log."""

import asyncio
import shutil
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from app.core.errors import Conflict, IntegrityBroken, UnknownThing
from app.core.log.checkpoint import parse_checkpoint
from app.core.log.merkle import verify_consistency
from app.core.log.note import parse_note
from app.service.ports import LedgerStore
from app.service.read_log import LogReader
from app.service.stored_slice import Damaged
from app.service.tree import load_tree
from app.storage.anchor_file import AnchorFile
from app.storage.backup import MANIFEST, back_up
from app.storage.backup_reader import read_manifest
from app.storage.keys_file import read_keys_file, write_keys_file
from app.storage.open_store import store_of
from app.storage.restore import restore
from tests import facts
from tests.fakes import ledger_keys
from tests.ledgers import LiveLedger, founded, served
from tests.postgres import Database, PostgresServer
from tests.storage.conftest import Place
from tests.storage.damage import COLUMNS, change, flipped, rows_of, unguarded


@dataclass(slots=True)
class Kept:
    """A backup that was taken while notes were appended, and the ledger it is of."""

    place: Place
    live: LiveLedger
    store: LedgerStore
    folder: Path


@pytest.fixture
async def kept(place: Place, tmp_path: Path) -> AsyncIterator[Kept]:
    first = store_of(place.url)
    make = await founded(first)
    await first.close()
    async with served(store_of(place.url), make=make) as live:
        await live.begin()
        await live.open()
        await live.fill(facts.starved())
        study, folder = (await live.study()).digest, tmp_path / "backup"
        store = store_of(place.url)
        await store.open()
        drafts = [make.deviation(study, what=f"Note {n}.") for n in range(30)]

        async def write() -> None:
            for draft in drafts:
                await live.send(draft)

        await asyncio.gather(write(), back_up(store, folder))
        yield Kept(place, live, store, folder)
        await store.close()


@pytest.fixture(params=["sqlite", "postgresql"])
def other_place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    """Yield an empty place on each database in turn, whatever the backup is of."""
    if request.param == "sqlite":
        path = tmp_path / "restored.db"
        shutil.copyfile(request.getfixturevalue("migrated_file"), path)
        yield Place("sqlite", f"sqlite:///{path}", f"sqlite:///{path}", "", path)
        return
    server: PostgresServer = request.getfixturevalue("postgres")
    template: Database = request.getfixturevalue("migrated_template")
    database = server.create_database(template=template.name)
    yield Place("postgresql", database.app_url, database.superuser_url, "fairtrial_app")
    server.drop_database(database)


async def test_r13_backup_under_load_restores_to_the_same_log_on_either_database(
    kept: Kept, other_place: Place, tmp_path: Path
) -> None:
    manifest = read_manifest(kept.folder)
    assert manifest.size <= await kept.live.size()
    anchor = AnchorFile(tmp_path)
    store = store_of(other_place.url)
    await store.open()
    restored, audited = await restore(store, kept.folder, anchor=anchor)
    assert (restored, audited.damage, audited.size) == (manifest, None, manifest.size)
    newest = await store.newest_checkpoint()
    assert newest is not None
    assert await anchor.read() == newest.note
    # Row by row it is what stood there, captures included.
    for table in COLUMNS:
        old, new = rows_of(kept.place, table), rows_of(other_place, table)
        assert new == [row for row in old if row in new]
        assert len(new) <= len(old)
    # And the live log goes on from it.
    live = parse_checkpoint(parse_note(await kept.live.ledger.checkpoint()).text)
    tree = await load_tree(kept.store, live.size)
    proof = await LogReader(kept.store).consistency(tree, newest.size, live.size)
    verify_consistency(
        old_size=newest.size,
        old_root=newest.root,
        new_size=live.size,
        new_root=live.root,
        proof=proof,
    )
    await store.close()
    async with served(
        store_of(other_place.url), make=kept.live.make, clock=kept.live.clock, anchor=anchor
    ) as again:
        assert (await again.register("runner-9")).index == newest.size


async def test_restore_goes_only_into_an_empty_place(kept: Kept, tmp_path: Path) -> None:
    with pytest.raises(Conflict) as refused:
        await restore(kept.store, kept.folder, anchor=AnchorFile(tmp_path))
    assert refused.value.code == "ledger-exists"
    with pytest.raises(Conflict) as refused:
        await back_up(kept.store, kept.folder)
    assert refused.value.code == "backup-exists"


@pytest.fixture
async def empty(migrated_file: Path, tmp_path: Path) -> AsyncIterator[LedgerStore]:
    path = tmp_path / "empty.db"
    shutil.copyfile(migrated_file, path)
    store = store_of(f"sqlite:///{path}")
    await store.open()
    yield store
    await store.close()


async def test_r06_backup_older_than_what_was_published_is_refused(
    kept: Kept, empty: LedgerStore, tmp_path: Path
) -> None:
    anchor = AnchorFile(tmp_path)
    await anchor.swap(None, ledger_keys().sign_checkpoint(9_999, bytes(32)))
    with pytest.raises(IntegrityBroken) as refused:
        await restore(empty, kept.folder, anchor=anchor)
    assert refused.value.code == "rollback"
    (tmp_path / "other").mkdir()
    anchor = AnchorFile(tmp_path / "other")
    await anchor.swap(None, ledger_keys().sign_checkpoint(2, bytes(32)))
    with pytest.raises(IntegrityBroken) as refused:
        await restore(empty, kept.folder, anchor=anchor)
    assert refused.value.code == "fork"
    assert await empty.newest_checkpoint() is None


async def test_r13_backup_with_a_missing_or_edited_file_writes_nothing(
    kept: Kept, empty: LedgerStore, tmp_path: Path
) -> None:
    for name in sorted([*read_manifest(kept.folder).files, MANIFEST]):
        path = kept.folder / name
        data = path.read_bytes()
        for wrong in (None, flipped(data, byte=len(data) // 2), data[:-1]):
            path.unlink()
            if wrong is not None:
                assert isinstance(wrong, bytes)
                path.write_bytes(wrong)
            with pytest.raises(IntegrityBroken) as refused:
                await restore(empty, kept.folder, anchor=AnchorFile(tmp_path))
            assert refused.value.code == "backup", name
            path.write_bytes(data)
    assert await empty.newest_checkpoint() is None


async def test_r13_damaged_store_is_not_copied(kept: Kept, tmp_path: Path) -> None:
    row = rows_of(kept.place, "statement")[0]
    change(kept.place, "statement", row, "payload", flipped(row[1], byte=5))
    with pytest.raises(Damaged):
        await back_up(kept.store, tmp_path / "again")
    assert not (tmp_path / "again").exists()
    assert not any(name.startswith(".again-") for name in _names(tmp_path))
    unguarded(kept.place, "DELETE FROM checkpoint")
    with pytest.raises(UnknownThing):
        await back_up(kept.store, tmp_path / "again")


def _names(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


def test_keys_are_kept_apart_from_the_backup(tmp_path: Path) -> None:
    path, keys = tmp_path / "keys.json", ledger_keys()
    write_keys_file(path, keys, outside=tmp_path / "backup")
    assert path.stat().st_mode & 0o777 == 0o600
    assert read_keys_file(path) == keys
    for where, code in ((path, "keys-exist"), (tmp_path / "backup" / "k", "keys-in-backup")):
        with pytest.raises(Conflict) as refused:
            write_keys_file(where, keys, outside=tmp_path / "backup")
        assert refused.value.code == code
    for text in ("{}", "nothing", '{"format":"fairtrial-ledger-keys:v1"}'):
        path.write_text(text)
        with pytest.raises(IntegrityBroken) as broken:
            read_keys_file(path)
        assert broken.value.code == "keys-file"
