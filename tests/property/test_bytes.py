# SPDX-License-Identifier: Apache-2.0
"""The bytes hold for every input: canonical form, envelopes, the tree, its tiles and its texts."""

import json
from itertools import accumulate, pairwise

import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from app.core.canonical import MAX_INTEGER, canonical, parse_canonical, parse_strict
from app.core.digest import from_base64, to_base64
from app.core.errors import FairtrialError, MalformedDocument
from app.core.log.checkpoint import Checkpoint, parse_checkpoint
from app.core.log.leaf import parse_leaf
from app.core.log.merkle import (
    EMPTY_ROOT,
    Frontier,
    consistency_proof,
    inclusion_proof,
    leaf_hash,
    node_hash,
    root_of,
    verify_consistency,
    verify_inclusion,
)
from app.core.log.note import parse_note, parse_skey, parse_vkey
from app.core.log.proof import parse_proof
from app.core.log.tile import (
    Tile,
    completed_tiles,
    decode_entries,
    encode_entries,
    hash_at_from_tiles,
    parse_tile_path,
    partial_tiles,
    tile_bytes,
)
from app.core.signing.envelope import parse_envelope
from app.core.signing.keys import ed25519_public_key, p256_signing_key, parse_public_key

STRINGS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
SCALARS = st.none() | st.booleans() | st.integers(-MAX_INTEGER, MAX_INTEGER) | STRINGS
VALUES: st.SearchStrategy[object] = st.recursive(
    SCALARS, lambda inner: st.lists(inner) | st.dictionaries(STRINGS, inner), max_leaves=30
)
LEAVES = tuple(leaf_hash(i.to_bytes(2, "big")) for i in range(2000))
EC = p256_signing_key(b"property").public


def naive_root(leaves: tuple[bytes, ...]) -> bytes:
    """Return the root as RFC 6962, 2.1 defines it, word for word."""
    if not leaves:
        return EMPTY_ROOT
    if len(leaves) == 1:
        return leaves[0]
    k = 1
    while 2 * k < len(leaves):
        k *= 2
    return node_hash(naive_root(leaves[:k]), naive_root(leaves[k:]))


def hash_at(level: int, index: int) -> bytes:
    return root_of(LEAVES[index << level : (index + 1) << level])


@given(VALUES)
def test_canonical_form_is_the_library_s_and_comes_back(value: object) -> None:
    data = canonical(value)
    assert data == rfc8785.dumps(value)  # type: ignore[arg-type]
    assert parse_canonical(data) == value


@given(VALUES, st.booleans(), st.sampled_from([None, 0, 3]))
def test_any_spelling_has_one_canonical_form(value: object, ascii_only: bool, indent: int) -> None:
    spelling = json.dumps(value, ensure_ascii=ascii_only, indent=indent).encode()
    assert canonical(parse_strict(spelling)) == canonical(value)


@given(st.binary() | st.text().map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_strict_reader_reads_or_refuses_and_never_fails_otherwise(data: bytes) -> None:
    try:
        value = parse_strict(data)
    except FairtrialError:
        return
    assert parse_strict(canonical(value)) == value


@given(st.text(alphabet='[]{}",:\\u0d8-1e.NaN ', max_size=60))
def test_strict_reader_agrees_with_json_where_both_read(text: str) -> None:
    try:
        value = parse_strict(text.encode())
    except FairtrialError:
        return
    assert json.loads(text) == value


@given(st.binary(max_size=200))
def test_base64_has_one_spelling(data: bytes) -> None:
    text = to_base64(data)
    assert from_base64(text) == data
    for i in range(len(text)):
        other = text[:i] + ("A" if text[i] != "A" else "B") + text[i + 1 :]
        try:
            assert from_base64(other) != data
        except MalformedDocument:
            continue


READERS = (
    parse_envelope,
    parse_leaf,
    parse_note,
    parse_proof,
    parse_public_key,
    decode_entries,
    lambda data: parse_vkey(data.decode("latin-1")),
    lambda data: parse_skey(data.decode("latin-1")),
    lambda data: parse_checkpoint(data.decode("latin-1")),
    lambda data: parse_tile_path(data.decode("latin-1")),
)
PIECES = st.sampled_from(
    [
        b"\n",
        b"\n\n",
        "\u2014 ".encode(),
        b"+",
        b"7",
        b"AAAA",
        b"==",
        b"{}",
        b'{"payload":"","payloadType":"","signatures":[{"keyid":"a","sig":""}]}',
        b"c2sp.org/tlog-proof@v1\nindex 1\n",
        b"-----BEGIN PUBLIC KEY-----\n",
        b"ssh-ed25519 AAAA",
        b"tile/0/000",
        b"\xff",
    ]
)


@given(st.lists(PIECES | st.binary(max_size=8), max_size=8).map(b"".join))
def test_every_reader_raises_core_errors_only(data: bytes) -> None:
    for read in READERS:
        try:
            read(data)
        except FairtrialError:
            continue


@given(st.binary(max_size=80), st.binary(min_size=32, max_size=32), st.binary(max_size=80))
def test_verifying_anything_is_false_and_never_fails(
    signature: bytes, key: bytes, message: bytes
) -> None:
    assert not ed25519_public_key(key).verify(signature, message)
    assert not EC.verify(signature, message)


@given(st.integers(0, 300))
def test_root_is_the_recursion_of_the_rfc(size: int) -> None:
    assert root_of(LEAVES[:size]) == naive_root(LEAVES[:size])


@given(st.lists(st.integers(0, 60), max_size=12))
def test_frontier_grown_in_any_batches_is_the_same(batches: list[int]) -> None:
    frontier = Frontier()
    for start, end in pairwise(accumulate(batches, initial=0)):
        frontier = frontier.extend(LEAVES[start:end])
        assert frontier == Frontier.load(end, hash_at)
    assert frontier.root() == naive_root(LEAVES[: sum(batches)])


@given(st.data(), st.integers(1, len(LEAVES)))
def test_proofs_from_tiles_verify_and_each_flipped_bit_is_noticed(
    data: st.DataObject, size: int
) -> None:
    tiles = {t: tile_bytes(t, hash_at) for t in (*completed_tiles(0, size), *partial_tiles(size))}
    reader = hash_at_from_tiles(tiles.__getitem__, size)
    index, old = data.draw(st.integers(0, size - 1)), data.draw(st.integers(1, size))
    root, old_root = root_of(LEAVES[:size]), root_of(LEAVES[:old])

    def included(path: tuple[bytes, ...]) -> None:
        verify_inclusion(LEAVES[index], index=index, size=size, proof=path, root=root)

    def consistent(path: tuple[bytes, ...]) -> None:
        verify_consistency(
            old_size=old, old_root=old_root, new_size=size, new_root=root, proof=path
        )

    for verify, path in (
        (included, inclusion_proof(index, size, reader)),
        (consistent, consistency_proof(old, size, reader)),
    ):
        verify(path)
        for i, item in enumerate(path):
            flipped = bytes([item[0] ^ 1]) + item[1:]
            try:
                verify((*path[:i], flipped, *path[i + 1 :]))
            except FairtrialError:
                continue
            raise AssertionError(i)


@given(st.lists(st.integers(0, 70_000), min_size=1).map(sorted))
def test_growth_in_any_steps_completes_each_tile_once(sizes: list[int]) -> None:
    steps = [0, *sizes]
    pieces = [tile for a, b in pairwise(steps) for tile in completed_tiles(a, b)]
    assert len(pieces) == len(set(pieces))
    assert set(pieces) == set(completed_tiles(0, sizes[-1]))
    assert all(tile.is_in(sizes[-1]) for tile in (*pieces, *partial_tiles(sizes[-1])))


@given(st.integers(0, 63), st.integers(0, 10**18), st.integers(1, 256))
def test_tile_path_comes_back(level: int, index: int, width: int) -> None:
    tile = Tile(level, index, width)
    assert parse_tile_path(tile.path()) == tile


@given(st.lists(st.binary(max_size=300)))
def test_entry_bundle_comes_back(records: list[bytes]) -> None:
    assert decode_entries(encode_entries(records)) == tuple(records)


@given(st.integers(1, 2**63 - 1), st.binary(min_size=32, max_size=32))
def test_checkpoint_comes_back(size: int, root: bytes) -> None:
    checkpoint = Checkpoint("ledger.example/spark", size, root)
    assert parse_checkpoint(checkpoint.to_text()) == checkpoint
