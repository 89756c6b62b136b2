# SPDX-License-Identifier: Apache-2.0
"""Go's own ``sumdb/note`` and ``sumdb/tlog`` read our log, as they read Go's checksum database.

``pymerkle``, which shares no code with either, gives the same roots.
"""

from pathlib import Path

import pytest
from pymerkle import InmemoryTree

from app.core.log.checkpoint import Checkpoint, sign_checkpoint
from app.core.log.merkle import HashAt, leaf_hash, node_hash, root_of
from app.core.log.tile import ENTRIES, FULL, Tile, encode_entries, tile_bytes
from tests.golang import read_by_go, tiles_of, write_tiles
from tests.logs import LOG, records

SIZES = (1, 2, 13, 255, 256, 257, 511)
LARGE = (65_536, 70_000)
LARGE_STEP = 499


def written(entries: list[bytes], folder: Path) -> None:
    """Write a log as the files that its URLs name."""
    hashes = [leaf_hash(one) for one in entries]
    size, hash_at = len(entries), subtrees(hashes)
    content = []
    for tile in tiles_of(size):
        first = tile.index * FULL
        bundle = entries[first : first + tile.width]
        data = encode_entries(bundle) if tile.level == ENTRIES else tile_bytes(tile, hash_at)
        content.append((tile, data))
    write_tiles(folder, content)
    checkpoint = Checkpoint(LOG.name, size, root_of(hashes))
    (folder / "checkpoint").write_bytes(sign_checkpoint(checkpoint, [LOG]))


def subtrees(hashes: list[bytes]) -> HashAt:
    """Hash every full subtree once, however large the log."""
    levels = [hashes]
    while len(levels[-1]) > 1:
        below = levels[-1]
        pairs = zip(below[::2], below[1::2], strict=False)
        levels.append([node_hash(left, right) for left, right in pairs])
    return lambda level, index: levels[level][index]


@pytest.mark.parametrize("size", SIZES)
def test_go_reads_checkpoints_tiles_and_every_proof(
    size: int, go_reader: Path, tmp_path: Path
) -> None:
    entries = records(size)
    written(entries, tmp_path)
    done = read_by_go(go_reader, tmp_path, LOG.verifier.to_vkey())
    assert done.stdout.split() == [str(size), LOG.name, str(size)], done.stdout
    last = Tile(ENTRIES, (size - 1) // FULL, (size - 1) % FULL + 1)
    forged = [*entries[:-1], b"another record"][last.index * FULL :]
    (tmp_path / last.path()).write_bytes(encode_entries(forged))
    assert read_by_go(go_reader, tmp_path, LOG.verifier.to_vkey()).returncode == 1


@pytest.mark.parametrize("size", LARGE)
def test_go_reads_a_log_of_three_levels_of_tiles(
    size: int, go_reader: Path, tmp_path: Path
) -> None:
    written(records(size), tmp_path)
    done = read_by_go(go_reader, tmp_path, LOG.verifier.to_vkey(), step=LARGE_STEP)
    proven = len(range(0, size - 1, LARGE_STEP)) + 1
    assert done.stdout.split() == [str(size), LOG.name, str(proven)], done.stdout
    assert (tmp_path / "tile" / "2").is_dir()


@pytest.mark.parametrize("size", SIZES)
def test_pymerkle_gives_the_same_root(size: int) -> None:
    entries = records(size)
    tree = InmemoryTree.init_from_entries(entries, algorithm="sha256")
    assert tree.get_size() == size
    assert tree.get_root() == root_of([leaf_hash(one) for one in entries])
