# SPDX-License-Identifier: Apache-2.0
"""Threat R06: an older copy or a fork in the place of the store is refused, on both databases."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from app.core.errors import IntegrityBroken
from app.storage.anchor_file import AnchorFile
from app.storage.open_store import store_of
from tests.ledgers import founded, served
from tests.makers import Maker
from tests.postgres import PostgresServer
from tests.storage.conftest import Place
from tests.storage.damage import unguarded


@contextmanager
def copied(place: Place, request: pytest.FixtureRequest) -> Iterator[Place]:
    """Yield a copy of a store that nobody has open."""
    if place.is_sqlite:
        path = place.path.with_name("copy.db")
        shutil.copyfile(place.path, path)
        yield Place("sqlite", f"sqlite:///{path}", f"sqlite:///{path}", "", path)
        return
    server: PostgresServer = request.getfixturevalue("postgres")
    database = server.create_database(template=place.url.rpartition("/")[2])
    yield Place("postgresql", database.app_url, database.superuser_url, "fairtrial_app")
    server.drop_database(database)


async def _append(place: Place, make: Maker, anchor: AnchorFile, *labels: str) -> None:
    async with served(store_of(place.url), make=make, anchor=anchor) as live:
        for label in labels:
            await live.register(label)


async def _begun(place: Place, anchor: AnchorFile) -> Maker:
    first = store_of(place.url)
    make = await founded(first, anchor=anchor)
    await first.close()
    await _append(place, make, anchor, "runner-1")
    return make


async def test_r06_older_copy_in_the_place_of_the_store_is_refused(
    place: Place, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    anchor = AnchorFile(tmp_path)
    make = await _begun(place, anchor)
    with copied(place, request) as old:
        await _append(place, make, anchor, "runner-2")
        with pytest.raises(IntegrityBroken) as refused:
            await _append(old, make, anchor, "runner-3")
        assert refused.value.code == "rollback"
        assert unguarded(old, "SELECT max(size) FROM checkpoint") == [(2,)]


@pytest.mark.parametrize("more", [0, 3])
async def test_r06_fork_in_the_place_of_the_store_is_refused(
    place: Place, request: pytest.FixtureRequest, tmp_path: Path, more: int
) -> None:
    anchor = AnchorFile(tmp_path)
    make = await _begun(place, anchor)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    shutil.copyfile(tmp_path / "checkpoint", elsewhere / "checkpoint")
    with copied(place, request) as fork:
        await _append(place, make, anchor, "runner-2")
        others = [f"runner-{n}" for n in range(3, 4 + more)]
        await _append(fork, make, AnchorFile(elsewhere), *others)
        with pytest.raises(IntegrityBroken) as refused:
            await _append(fork, make, anchor, "runner-9")
        assert refused.value.code == "fork"
        assert unguarded(fork, "SELECT max(size) FROM checkpoint") == [(3 + more,)]


async def test_r08_merge_is_refused_to_the_service_and_to_the_owner(postgres_place: Place) -> None:
    await founded(store := store_of(postgres_place.url))
    await store.close()
    merge = (
        "MERGE INTO leaf USING (SELECT 0 AS place) AS given ON leaf.idx = given.place"
        " WHEN MATCHED THEN UPDATE SET at_us = 0"
    )
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="permission denied"):
        postgres_place.run_as_app(merge)
    for mode in ("SELECT 1", "SET session_replication_role = replica"):
        with pytest.raises(psycopg.Error, match="append-only"):
            postgres_place.run_as_owner(mode, merge)
