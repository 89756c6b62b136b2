# SPDX-License-Identifier: Apache-2.0
"""Receipts a second on a small log and on a large one, in turns; how long a start takes on each.

Both ledgers lie on one server and are the same but for what others wrote to them before. Their
turns alternate, and who begins a pair of turns too, so that what else the machine does befalls
both. ``python -m benchmarks.growth`` takes the larger one's entries; filling a million takes
minutes.
"""

from __future__ import annotations

import asyncio
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from app.storage.migrate import upgrade
from benchmarks.append import CLIENTS, WORKERS, prepare, send
from benchmarks.filling import fill
from tests.functional.processes import running
from tests.postgres import Database, PostgresServer, serve_postgres

SMALL: Final = 10_000
LARGE: Final = 1_000_000
TURNS: Final = 5
"""Of each ledger."""
RECEIPTS: Final = 500
"""Of one turn: one study."""
SIZE: Final = 20_000


@dataclass(slots=True)
class Grown:
    """A ledger of some size, bodies to send to it, and what was seen of it."""

    entries: int
    database: Database
    folder: Path
    bodies: list[bytes]
    filled_s: float
    rates: list[float] = field(default_factory=list)
    starts_s: list[float] = field(default_factory=list)
    ready_mib: list[float] = field(default_factory=list)
    after_mib: list[float] = field(default_factory=list)

    def turn(self) -> None:
        """Start workers, send one turn's bodies, and stop."""
        bodies, self.bodies = self.bodies[:RECEIPTS], self.bodies[RECEIPTS:]
        settings = {
            "FAIRTRIAL_DATA_DIR": str(self.folder),
            "FAIRTRIAL_DATABASE_URL": self.database.app_url,
        }
        with ExitStack() as stack:
            urls, pids = [], []
            for _ in range(WORKERS):
                started = time.perf_counter()
                url, process = stack.enter_context(running(settings))
                self.starts_s.append(time.perf_counter() - started)
                self.ready_mib.append(resident_mib(process.pid))
                urls.append(url)
                pids.append(process.pid)
            sent = send(urls, bodies, self.folder, clients=CLIENTS)
            self.after_mib += map(resident_mib, pids)
        acked = sum(one.created for one in sent)
        assert acked == len(bodies), (acked, len(bodies))
        self.rates.append(acked / (max(one.us for one in sent) / 1e6))

    def line(self) -> str:
        """Return what was seen, in words."""
        rates = ", ".join(f"{rate:.0f}" for rate in self.rates)
        return (
            f"{self.entries} entries, filled in {self.filled_s:.0f} s: "
            f"{rates} receipts/s; a worker is ready after "
            f"{statistics.median(self.starts_s):.1f} s in {max(self.ready_mib):.0f} MiB, "
            f"and takes {max(self.after_mib):.0f} MiB after its turn"
        )


def resident_mib(pid: int) -> float:
    """Return how much memory of a process lies in the machine's."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    (kib,) = (line.split()[1] for line in lines if line.startswith("VmRSS:"))
    return int(kib) / 1024


@contextmanager
def grown(server: PostgresServer, entries: int) -> Iterator[Grown]:
    """Yield a ledger with a study open and ``entries`` entries in the log."""
    database = server.create_database()
    upgrade(database.migration_url)
    folder = Path(tempfile.mkdtemp(prefix="fairtrial-growth-"))
    try:
        receipts = TURNS * RECEIPTS
        made = asyncio.run(prepare(database.app_url, folder, receipts=receipts, size=SIZE))
        started = time.perf_counter()
        asyncio.run(fill(database.app_url, folder, up_to=entries))
        spent = time.perf_counter() - started
        yield Grown(entries, database, folder, made.bodies, spent)
    finally:
        shutil.rmtree(folder)
        server.drop_database(database)


def report(large: int = LARGE) -> Iterator[str]:
    """Yield a line for each log, and the ratio of the two."""
    with (
        serve_postgres(fsync=True) as server,
        grown(server, SMALL) as small,
        grown(server, large) as big,
    ):
        for turn in range(TURNS):
            for one in (small, big) if turn % 2 == 0 else (big, small):
                one.turn()
        yield small.line()
        yield big.line()
        ratios = [b / s for s, b in zip(small.rates, big.rates, strict=True)]
        yield (
            f"{large} entries against {SMALL}: ratio {statistics.median(ratios):.2f}, "
            f"from {min(ratios):.2f} to {max(ratios):.2f} in {TURNS} pairs of turns"
        )


if __name__ == "__main__":
    for said in report(*map(int, sys.argv[1:])):
        sys.stdout.write(f"{said}\n")
