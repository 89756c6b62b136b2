# SPDX-License-Identifier: Apache-2.0
"""A whole small log that Tessera wrote: its tree, and every proof between its sizes."""

import re
from pathlib import Path

import pytest

from app.core.log.checkpoint import Checkpoint, open_checkpoint, sign_checkpoint
from app.core.log.merkle import (
    Frontier,
    consistency_proof,
    inclusion_proof,
    leaf_hash,
    verify_consistency,
    verify_inclusion,
)
from app.core.log.note import NoteSigner, NoteVerifier, parse_skey, parse_vkey
from app.core.log.tile import (
    ENTRIES,
    Tile,
    decode_entries,
    encode_entries,
    hash_at_from_tiles,
    parse_tile_path,
    tile_bytes,
)

SIZE = 15


@pytest.fixture(scope="module")
def log(vectors_dir: Path) -> Path:
    return vectors_dir / "tessera-log"


@pytest.fixture(scope="module")
def keys(log: Path) -> tuple[NoteSigner, NoteVerifier]:
    script = (log / "build_log.sh").read_text()
    found = dict(re.findall(r'LOG_(PRIVATE|PUBLIC)_KEY="([^"]+)"', script))
    return parse_skey(found["PRIVATE"]), parse_vkey(found["PUBLIC"])


@pytest.fixture(scope="module")
def checkpoints(log: Path, keys: tuple[NoteSigner, NoteVerifier]) -> list[Checkpoint]:
    _, verifier = keys
    files = [log / f"checkpoint.{size}" for size in range(SIZE + 1)]
    return [open_checkpoint(f.read_bytes(), verifier, origin=verifier.name) for f in files]


def test_keys_of_the_log_belong_together(keys: tuple[NoteSigner, NoteVerifier]) -> None:
    signer, verifier = keys
    assert signer.verifier == verifier
    assert signer.to_skey().endswith("AeymY/SZAX0jZcJ8enZ5FY1Dz+wTML2yWSkK+9DSF3eg")


def test_every_checkpoint_is_what_we_would_have_signed(
    log: Path, keys: tuple[NoteSigner, NoteVerifier], checkpoints: list[Checkpoint]
) -> None:
    signer, _ = keys
    for size, checkpoint in enumerate(checkpoints):
        assert checkpoint.size == size
        signed = sign_checkpoint(checkpoint, [signer])
        assert signed == (log / f"checkpoint.{size}").read_bytes()


def test_entries_tiles_and_roots_agree_at_every_size(
    log: Path, checkpoints: list[Checkpoint]
) -> None:
    frontier = Frontier()
    for size in range(1, SIZE + 1):
        bundle = (log / Tile(ENTRIES, 0, size).path()).read_bytes()
        records = decode_entries(bundle)
        assert encode_entries(records) == bundle
        frontier = frontier.append(leaf_hash(records[-1]))
        assert frontier.root() == checkpoints[size].root
        tile = (log / Tile(0, 0, size).path()).read_bytes()
        assert tile == b"".join(map(leaf_hash, records))


def test_every_proof_from_its_tiles_verifies(log: Path, checkpoints: list[Checkpoint]) -> None:
    records = decode_entries((log / Tile(ENTRIES, 0, SIZE).path()).read_bytes())
    for new in checkpoints[1:]:
        hash_at = hash_at_from_tiles(lambda tile: (log / tile.path()).read_bytes(), new.size)
        assert Frontier.load(new.size, hash_at).root() == new.root
        assert tile_bytes(Tile(0, 0, new.size), hash_at)
        for index in range(new.size):
            proof = inclusion_proof(index, new.size, hash_at)
            verify_inclusion(
                leaf_hash(records[index]), index=index, size=new.size, proof=proof, root=new.root
            )
        for old in checkpoints[: new.size + 1]:
            verify_consistency(
                old_size=old.size,
                old_root=old.root,
                new_size=new.size,
                new_root=new.root,
                proof=consistency_proof(old.size, new.size, hash_at),
            )


def test_every_path_of_the_log_is_read(log: Path) -> None:
    paths = [p.relative_to(log).as_posix() for p in (log / "tile").rglob("*") if p.is_file()]
    assert len(paths) == 2 * SIZE
    assert [parse_tile_path(path).path() for path in paths] == paths
