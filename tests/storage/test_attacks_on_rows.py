# SPDX-License-Identifier: Apache-2.0
"""Threats R07 and L25: whatever byte of whatever row is turned over, it is found, by its index.

Bytes are turned over one at a time by the database's owner, and put back.
"""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from dataclasses import dataclass

import psycopg
import pytest

from app.core.errors import FairtrialError, IntegrityBroken
from app.core.log.merkle import verify_inclusion
from app.core.log.tile import ENTRIES, Tile
from app.service.audit import Audit, Audited
from app.service.captures import open_blob
from app.service.ports import BlobRow, LedgerStore
from app.service.read_log import LogReader
from app.service.scrub import Scrub
from app.service.stored_slice import Damage
from app.storage.open_store import store_of
from tests import facts
from tests.ledgers import LiveLedger, founded, served
from tests.storage.conftest import Place
from tests.storage.damage import COLUMNS, Row, change, flipped, rows_of, unguarded

Rows = dict[str, list[Row]]


@dataclass(slots=True)
class Scene:
    """A served ledger with a closed study, and another look at its store."""

    place: Place
    live: LiveLedger
    store: LedgerStore

    async def audit(self) -> Audited:
        return await Audit(self.store).run()

    async def scrub(self) -> Damage | None:
        """Scrub the whole store once, as a process does that has found nothing so far."""
        scrub = Scrub(self.store, LogReader(self.store), self.live.ledger.to_scrub)
        while scrub.state.damage is None and not scrub.state.rounds:
            await scrub.step()
        return scrub.state.damage


@pytest.fixture
async def scene(place: Place) -> AsyncIterator[Scene]:
    first = store_of(place.url)
    make = await founded(first)
    await first.close()
    async with served(store_of(place.url), make=make) as live:
        await live.begin()
        await live.open()
        await live.fill(facts.starved())
        store = store_of(place.url)
        await store.open()
        yield Scene(place, live, store)
        await store.close()


def _index_of(rows: Rows, table: str, row: Row) -> int | None:
    """Return the index that names a row, for a blob the first that uses it."""
    places = {leaf[3]: int(str(leaf[0])) for leaf in rows["leaf"]}
    match table:
        case "leaf":
            return int(str(row[0]))
        case "checkpoint":
            return int(str(row[0])) - 1
        case "statement":
            return places[row[0]]
        case "capture_use":
            return places[row[1]]
        case _:
            return min(places[use[1]] for use in rows["capture_use"] if use[0] == row[0])


def _still_opens(row: Row, zstd: object) -> bool:
    assert isinstance(zstd, bytes)
    try:
        open_blob(BlobRow(str(row[0]), int(str(row[1])), zstd))
    except FairtrialError:
        return False
    return True


async def test_r07_each_turned_bit_is_found_with_its_index(scene: Scene) -> None:
    clean = await scene.audit()
    assert clean.damage is None
    assert await scene.scrub() is None
    rows = {table: rows_of(scene.place, table) for table in COLUMNS if table != "tile"}
    tried = 0
    for table, columns in COLUMNS.items():
        for nth, row in enumerate(rows.get(table, ())[:: max(1, len(rows.get(table, ())) // 2)]):
            for at, column in enumerate(columns):
                wrong = flipped(row[at], byte=nth * 37 + 5)
                if column == "zstd" and _still_opens(row, wrong):
                    continue  # a bit of the frame that says nothing about what is in it
                try:
                    change(scene.place, table, row, column, wrong)
                except (psycopg.errors.IntegrityError, sqlite3.IntegrityError):
                    continue  # refused even to the owner
                damage, seen = (await scene.audit()).damage, await scene.scrub()
                broken = (*row[:at], wrong, *row[at + 1 :])
                change(scene.place, table, broken, column, row[at])
                assert damage is not None, (table, column, row)
                expected = _index_of(rows, table, row)
                if table == "checkpoint" and column in {"size", "prev_size"}:
                    # The link that is not there is named, or leaves that none speaks of.
                    assert damage.index is None or damage.index <= len(rows["leaf"])
                else:
                    assert damage.index == expected, (table, column, damage)
                # One row by itself does not tell where the chain or a capture's use should go on.
                if table not in {"checkpoint", "capture_use"}:
                    assert seen is not None, (table, column)
                    assert seen.index == expected, (table, column, seen)
                tried += 1
    assert tried > 30
    assert await scene.audit() == clean


async def test_r07_size_that_no_store_can_hold_is_found_at_the_first_leaf_that_is_missing(
    scene: Scene,
) -> None:
    *_, newest = rows_of(scene.place, "checkpoint")
    change(scene.place, "checkpoint", newest, "size", int(str(newest[0])) ^ 1 << 39)
    damage = (await scene.audit()).damage
    assert damage is not None
    assert (damage.index, damage.code) == (newest[0], "leaf-missing")
    (reason,) = await scene.live.ledger.unready()
    assert reason.rule == "leaf-missing"


@pytest.mark.parametrize("table", sorted(set(COLUMNS) - {"tile"}))
async def test_r07_row_that_is_gone_is_found(scene: Scene, table: str) -> None:
    unguarded(scene.place, f"DELETE FROM {table}")  # noqa: S608  our own names
    if table == "checkpoint":
        assert await scene.store.newest_checkpoint() is None
        return
    damage = (await scene.audit()).damage
    assert damage is not None
    rows = await scene.store.leaves(0, 99)
    first = next((row.index for row in rows if row.kind == "receipt"), 0)
    assert damage.index == (first if table in {"capture_use", "blob"} else 0)


async def test_rows_that_nothing_speaks_of_are_found(scene: Scene) -> None:
    newest = await scene.store.newest_checkpoint()
    assert newest is not None
    digest = "f" * 64
    unguarded(scene.place, "INSERT INTO statement VALUES (?, ?, ?)", [digest, b"{}", b"{}"])
    damage = (await scene.audit()).damage
    assert damage is not None
    assert (damage.index, damage.code) == (None, "rows")
    values = [newest.size, b"{}", bytes(32), digest, "key", "ledger", 99, newest.at_us]
    unguarded(scene.place, "INSERT INTO leaf VALUES (?, ?, ?, ?, ?, ?, ?, ?)", values)
    damage = (await scene.audit()).damage
    assert damage is not None
    assert (damage.index, damage.code) == (newest.size, "leaf-unsigned")


async def test_r07_damaged_bytes_are_never_given_out(scene: Scene) -> None:
    rows = {table: rows_of(scene.place, table) for table in COLUMNS}
    digest, ledger = str(rows["capture_use"][0][1]), scene.live.ledger
    statement = next(row for row in rows["statement"] if row[0] == digest)
    for at, column in ((1, "payload"), (2, "envelope")):
        change(scene.place, "statement", statement, column, flipped(statement[at], byte=40))
        with pytest.raises(IntegrityBroken):
            await ledger.statement(digest)
        change(scene.place, "statement", statement, column, statement[at])
    assert (await ledger.statement(digest)).payload == statement[1]
    leaf = next(row for row in rows["leaf"] if row[3] == digest)
    change(scene.place, "leaf", leaf, "record", flipped(leaf[1], byte=9))
    for read in (
        ledger.statement(digest),
        ledger.proof(digest),
        ledger.tile(Tile(ENTRIES, 0, len(rows["leaf"]))),
        ledger.entries(),
    ):
        with pytest.raises(IntegrityBroken):
            await read
    change(scene.place, "leaf", leaf, "record", leaf[1])
    blob = rows["blob"][0]
    change(scene.place, "blob", blob, "zstd", flipped(blob[2], byte=30))
    with pytest.raises(IntegrityBroken) as refused:
        await ledger.capture(str(blob[0]))
    assert refused.value.code == "capture-damaged"


async def test_l25_capture_that_was_deleted_stays_named_proven_and_counted(scene: Scene) -> None:
    ledger, head = scene.live.ledger, await scene.live.head()
    planned = len(head.studies[0].slots)
    receipt = next(row for row in await scene.store.leaves(0, 99) if row.kind == "receipt")
    unguarded(scene.place, "DELETE FROM blob")
    proof = await ledger.proof(receipt.statement)
    newest = await scene.store.newest_checkpoint()
    assert newest is not None
    verify_inclusion(
        receipt.hash, index=receipt.index, size=proof.size, proof=proof.proof, root=newest.root
    )
    (study,) = (await scene.live.head()).studies
    assert len(study.slots) == planned
    damage = (await scene.audit()).damage
    assert damage is not None
    assert (damage.index, damage.code) == (receipt.index, "capture-missing")


async def test_r07_tile_that_was_edited_is_found_with_the_leaf(place: Place) -> None:
    first = store_of(place.url)
    make = await founded(first)
    await first.close()
    async with served(store_of(place.url), make=make) as live:
        await live.begin()
        await live.open()
        study = (await live.study()).digest
        drafts = [make.deviation(study, what=f"Note {n}.") for n in range(256)]
        await asyncio.gather(*(live.send(draft) for draft in drafts))
        store = store_of(place.url)
        await store.open()
        scene = Scene(place, live, store)
        assert (await scene.audit()).damage is None
        assert await scene.scrub() is None
        (tile,) = rows_of(place, "tile")
        change(place, "tile", tile, "data", flipped(tile[2], byte=32 * 77))
        damage, seen = (await scene.audit()).damage, await scene.scrub()
        assert damage is not None
        assert (damage.index, damage.code) == (77, "tile")
        assert seen is not None
        assert (seen.index, seen.code) == (0, "tile")
        for read in (live.ledger.tile(Tile(0, 0)), live.ledger.proof(drafts[9].digest)):
            with pytest.raises(IntegrityBroken) as refused:
                await read
            assert refused.value.code == "tile"
        unguarded(place, "DELETE FROM tile")
        damage = (await scene.audit()).damage
        assert damage is not None
        assert (damage.index, damage.code) == (0, "tile")
        await store.close()
