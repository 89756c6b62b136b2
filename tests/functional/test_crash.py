# SPDX-License-Identifier: Apache-2.0
"""Threats R01, R15 and R18: workers die at random instants under load, and nothing was promised.

``FAIRTRIAL_CRASH_ROUNDS`` says how often (`make crash`: 60 a database). After each round the store
must be whole, and the next round's workers start on what the last ones left.
"""

import asyncio
import os
import sys
import time
from typing import Final

from tests.functional.arena import CHANCE, Arena, require_whole, until, working, write

ROUNDS: Final = int(os.environ.get("FAIRTRIAL_CRASH_ROUNDS", "2"))
CLIENTS: Final = 8


async def _crash(arena: Arena) -> None:
    """Let the workers work, and kill them one after the other at instants nobody chose."""
    async with working(arena) as workers:
        writing = [
            asyncio.create_task(write(arena, workers[n % len(workers)].url)) for n in range(CLIENTS)
        ]
        before = len(arena.acknowledged)
        await until(lambda: len(arena.acknowledged) > before, "a statement acknowledged")
        for worker in CHANCE.sample(workers, len(workers)):
            await asyncio.sleep(CHANCE.uniform(0.0, 0.6))
            worker.process.kill()
        await asyncio.gather(*writing)


async def test_r01_killed_workers_lose_nothing_that_was_acknowledged(arena: Arena) -> None:
    started = time.monotonic()
    for done in range(1, ROUNDS + 1):
        await _crash(arena)
        await require_whole(arena)
        spent = time.monotonic() - started
        sys.stdout.write(f"round {done}: {arena.figures}, {spent:.0f} s\n")
    assert arena.acknowledged
