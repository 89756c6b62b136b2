# SPDX-License-Identifier: Apache-2.0
"""Proofs are fetched and verified while writers append: every one of them holds.

``FAIRTRIAL_HAMMER_PROOFS`` says how many a database (`make hammer`: 10,000).
"""

import asyncio
import os
import sys
import time
from contextlib import suppress
from typing import Final

import httpx

from app.core.digest import from_base64
from app.core.log.checkpoint import Checkpoint
from app.core.log.leaf import parse_leaf
from app.core.log.merkle import leaf_hash, verify_consistency
from app.core.log.note import NoteVerifier
from app.core.log.proof import parse_proof, verify_proof
from tests.drafts import ORIGIN, signing_key
from tests.functional.arena import CHANCE, Arena, require_whole, until, working, write

PROOFS: Final = int(os.environ.get("FAIRTRIAL_HAMMER_PROOFS", "1000"))
WRITERS: Final = 4
READERS: Final = 4
LOG: Final = NoteVerifier(ORIGIN, signing_key("checkpoint").public)


async def test_r05_r17_every_proof_holds_while_writers_append(arena: Arena) -> None:
    async with working(arena) as workers:
        urls = [worker.url for worker in workers]
        writing = [asyncio.create_task(write(arena, urls[n % len(urls)])) for n in range(WRITERS)]
        await until(lambda: bool(arena.acknowledged), "a statement acknowledged")
        before, started = len(arena.acknowledged), time.monotonic()
        share = PROOFS // READERS
        reading = [_read(arena, urls[n % len(urls)], share) for n in range(READERS)]
        sizes = await asyncio.gather(*reading)
        grown, spent = len(arena.acknowledged) - before, time.monotonic() - started
        for task in writing:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
    proofs = sum(len(each) for each in sizes)
    assert proofs == share * READERS
    assert grown
    sys.stdout.write(f"{proofs} proofs held while {grown} were appended, {spent:.0f} s\n")
    assert len({size for each in sizes for size in each}) > 1  # many trees, not one
    await require_whole(arena)


async def _read(arena: Arena, url: str, proofs: int) -> list[int]:
    """Verify proofs of entries at random; each tree seen continues the one seen before."""
    sizes: list[int] = []
    last: Checkpoint | None = None
    async with httpx.AsyncClient(base_url=url, trust_env=False, timeout=60) as client:
        for _ in range(proofs):
            index = CHANCE.choice(list(arena.acknowledged))
            seen = await _verified(client, index, arena.acknowledged[index])
            if last is not None and seen.size > last.size and len(sizes) % 10 == 0:
                await _require_continued(client, last, seen)
            last = seen
            sizes.append(seen.size)
    return sizes


async def _verified(client: httpx.AsyncClient, index: int, statement: str) -> Checkpoint:
    answer = await client.get(f"/v1/statements/{statement}/proof")
    found = answer.raise_for_status().json()
    record = from_base64(found["leaf"])
    proof = parse_proof(found["tlog_proof"].encode())
    assert (proof.index, parse_leaf(record).statement) == (index, statement)
    return verify_proof(proof, leaf_hash(record), LOG, origin=ORIGIN)


async def _require_continued(client: httpx.AsyncClient, old: Checkpoint, new: Checkpoint) -> None:
    path = f"/v1/log/proof/consistency/{old.size}/{new.size}"
    found = (await client.get(path)).raise_for_status().json()
    verify_consistency(
        old_size=old.size,
        old_root=old.root,
        new_size=new.size,
        new_root=new.root,
        proof=[bytes.fromhex(one) for one in found["proof"]],
    )
