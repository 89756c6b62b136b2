# SPDX-License-Identifier: Apache-2.0
"""The growing tree, and the log read back from tiles: against the plain tree over all leaves."""

from dataclasses import replace

import pytest

from app.core.digest import sha256
from app.core.errors import IntegrityBroken, UnknownThing
from app.core.log.merkle import inclusion_proof, leaf_hash, root_of, verify_inclusion
from app.core.log.tile import ENTRIES, Tile, completed_tiles, decode_entries, partial_tiles
from app.service.ports import LeafRow
from app.service.read_log import LogReader
from app.service.tree import Tree, hash_at_of, load_tree
from tests.fakes import MemoryStore

BATCHES = (1, 2, 5, 248, 1, 255, 256, 257, 700, 3)
SIZE = sum(BATCHES)


def leaf(index: int) -> LeafRow:
    record = f"record {index}".encode()
    return LeafRow(
        index=index,
        record=record,
        hash=leaf_hash(record),
        statement="",
        kind="key",
        line="ledger",
        seq=index,
        at_us=0,
    )


LEAVES = [leaf(index) for index in range(SIZE)]
HASHES = [row.hash for row in LEAVES]


def grown() -> tuple[Tree, MemoryStore]:
    tree, store = Tree(), MemoryStore()
    for count in BATCHES:
        added = HASHES[tree.size : tree.size + count]
        old, (tree, tiles) = tree, tree.grow(added)
        store.tables.tiles |= {(tile.level, tile.index): tile.data for tile in tiles}
        hash_at = hash_at_of(old.frontier, added)
        for index in {old.size, old.size + count // 2, tree.size - 1}:
            proof = inclusion_proof(index, tree.size, hash_at)
            verify_inclusion(
                HASHES[index], index=index, size=tree.size, proof=proof, root=tree.root()
            )
    store.tables.leaves = list(LEAVES)
    return tree, store


def test_grown_tree_is_the_plain_one_and_completes_exactly_its_tiles() -> None:
    tree, store = grown()
    assert (tree.size, tree.root()) == (SIZE, root_of(HASHES))
    assert set(store.tables.tiles) == {(t.level, t.index) for t in completed_tiles(0, SIZE)}


def test_tree_of_more_than_a_tile_of_tiles_completes_the_level_above() -> None:
    hashes = [sha256(str(index).encode()) for index in range(256 * 256 + 3)]
    tree, tiles = Tree().grow(hashes)
    assert [(t.level, t.index) for t in tiles if t.level == 1] == [(1, 0)]
    assert [len(part) for part in tree.edge] == [3, 0, 1]
    assert tree.root() == root_of(hashes)


@pytest.mark.parametrize("size", [0, 1, 255, 256, 257, 511, 512, SIZE])
async def test_tree_that_is_read_back_grows_like_the_one_that_was_kept(size: int) -> None:
    _, store = grown()
    kept, _ = Tree().grow(HASHES[:size])
    read = await load_tree(store, size)
    assert read.frontier == kept.frontier
    more = [sha256(b"more")] * 300
    assert read.grow(more)[1] == kept.grow(more)[1]
    assert read.grow(more)[0].root() == kept.grow(more)[0].root()


async def test_missing_leaves_or_tiles_are_damage() -> None:
    _, store = grown()
    del store.tables.tiles[0, 1]
    with pytest.raises(IntegrityBroken) as broken:
        await load_tree(store, SIZE)
    assert broken.value.code == "tile"
    _, store = grown()
    store.tables.leaves = store.tables.leaves[:-1]
    with pytest.raises(IntegrityBroken):
        await load_tree(store, SIZE)


async def test_proofs_and_roots_are_read_from_tiles() -> None:
    tree, store = grown()
    log = LogReader(store)
    for index in (0, 1, 255, 256, 700, SIZE - 1):
        proof = await log.inclusion(tree, index)
        verify_inclusion(HASHES[index], index=index, size=SIZE, proof=proof, root=tree.root())
    for size in (0, 1, 256, 513, SIZE):
        assert await log.root_at(tree, size) == root_of(HASHES[:size]).hex()


async def test_tiles_and_entry_bundles_are_the_log_as_published() -> None:
    tree, store = grown()
    log = LogReader(store)
    assert await log.tile(tree, Tile(0, 0)) == b"".join(HASHES[:256])
    assert await log.tile(tree, Tile(0, 1, 7)) == b"".join(HASHES[256:263])
    for tile in partial_tiles(SIZE):
        data = await log.tile(tree, tile)
        assert len(data) == 32 * tile.width
        if tile.level == 1:
            assert data == b"".join(
                root_of(HASHES[i * 256 : i * 256 + 256]) for i in range(tile.width)
            )
    bundle = await log.tile(tree, Tile(ENTRIES, 1, 5))
    assert decode_entries(bundle) == tuple(row.record for row in LEAVES[256:261])


async def test_tile_the_tree_does_not_have_yet_is_unknown_and_a_lost_one_is_damage() -> None:
    tree, store = grown()
    log = LogReader(store)
    with pytest.raises(UnknownThing) as unknown:
        await log.tile(tree, replace(partial_tiles(SIZE)[0], width=256))
    assert unknown.value.code == "unknown-tile"
    store.tables.tiles.clear()
    with pytest.raises(IntegrityBroken):
        await log.tile(tree, Tile(0, 0))
