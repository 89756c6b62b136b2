# SPDX-License-Identifier: Apache-2.0
"""Whatever tile is not the one under the signed root is refused by its first wrong index."""

from collections.abc import Callable, Mapping
from functools import cache

import pytest

from app.core.errors import IntegrityBroken
from app.core.log.checkpoint import Checkpoint
from app.core.log.merkle import HASH_BYTES, Frontier, leaf_hash, root_of
from app.core.log.proven_tiles import ProvenTiles
from app.core.log.tile import ENTRIES, FULL, Tile, encode_entries

SIZE = 70_000
"""A full tile of level 1, and partial ones of three levels."""


def records(index: int) -> list[bytes]:
    return [b"%d" % n for n in range(index * FULL, min((index + 1) * FULL, SIZE))]


@cache
def levels() -> tuple[tuple[bytes, ...], ...]:
    found = [tuple(leaf_hash(b"%d" % n) for n in range(SIZE))]
    while len(found[-1]) >= FULL:
        full = range(0, len(found[-1]) - FULL + 1, FULL)
        found.append(tuple(root_of(found[-1][at : at + FULL]) for at in full))
    return tuple(found)


@cache
def root() -> bytes:
    return root_of(levels()[0])


def read(tile: Tile) -> bytes:
    if tile.level == ENTRIES:
        return encode_entries(records(tile.index))
    first = tile.index * FULL
    return b"".join(levels()[tile.level][first : first + tile.width])


def altered(changes: Mapping[tuple[int, int], int]) -> Callable[[Tile], bytes]:
    """Turn a bit of one hash (or, of a bundle, one byte) of each tile that is named."""

    def reading(tile: Tile) -> bytes:
        data = read(tile)
        place = changes.get((tile.level, tile.index))
        if place is None:
            return data
        at = place if tile.level == ENTRIES else place * HASH_BYTES
        return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]

    return reading


def opened(reading: Callable[[Tile], bytes] = read) -> ProvenTiles:
    return ProvenTiles(reading, Checkpoint("log.example", SIZE, root()))


def test_every_tile_of_the_tree_is_given_and_the_way_to_it_is_read_once() -> None:
    asked: list[Tile] = []

    def noted(tile: Tile) -> bytes:
        asked.append(tile)
        return read(tile)

    tiles = opened(noted)
    for index in range(-(-SIZE // FULL)):
        first = index * FULL
        assert tiles.hashes(index) == levels()[0][first : first + FULL]
    assert len(asked) == len(set(asked))
    assert tiles.records(3) == tuple(records(3))


@pytest.mark.parametrize("size", [0, 1, 255, 256, 65_535, 65_536, 65_537, SIZE])
def test_the_frontier_of_an_older_size_is_proven(size: int) -> None:
    assert opened().frontier(size) == Frontier().extend(levels()[0][:size])


@pytest.mark.parametrize(
    ("level", "index", "place", "wrong"),
    [
        (0, 7, 9, 7 * FULL + 9),
        (0, 260, 0, 260 * FULL),
        (1, 0, 5, 0),  # the tiles below it were not asked for
    ],
)
def test_r07_a_full_tile_that_is_not_below_the_root_names_the_index(
    level: int, index: int, place: int, wrong: int
) -> None:
    tiles = opened(altered({(level, index): place}))
    with pytest.raises(IntegrityBroken) as caught:
        tiles.hashes(index if level == 0 else 0)
    assert f"index {wrong}:" in caught.value.detail


@pytest.mark.parametrize(
    ("changes", "wrong"),
    [
        ({(2, 0): 0}, 0),
        ({(1, 1): 3}, 65_536 + 3 * FULL),
        # More than one: the first of them is named.
        ({(0, 273): 20, (0, 4): 2}, 4 * FULL + 2),
        ({(0, 273): 20, (ENTRIES, 4): 2}, 4 * FULL),
    ],
)
def test_r07_an_edge_that_does_not_lead_to_the_root_names_the_first_index(
    changes: Mapping[tuple[int, int], int], wrong: int
) -> None:
    with pytest.raises(IntegrityBroken) as caught:
        opened(altered(changes))
    assert caught.value.code == "tile"
    assert f"index {wrong}:" in caught.value.detail


def test_r16_a_whole_tree_under_another_root_is_wrong_from_what_was_never_seen() -> None:
    with pytest.raises(IntegrityBroken) as caught:
        ProvenTiles(read, Checkpoint("log.example", SIZE, bytes(32)), trusted=600)
    assert "index 600: from there on" in caught.value.detail


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        (lambda data: data[:-1], 0),
        (lambda data: data[: len(data) // 2], 128),
        (lambda data: data + data[:5], 256),
    ],
)
def test_r07_a_bundle_that_has_not_its_width_names_what_it_lacks(
    change: Callable[[bytes], bytes], wrong: int
) -> None:
    tiles = opened(lambda tile: change(read(tile)) if tile.level == ENTRIES else read(tile))
    with pytest.raises(IntegrityBroken) as caught:
        tiles.records(1)
    assert f"index {256 + wrong}:" in caught.value.detail


def test_r07_a_tile_that_has_not_its_width_names_where_it_begins() -> None:
    with pytest.raises(IntegrityBroken) as caught:
        opened(lambda tile: read(tile)[:-1])
    assert "index 69888:" in caught.value.detail
