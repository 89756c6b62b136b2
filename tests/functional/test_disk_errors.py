# SPDX-License-Identifier: Apache-2.0
"""Threat R02: each flush to disk fails in turn, and nothing that was acknowledged is lost.

strace makes the Nth ``fdatasync`` of each thread of a worker fail with EIO: those of SQLite's log
and those of the checkpoint file. It is a tool that few machines have, so this is a part of
`make crash` and not of every run. ``FAIRTRIAL_CRASH_FLUSHES`` says how many fail, one a round.
"""

import asyncio
import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

import pytest

from tests.functional.arena import Arena, arena_on, require_whole, working, write

FLUSHES: Final = int(os.environ.get("FAIRTRIAL_CRASH_FLUSHES", "0"))
CLIENTS: Final = 4
PATIENCE_S: Final = 30
ENOUGH: Final = 12
"""Statements acknowledged in a round before its worker is killed."""

pytestmark = [
    pytest.mark.skipif(not FLUSHES, reason="failing flushes are a part of `make crash`"),
    pytest.mark.skipif(shutil.which("strace") is None, reason="there is no strace here"),
]


@pytest.fixture
def arena(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Arena]:
    """Yield an arena on SQLite: PostgreSQL's flushes are not ours."""
    with arena_on("sqlite", tmp_path, request) as one:
        yield one


async def test_r02_each_failing_flush_loses_nothing_that_was_acknowledged(
    arena: Arena, tmp_path: Path
) -> None:
    injected = 0
    for nth in range(1, FLUSHES + 1):
        trace = tmp_path / f"{nth}.trace"
        await _round(arena, nth, trace)
        injected += trace.read_text().count("(INJECTED)")
        await require_whole(arena)
    assert injected >= FLUSHES
    assert len(arena.acknowledged) >= ENOUGH


async def _round(arena: Arena, nth: int, trace: Path) -> None:
    before = len(arena.acknowledged)
    async with working(arena) as workers, asyncio.TaskGroup() as writing:
        ((url, process),) = workers
        tracer = await _attached(process.pid, nth, trace)
        for _ in range(CLIENTS):
            writing.create_task(write(arena, url))
        with suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE_S):
                while len(arena.acknowledged) < before + ENOUGH:  # noqa: ASYNC110  its work
                    await asyncio.sleep(0.01)
        process.kill()
        await asyncio.to_thread(process.wait)
        await tracer.wait()


async def _attached(pid: int, nth: int, trace: Path) -> asyncio.subprocess.Process:
    """Trace a worker; its own process stays ours to kill."""
    fails = f"inject=fdatasync:error=EIO:when={nth}"
    tracer = await asyncio.create_subprocess_exec(
        *("strace", "-f", "-p", str(pid), "-o", str(trace), "-e", "trace=fdatasync", "-e", fails),
        stderr=asyncio.subprocess.PIPE,
    )
    assert tracer.stderr is not None
    said = await tracer.stderr.readline()
    assert b"attached" in said, said
    return tracer
