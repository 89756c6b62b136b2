# SPDX-License-Identifier: Apache-2.0
"""Threat R18: captures that no entry names are deleted, and never one that is on its way."""

import asyncio
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path

import pytest

from app.core.digest import sha256_hex
from app.service.ports import BlobRow, LedgerStore
from app.storage import unnamed_captures
from app.storage.open_store import store_of
from app.storage.serving_lock import ServedAlready, lock_file, not_served, serving
from app.storage.unnamed_captures import Unnamed, delete_unnamed, find_unnamed
from tests.postgres import PostgresServer
from tests.storage.batches import first, second
from tests.storage.conftest import Place

STRAYS = [BlobRow(sha256_hex(b"stray %d" % n), 7, b"stray %d" % n) for n in range(3)]


async def _strayed(place: Place) -> LedgerStore:
    """Return a store with a capture that an entry names, and three that none does."""
    store = store_of(place.url)
    await store.open()
    await store.append(first())
    await store.append(second())
    for blob in STRAYS:
        await store.put_blob(blob)
    return store


async def test_r18_what_no_entry_names_is_told_and_deleted_and_nothing_else(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unnamed_captures, "SLICE", 2)
    store = await _strayed(place)
    strays = tuple(sorted(blob.sha256 for blob in STRAYS))
    assert find_unnamed(place.url) == Unnamed(3, 21, strays)
    await store.close()
    assert delete_unnamed(place.owner_url) == 3
    assert find_unnamed(place.url) == Unnamed(0, 0, ())
    (named,) = second().blobs
    store = store_of(place.url)
    await store.open()
    assert await store.blobs([named.sha256, *strays]) == {named.sha256: named}
    await store.put_blob(STRAYS[0])  # whoever sends the receipt again sends its capture again
    assert await store.blobs(strays) == {STRAYS[0].sha256: STRAYS[0]}
    await store.close()


async def test_r18_nothing_is_deleted_while_somebody_is_connected(
    postgres_place: Place, postgres: PostgresServer
) -> None:
    """As a process that was killed between a capture and its batch leaves its session behind."""
    store = await _strayed(postgres_place)
    migrator = postgres.url_of("fairtrial_migrator", postgres_place.url.rpartition("/")[2])
    with pytest.raises(ServedAlready, match="sessions are connected"):
        await asyncio.to_thread(delete_unnamed, migrator)
    assert find_unnamed(postgres_place.url).captures == len(STRAYS)
    await store.close()
    assert delete_unnamed(migrator) == len(STRAYS)


async def test_r18_a_capture_that_was_named_since_it_was_told_stays(place: Place) -> None:
    store = store_of(place.url)
    await store.open()
    await store.append(first())
    (blob,) = second().blobs
    await store.put_blob(blob)
    assert find_unnamed(place.url).digests == (blob.sha256,)
    await store.append(replace(second(), blobs=()))
    await store.close()
    assert delete_unnamed(place.owner_url) == 0


@pytest.mark.parametrize("url", ["sqlite:///{}/ledger.db", "postgresql+psycopg://a@b/c"])
def test_r18_whoever_must_be_alone_and_whoever_serves_exclude_one_another(
    url: str, tmp_path: Path
) -> None:
    url = url.format(tmp_path)

    def refused(held: Callable[[str, Path], AbstractContextManager[None]]) -> bool:
        try:
            with held(url, tmp_path):
                return False
        except ServedAlready:
            return True

    with serving(url, tmp_path):
        assert refused(not_served)
        assert refused(serving) == url.startswith("sqlite")
    with not_served(url, tmp_path):
        assert refused(serving)
        assert refused(not_served)
    assert not refused(serving)
    assert lock_file(url, tmp_path).parent == tmp_path
