# SPDX-License-Identifier: Apache-2.0
"""How many tiles a proof takes to read, from the store and from outside, however large the log."""

import random
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cache

import pytest
from typing_extensions import override

from app.core.log.merkle import Frontier, inclusion_proof, node_hash, verify_inclusion
from app.core.log.tile import FULL, HEIGHT, Tile, hash_at_from_tiles
from app.service.read_log import LogReader
from app.service.tree import Tree
from tests.fakes import MemoryStore

BESIDE_THE_FRONTIER = 3
THROUGH_PUBLIC_TILES = 5
LEAF = bytes(range(32))
# Around every tile border up to a million leaves, and anywhere between.
SIZES = sorted(
    {near + by for near in (1, FULL, 2 * FULL, FULL**2, 2 * FULL**2) for by in (-1, 0, 1)} - {0}
    | {70_000, 999_999, 1_000_000}
    | set(random.Random(5).sample(range(1, 1_000_000), 40))
)


@cache
def hash_of(level: int) -> bytes:
    """Return the root over ``2**level`` leaves that are all the same."""
    return LEAF if level == 0 else node_hash(hash_of(level - 1), hash_of(level - 1))


@dataclass(slots=True)
class SameLeaves(MemoryStore):
    """A log of any size without the memory: all its leaves are the same, so all tiles are known."""

    asked: list[tuple[int, int]] = field(default_factory=list)

    @override
    async def tiles(self, names: Collection[tuple[int, int]]) -> Mapping[tuple[int, int], bytes]:
        self.asked += names
        return {(level, index): hash_of(level * HEIGHT) * FULL for level, index in names}


def tree_of(size: int) -> Tree:
    edge = []
    hashes, level = size, 0
    while hashes:
        edge.append((hash_of(level * HEIGHT),) * (hashes % FULL))
        hashes, level = hashes // FULL, level + 1
    return Tree(Frontier.load(size, lambda level, _index: hash_of(level)), tuple(edge))


def indices_of(size: int) -> set[int]:
    rng = random.Random(size)
    last_full = size - size % FULL
    borders = {0, size - 1, size // 2, last_full, last_full - 1}
    return {one for one in borders if 0 <= one < size} | {rng.randrange(size) for _ in range(5)}


@pytest.mark.parametrize("size", [*SIZES, 2**24 + 1, 2**32 - 1])
async def test_a_proof_reads_three_tiles_beside_the_frontier(size: int) -> None:
    tree = tree_of(size)
    for index in indices_of(size):
        store = SameLeaves()  # and a reader that remembers nothing yet
        proof = await LogReader(store).inclusion(tree, index)
        verify_inclusion(LEAF, index=index, size=size, proof=proof, root=tree.root())
        assert len(store.asked) <= BESIDE_THE_FRONTIER


@pytest.mark.parametrize("size", SIZES)
def test_a_proof_from_outside_reads_five_tiles(size: int) -> None:
    root = tree_of(size).root()
    for index in indices_of(size):
        read: set[Tile] = set()

        def tile(one: Tile, read: set[Tile] = read) -> bytes:
            read.add(one)
            return hash_of(one.level * HEIGHT) * one.width

        proof = inclusion_proof(index, size, hash_at_from_tiles(tile, size))
        verify_inclusion(LEAF, index=index, size=size, proof=proof, root=root)
        assert len(read) <= THROUGH_PUBLIC_TILES


@pytest.mark.parametrize("now", [70_001, 1_000_000, 2**24])
async def test_a_proof_in_an_older_tree_reads_five_tiles_however_the_log_has_grown(
    now: int,
) -> None:
    store, tree, then = SameLeaves(), tree_of(now), 70_000
    proof = await LogReader(store).inclusion(tree, 5, size=then)
    root = tree_of(then).root()
    verify_inclusion(LEAF, index=5, size=then, proof=proof, root=root)
    assert len(store.asked) <= THROUGH_PUBLIC_TILES
