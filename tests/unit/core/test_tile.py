# SPDX-License-Identifier: Apache-2.0
"""Tiles and entry bundles are cut as C2SP tlog-tiles says."""

from itertools import pairwise

import pytest

from app.core.errors import IntegrityBroken, MalformedDocument, TooLarge
from app.core.log.merkle import inclusion_proof, leaf_hash, root_of, verify_inclusion
from app.core.log.tile import (
    ENTRIES,
    FULL,
    MAX_RECORD_BYTES,
    Tile,
    available_width,
    completed_tiles,
    decode_entries,
    encode_entries,
    hash_at_from_tiles,
    parse_tile_path,
    partial_tiles,
    tile_bytes,
)

LEAVES = tuple(leaf_hash(i.to_bytes(2, "big")) for i in range(600))


def hash_at(level: int, index: int) -> bytes:
    return root_of(LEAVES[index << level : (index + 1) << level])


@pytest.mark.parametrize(
    ("tile", "path"),
    [
        (Tile(0, 0), "tile/0/000"),
        (Tile(0, 1234067), "tile/0/x001/x234/067"),
        (Tile(0, 1000), "tile/0/x001/000"),
        (Tile(63, 999, 255), "tile/63/999.p/255"),
        (Tile(2, 1234, 5), "tile/2/x001/234.p/5"),
        (Tile(ENTRIES, 273, 112), "tile/entries/273.p/112"),
    ],
)
def test_tile_path_has_one_spelling(tile: Tile, path: str) -> None:
    assert tile.path() == path
    assert parse_tile_path(path) == tile


@pytest.mark.parametrize(
    "path",
    [
        "",
        "tile/0/0",
        "tile/00/000",
        "tile/64/000",
        "tile/0/x000/001",
        "tile/0/001/002",
        "tile/0/000.p/0",
        "tile/0/000.p/01",
        "tile/0/000.p/256",
        "tile/0/000.p/257",
        "tile/0/000\n",
        "tile/-1/000",
        "tile/0/\u0660\u0660\u0660",
        "/tile/0/000",
        "tile/0/" + "x001/" * 7 + "000",
    ],
)
def test_tile_path_in_another_spelling_is_refused(path: str) -> None:
    with pytest.raises(MalformedDocument) as caught:
        parse_tile_path(path)
    assert caught.value.code == "tile-path"


def test_tree_of_70000_is_cut_as_the_specification_says() -> None:
    full = completed_tiles(0, 70_000)
    assert [sum(tile.level == level for tile in full) for level in range(3)] == [273, 1, 0]
    assert partial_tiles(70_000) == (Tile(0, 273, 112), Tile(1, 1, 17), Tile(2, 0, 1))


def test_tree_of_256_is_one_full_tile_and_one_partial_tile_of_width_one() -> None:
    assert completed_tiles(255, 256) == (Tile(0, 0),)
    assert partial_tiles(256) == (Tile(1, 0, 1),)
    assert completed_tiles(256, 511) == ()
    assert partial_tiles(0) == ()


def test_growth_completes_each_tile_once() -> None:
    whole = completed_tiles(0, 200_000)
    steps = [*range(0, 200_000, 777), 200_000]
    pieces = [tile for a, b in pairwise(steps) for tile in completed_tiles(a, b)]
    assert sorted(pieces, key=Tile.path) == sorted(whole, key=Tile.path)


@pytest.mark.parametrize(
    ("level", "index", "size", "width"),
    [
        (0, 0, 0, 0),
        (0, 0, 255, 255),
        (0, 0, 300, 256),
        (0, 1, 300, 44),
        (1, 0, 300, 1),
        (1, 1, 300, 0),
        (ENTRIES, 1, 300, 44),
    ],
)
def test_width_of_a_tile_follows_from_the_size(
    level: int, index: int, size: int, width: int
) -> None:
    assert available_width(level, index, size) == width
    assert Tile(level, index, max(width, 1)).is_in(size) == (width > 0)
    assert not Tile(level, index, width + 1).is_in(size)


@pytest.mark.parametrize("size", [1, 255, 256, 257, 511, 512, 600])
def test_tree_read_from_tiles_is_the_tree(size: int) -> None:
    tiles = {tile: tile_bytes(tile, hash_at) for tile in completed_tiles(0, size)}
    tiles |= {tile: tile_bytes(tile, hash_at) for tile in partial_tiles(size)}
    reader = hash_at_from_tiles(tiles.__getitem__, size)
    for index in {0, size // 2, size - 1}:
        proof = inclusion_proof(index, size, reader)
        verify_inclusion(
            LEAVES[index], index=index, size=size, proof=proof, root=root_of(LEAVES[:size])
        )


@pytest.mark.parametrize("data", [b"", bytes(31), bytes(64)])
def test_tile_of_another_length_is_damage(data: bytes) -> None:
    with pytest.raises(IntegrityBroken) as caught:
        hash_at_from_tiles(lambda _: data, 1)(0, 0)
    assert caught.value.code == "tile"


def test_subtree_beyond_the_tree_is_damage() -> None:
    with pytest.raises(IntegrityBroken):
        hash_at_from_tiles(lambda tile: bytes(32 * tile.width), 3)(1, 1)


def test_entry_bundle_comes_back() -> None:
    records = (b"", b"one", bytes(MAX_RECORD_BYTES))
    data = encode_entries(records)
    assert data.startswith(b"\0\0\0\3one\xff\xff")
    assert decode_entries(data) == records
    assert decode_entries(b"") == ()


def test_record_over_the_limit_is_too_large() -> None:
    with pytest.raises(TooLarge) as caught:
        encode_entries([bytes(MAX_RECORD_BYTES + 1)])
    assert caught.value.code == "leaf-too-large"


@pytest.mark.parametrize("data", [b"\0", b"\0\1", b"\0\3on", b"\0\0\0"])
def test_entry_bundle_that_ends_inside_a_record_is_malformed(data: bytes) -> None:
    with pytest.raises(MalformedDocument) as caught:
        decode_entries(data)
    assert caught.value.code == "entry-bundle"


def test_full_tile_has_8192_bytes() -> None:
    assert len(tile_bytes(Tile(0, 1), hash_at)) == FULL * 32 == 8192
