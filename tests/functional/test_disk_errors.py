# SPDX-License-Identifier: Apache-2.0
"""Threats R02 and R15: flushes fail in turn, disks are full, and what was acknowledged is there.

strace makes the system calls fail: of a worker those of SQLite's log and of the checkpoint file, of
PostgreSQL those of the server, which panics over a flush that failed and recovers by itself.
``FAIRTRIAL_CRASH_FLUSHES`` says how many flushes fail, one a round (`make crash`: 20 a database).
"""

import asyncio
import os
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Final

import psycopg
import pytest

from tests.functional.arena import LOOKS, Arena, require_whole, until, working, write
from tests.functional.flushes import CALLS, OPTIONS, answers, covered, left_open
from tests.functional.strace import failing, require_strace, tracing
from tests.postgres import PostgresServer, conninfo, serve_postgres

FLUSHES: Final = int(os.environ.get("FAIRTRIAL_CRASH_FLUSHES", "1"))
CLIENTS: Final = 4
INJECTED: Final = "(INJECTED)"
ENOUGH: Final = 8
"""Statements acknowledged in a round."""
SOME: Final = 12
"""Statements of which the tenth has a large capture."""


@pytest.fixture(scope="module", autouse=True)
def _strace() -> None:
    require_strace()


@pytest.fixture(scope="module")
def postgres() -> Iterator[PostgresServer]:
    """Yield a server of this module's own, which flushes: others' must not panic."""
    with serve_postgres(fsync=True) as server:
        yield server


async def test_r02_each_failing_flush_loses_nothing_that_was_acknowledged(
    arena: Arena, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    started, failed = time.monotonic(), 0
    for nth in range(1, FLUSHES + 1):
        trace = tmp_path / f"{nth}.trace"
        async with _writing(arena) as workers:
            pids = _of_database(arena, request) or workers
            # PostgreSQL's connections are new after each panic, and so is the count: it leaves room
            # for a batch or two.
            when = nth if arena.workers == 1 else nth + 2
            fault = f"error=EIO:when={when}"
            async with failing(pids, "fdatasync", fault, trace=trace):
                await _until_injected(trace)
                await _until(arena, acknowledged=ENOUGH)
        failed += trace.read_text().count(INJECTED)
        await require_whole(arena)
        spent = time.monotonic() - started
        sys.stdout.write(f"{nth}: {failed} flushes failed: {arena.figures}, {spent:.0f} s\n")
    assert failed >= FLUSHES


async def test_r02_a_full_disk_is_answered_503_and_appending_goes_on_when_there_is_room(
    arena: Arena, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    trace = tmp_path / "full.trace"
    async with _writing(arena) as workers:
        await _until(arena, acknowledged=ENOUGH)
        pids = _of_database(arena, request)
        # PostgreSQL gives up a transaction whose tables cannot grow, and panics where its log
        # cannot: that is the failing flush once more.
        tables = _tables(arena, request) if pids else []
        fault = "error=ENOSPC:when=1+"
        async with failing(pids or workers, "pwrite64", fault, trace=trace, files=tables):
            await _until(arena, refused=ENOUGH)
        await _until(arena, acknowledged=ENOUGH)
    assert INJECTED in trace.read_text()
    await require_whole(arena)
    sys.stdout.write(f"{arena.refused} refused by a full disk: {arena.figures}\n")


async def test_r15_no_answer_is_given_before_its_commit_is_flushed(
    arena: Arena, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """As far as a power cut can be shown without one: what was promised had left the machine."""
    trace = tmp_path / "order.trace"
    async with working(arena) as workers:
        worker = workers[0]
        pids = [worker.pid, *_of_database(arena, request)]
        async with tracing(pids, CALLS, OPTIONS, trace=trace):
            writing = asyncio.create_task(write(arena, worker.url))
            await _until(arena, acknowledged=SOME)
            writing.cancel()
            with suppress(asyncio.CancelledError):
                await writing
    seen = list(answers(trace))
    assert len(seen) >= SOME  # large captures among them
    assert all(covered(between) for between in seen), seen
    if arena.workers == 1:  # PostgreSQL's own processes write to its log at any time
        assert not any(left_open(between) for between in seen), seen
        assert all("written" in between for between in seen), seen


@asynccontextmanager
async def _writing(arena: Arena) -> AsyncIterator[list[int]]:
    """Let clients write to workers, and kill those at the end."""
    async with working(arena) as workers, asyncio.TaskGroup() as clients:
        for n in range(CLIENTS):
            clients.create_task(write(arena, workers[n % len(workers)].url))
        yield [worker.pid for worker in workers]
        for worker in workers:
            worker.process.kill()


async def _until(arena: Arena, *, acknowledged: int = 0, refused: int = 0) -> None:
    """Wait for so many more answers of each kind; a server that recovers takes its time."""
    acknowledged += len(arena.acknowledged)
    refused += arena.refused
    await until(
        lambda: len(arena.acknowledged) >= acknowledged and arena.refused >= refused,
        f"{acknowledged} acknowledged, {refused} refused",
        looks=4 * LOOKS,
    )


async def _until_injected(trace: Path) -> None:
    """Wait until a call has failed: how many flushes a batch takes is the program's own affair."""
    await until(lambda: INJECTED in trace.read_text(), "a call that fails", looks=4 * LOOKS)


def _of_database(arena: Arena, request: pytest.FixtureRequest) -> list[int]:
    """Return the server's processes, none for the database that is a file."""
    if arena.workers == 1:
        return []
    server: PostgresServer = request.getfixturevalue("postgres")
    children = Path(f"/proc/{server.pid}/task/{server.pid}/children").read_text().split()
    return [server.pid, *map(int, children)]


def _tables(arena: Arena, request: pytest.FixtureRequest) -> list[Path]:
    """Return the files of the ledger's tables and their indexes on PostgreSQL."""
    server: PostgresServer = request.getfixturevalue("postgres")
    query = (
        "SELECT pg_relation_filepath(oid) FROM pg_class"
        " WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'i')"
    )
    with psycopg.connect(conninfo(arena.url)) as connection:
        return [server.data / name for (name,) in connection.execute(query)]
