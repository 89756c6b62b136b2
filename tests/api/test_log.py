# SPDX-License-Identifier: Apache-2.0
"""The log as a stranger reads it: C2SP tiles and texts over HTTP, proofs whose sizes are paths."""

import gzip

import pytest

from app.core.digest import from_base64, sha256_hex
from app.core.log.checkpoint import open_checkpoint
from app.core.log.leaf import parse_leaf
from app.core.log.merkle import (
    leaf_hash,
    root_of,
    verify_consistency,
    verify_inclusion,
)
from app.core.log.note import NoteVerifier
from app.core.log.proof import parse_proof, verify_proof
from app.core.log.tile import Tile, decode_entries, hash_at_from_tiles, partial_tiles
from tests.api.world import World
from tests.drafts import ORIGIN, signing_key

LOG = NoteVerifier(ORIGIN, signing_key("checkpoint").public)
FOREVER = "public, max-age=31536000, immutable"


async def size_of(world: World) -> int:
    data = (await world.client.get("/log/checkpoint")).content
    return open_checkpoint(data, LOG, origin=ORIGIN).size


async def hashes(world: World, size: int) -> list[bytes]:
    data = (await world.client.get(f"/log/tile/0/000.p/{size}")).content
    return [data[i : i + 32] for i in range(0, len(data), 32)]


@pytest.fixture
def log(world: World) -> World:
    """Return a log of a few entries."""
    return world


async def test_tiles_and_entries_lead_to_the_signed_root(log: World) -> None:
    data = (await log.client.get("/log/checkpoint")).content
    checkpoint = open_checkpoint(data, LOG, origin=ORIGIN)
    tiles = {}
    for tile in partial_tiles(checkpoint.size):
        answer = await log.client.get(f"/log/{tile.path()}")
        assert answer.headers["content-type"] == "application/octet-stream"
        assert answer.headers["cache-control"] == FOREVER
        tiles[tile] = answer.content
    hash_at = hash_at_from_tiles(tiles.__getitem__, checkpoint.size)
    leaves = [hash_at(0, index) for index in range(checkpoint.size)]
    assert root_of(leaves) == checkpoint.root
    entries = await log.client.get(f"/log/{Tile(-1, 0, checkpoint.size).path()}")
    records = decode_entries(entries.content)
    assert [leaf_hash(record) for record in records] == leaves
    assert parse_leaf(records[0]).kind == "genesis"


async def test_the_checkpoint_is_text_and_never_kept_unasked(log: World) -> None:
    answer = await log.client.get("/log/checkpoint")
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    assert answer.headers["cache-control"] == "no-cache"


async def test_a_partial_tile_of_a_smaller_size_stays_served(log: World) -> None:
    """Its width names its content; whoever verified that checkpoint may still ask for it."""
    size = await size_of(log)
    whole = (await log.client.get(f"/log/tile/0/000.p/{size}")).content
    for width in range(1, size):
        part = await log.client.get(f"/log/tile/0/000.p/{width}")
        assert part.content == whole[: 32 * width]
    for path in (f"0/000.p/{size + 1}", "0/000", "0/000.p/0", "1/000.p/1", "entries/000"):
        assert (await log.client.get(f"/log/tile/{path}")).status_code == 404


async def test_entry_bundles_are_compressed_for_those_who_say_that_they_take_it(log: World) -> None:
    path = f"/log/tile/entries/000.p/{await size_of(log)}"
    plain = await log.client.get(path, headers={"accept-encoding": "identity"})
    assert "content-encoding" not in plain.headers
    assert plain.headers["vary"] == "accept-encoding"
    async with log.client.stream("GET", path, headers={"accept-encoding": "br, gzip"}) as answer:
        raw = b"".join([chunk async for chunk in answer.aiter_raw()])
        assert answer.headers["content-encoding"] == "gzip"
        assert answer.headers["etag"] == f'"{sha256_hex(raw)}"' != plain.headers["etag"]
    assert gzip.decompress(raw) == plain.content
    for refusing in ("gzip;q=0", "br", "gzip;q=x"):
        answer = await log.client.get(path, headers={"accept-encoding": refusing})
        assert "content-encoding" not in answer.headers


async def test_s14_the_proof_of_a_statement_is_a_text_for_those_who_ask_for_one(log: World) -> None:
    entries = (await log.client.get("/v1/log/entries")).json()["entries"]
    for entry in entries:
        path = f"/v1/statements/{entry['statement']}/proof"
        text = await log.client.get(path, headers={"accept": "text/plain"})
        document = await log.client.get(path)
        assert text.headers["content-type"] == "text/plain; charset=utf-8"
        assert text.headers["vary"] == document.headers["vary"] == "accept"
        assert document.json()["tlog_proof"].encode() == text.content
        proof = parse_proof(text.content)
        leaf = leaf_hash(from_base64(entry["leaf"]))
        checkpoint = verify_proof(proof, leaf, LOG, origin=ORIGIN)
        assert (proof.index, checkpoint.size) == (entry["index"], len(entries))


@pytest.mark.parametrize(
    ("accept", "is_text"),
    [
        ("*/*", False),
        ("application/json", False),
        ("text/plain", True),
        ("text/plain, application/json;q=0.9", True),
        ("text/plain;q=0.5, application/json", False),
        ("text/plain;q=0, */*", False),
        ("text/plain;q=nan", False),
        ("text/html, text/plain;charset=utf-8", True),
    ],
)
async def test_who_takes_anything_gets_json(log: World, accept: str, is_text: bool) -> None:
    (first, *_) = (await log.client.get("/v1/log/entries")).json()["entries"]
    path = f"/v1/statements/{first['statement']}/proof"
    answer = await log.client.get(path, headers={"accept": accept})
    assert answer.headers["content-type"].startswith("text/plain") is is_text


async def test_r12_two_sizes_are_two_paths_and_two_answers_for_ever(log: World) -> None:
    size = await size_of(log)
    leaves = await hashes(log, size)
    seen = set()
    for new in range(1, size + 1):
        for old in range(1, new + 1):
            answer = await log.client.get(f"/v1/log/proof/consistency/{old}/{new}")
            assert answer.headers["cache-control"] == FOREVER
            assert answer.headers["etag"] not in seen
            seen.add(answer.headers["etag"])
            found = answer.json()
            assert found["old_root"] == root_of(leaves[:old]).hex()
            verify_consistency(
                old_size=old,
                old_root=root_of(leaves[:old]),
                new_size=new,
                new_root=root_of(leaves[:new]),
                proof=[bytes.fromhex(one) for one in found["proof"]],
            )


async def test_r12_every_leaf_is_proved_in_every_tree(log: World) -> None:
    size = await size_of(log)
    leaves = await hashes(log, size)
    for within in range(1, size + 1):
        for index in range(within):
            answer = await log.client.get(f"/v1/log/proof/inclusion/{index}/{within}")
            assert answer.headers["cache-control"] == FOREVER
            found = answer.json()
            assert found["leaf_hash"] == leaves[index].hex()
            verify_inclusion(
                leaves[index],
                index=index,
                size=within,
                proof=[bytes.fromhex(one) for one in found["proof"]],
                root=bytes.fromhex(found["root"]),
            )


@pytest.mark.parametrize(
    "path",
    ["inclusion/5/5", "inclusion/0/1000", "consistency/3/2", "consistency/1/1000"],
)
async def test_a_size_that_the_log_has_not_is_not_found(log: World, path: str) -> None:
    answer = await log.client.get(f"/v1/log/proof/{path}")
    assert (answer.status_code, answer.json()["code"]) == (404, "unknown-size")


@pytest.mark.parametrize(
    "path", ["inclusion/-1/5", "inclusion/0/0", "consistency/0/1", "consistency/1.0/2", "other/1/2"]
)
async def test_a_path_that_cannot_name_a_proof_is_not_found(log: World, path: str) -> None:
    assert (await log.client.get(f"/v1/log/proof/{path}")).status_code == 404


async def test_j17_head_and_tags_answer_for_proofs_too(log: World) -> None:
    path = f"/v1/log/proof/consistency/1/{await size_of(log)}"
    got, head = await log.client.get(path), await log.client.head(path)
    assert (head.status_code, head.content, head.headers["etag"]) == (200, b"", got.headers["etag"])
    again = await log.client.get(path, headers={"if-none-match": got.headers["etag"]})
    assert (again.status_code, again.headers["cache-control"]) == (304, FOREVER)


async def test_r16_a_ledger_that_names_no_witness_says_so(log: World) -> None:
    assert (await log.client.get("/v1/log/witnesses")).json() == {
        "size": await size_of(log),
        "named": 0,
        "cosigned": 0,
        "first_seen_outside": None,
        "witnesses": [],
    }
