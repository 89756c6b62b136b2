# SPDX-License-Identifier: Apache-2.0
"""What a store takes, what it refuses, and what it gives back, on both databases."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import Engine, event

from app.core.digest import sha256_hex
from app.core.errors import IntegrityBroken
from app.service.ports import Batch, BlobRow, LedgerStore, TileRow
from app.storage.open_store import store_of
from tests.storage.batches import AT_US, batch, first, rows, second
from tests.storage.conftest import Place


async def test_appended_batches_come_back_as_they_went_in(store: LedgerStore) -> None:
    assert await store.newest_checkpoint() is None
    assert await store.append(first())
    assert await store.append(second())
    assert await store.newest_checkpoint() == second().checkpoint
    assert await store.checkpoint_at(1) == first().checkpoint
    assert await store.checkpoint_at(2) == second().checkpoint
    assert await store.checkpoint_at(5) is None
    every = [*first().leaves, *second().leaves]
    assert await store.leaves(0, 9) == every
    assert await store.leaves(1, 3) == every[1:3]
    assert await store.line("ledger", below=9) == [every[0], every[1], every[3]]
    assert await store.line("ledger", below=3) == every[:2]
    assert await store.line("repo:", below=9) == []
    digests = [row.statement for row in every]
    assert await store.leaves_of([*digests, "0" * 64]) == dict(zip(digests, every, strict=True))
    kept = await store.statements([*digests, "0" * 64])
    assert {row.sha256: sha256_hex(row.payload) for row in kept.values()} == {
        digest: digest for digest in digests
    }


async def test_listing_lines_reads_their_first_leaves_alone(
    store: LedgerStore, place: Place
) -> None:
    """However long a line is it costs one row of an index, and only lines asked for are read."""
    explain = ["EXPLAIN QUERY PLAN "]
    if not place.is_sqlite:
        # What it would do with more rows than a test has.
        explain = ["SET LOCAL enable_seqscan = off", "SET LOCAL enable_bitmapscan = off"]
        explain.append("EXPLAIN ")
    plans: list[str] = []

    def note(_on: object, cursor: Any, sql: str, values: Any, *_: object) -> None:  # noqa: ANN401 - a driver's own
        for setting in explain[:-1]:
            cursor.execute(setting)
        cursor.execute(explain[-1] + sql, values)
        plans.append(str(cursor.fetchall()))

    await store.append(first())
    event.listen(Engine, "before_cursor_execute", note)
    try:
        assert await store.lines("ledg", limit=2) == ["ledger"]
    finally:
        event.remove(Engine, "before_cursor_execute", note)
    assert "INDEX ix_leaf_line (seq=? AND line>? AND line<?)" in plans[-1] or (
        "ix_leaf_line" in plans[-1] and "Index Cond: ((line ~>=~" in plans[-1]
    )


async def test_lookups_by_prefix_kind_and_capture(store: LedgerStore) -> None:
    await store.append(first())
    await store.append(second())
    more = rows(4, ["head:a/b/c@1", "head:a/b/c@2", "head:a/b/d@1"], seqs=[0, 0, 0])
    more[1] = replace(more[1], kind="closure")
    await store.append(batch(more, prev_size=4))
    assert await store.lines("head:a/b/c@") == ["head:a/b/c@1", "head:a/b/c@2"]
    assert len(await store.lines("head:a/b/", limit=2)) == 2
    assert await store.lines("head:a/b/c@1\U0010ffff") == []
    assert await store.lines("") == sorted(
        {"ledger", "repo:a/b/c", "head:a/b/c@1", "head:a/b/c@2", "head:a/b/d@1"}
    )
    assert await store.open_lines() == ["head:a/b/c@1", "head:a/b/d@1"]
    studies = await store.leaves_of_kind("study", lines="head:")
    assert [row.index for row in studies] == [4, 6]
    assert [row.index for row in await store.leaves_of_kind("study", after=4)] == [6]
    assert [row.index for row in await store.leaves_of_kind("key", limit=2)] == [0, 1]
    digest = more[0].statement
    assert await store.statements_like(digest[:9], limit=2) == [digest]
    assert len(await store.statements_like("", limit=3)) == 3
    (blob,) = second().blobs
    assert await store.blobs([blob.sha256, "0" * 64]) == {blob.sha256: blob}
    assert await store.uses_of(blob.sha256) == [second().uses[0].receipt]
    assert await store.uses_of("0" * 64) == []


async def test_tiles_come_back_by_level_and_index(store: LedgerStore) -> None:
    tiles = [TileRow(0, 0, bytes(8192)), TileRow(1, 0, b"\1" * 8192)]
    await store.append(replace(first(), tiles=tiles))
    found = await store.tiles([(0, 0), (1, 0), (0, 1)])
    assert found == {(0, 0): tiles[0].data, (1, 0): tiles[1].data}


async def test_large_capture_put_ahead_may_come_again_with_its_batch(store: LedgerStore) -> None:
    (blob,) = second().blobs
    await store.append(first())
    await store.put_blob(blob)
    await store.put_blob(BlobRow(blob.sha256, 9, b"another compression"))
    assert await store.append(second())
    assert await store.blobs([blob.sha256]) == {blob.sha256: blob}


async def test_r04_second_batch_on_the_same_size_adds_nothing(store: LedgerStore) -> None:
    await store.append(first())
    assert await store.append(second())
    other = batch(rows(1, ["ledger"], seqs=[1]), prev_size=1)
    assert not await store.append(other)
    assert not await store.append(second())
    assert not await store.append(first())
    assert [row.index for row in await store.leaves(0, 99)] == [0, 1, 2, 3]


async def test_r04_two_writers_on_one_size_one_wins(place: Place) -> None:
    stores = [store_of(place.url) for _ in range(2)]
    for one in stores:
        await one.open()
    await stores[0].append(first())
    won = await asyncio.gather(*(one.append(second()) for one in stores))
    assert sorted(won) == [False, True]
    for one in stores:
        await one.close()


async def test_turn_is_taken_one_at_a_time_and_given_back(place: Place) -> None:
    stores = [store_of(place.url) for _ in range(2)]
    for one in stores:
        await one.open()
    inside = 0

    async def take(one: LedgerStore) -> int:
        nonlocal inside
        async with one.turn():
            inside += 1
            seen = inside
            await asyncio.sleep(0.01)
            inside -= 1
        return seen

    seen = await asyncio.gather(*(take(one) for one in stores))
    assert place.is_sqlite or seen == [1, 1]
    for one in stores:
        await one.close()


def _wrong() -> dict[str, Batch]:
    good = second()
    leaves = list(good.leaves)
    late = replace(leaves[2], at_us=AT_US - 1)
    early = [replace(row, at_us=AT_US - 5) for row in leaves]
    return {
        "more leaves than size": batch(leaves, prev_size=1, size=3),
        "fewer leaves than size": batch(leaves, prev_size=1, size=9),
        "seq skips": batch([*leaves[:2], replace(leaves[2], seq=3)], prev_size=1),
        "seq stands": batch([replace(leaves[0], seq=0), *leaves[1:]], prev_size=1),
        "statement stands": batch(
            [replace(leaves[0], statement=first().leaves[0].statement), *leaves[1:]], prev_size=1
        ),
        "time goes back within": batch([*leaves[:2], late], prev_size=1),
        "time goes back before": batch(early, prev_size=1),
    }


async def test_r04_batch_that_does_not_follow_is_refused_whole(store: LedgerStore) -> None:
    await store.append(first())
    for name, wrong in _wrong().items():
        with pytest.raises(IntegrityBroken):
            await store.append(wrong)
        assert await store.newest_checkpoint() == first().checkpoint, name
        assert [row.index for row in await store.leaves(0, 99)] == [0], name
    assert await store.append(second())


async def test_r04_second_genesis_is_refused(store: LedgerStore) -> None:
    await store.append(first())
    again = batch(rows(0, ["ledger"], seqs=[0]), prev_size=None, size=2)
    assert not await store.append(again)
    assert await store.newest_checkpoint() == first().checkpoint


async def test_digest_that_is_not_of_its_bytes_is_refused(postgres_place: Place) -> None:
    store = store_of(postgres_place.url)
    await store.open()
    await store.append(first())
    good = second()
    statements = [replace(row, payload=row.payload + b" ") for row in good.statements]
    hashes = [replace(row, hash=bytes(32)) for row in good.leaves]
    for wrong in (replace(good, statements=statements), replace(good, leaves=hashes)):
        with pytest.raises(IntegrityBroken, match="follow"):
            await store.append(wrong)
    await store.close()
