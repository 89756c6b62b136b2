# SPDX-License-Identifier: Apache-2.0
"""Receipts a second against the floor: one durable row of the same bytes, in the same run.

Client, server and database share the machine. The floor is ``floor.sql`` under pgbench (``-M
simple``, synchronous_commit on, 64 clients), and for SQLite one writer that makes each row durable
by itself (WAL, ``synchronous=FULL``). The client sends bodies that were signed before; reservations
are made before and timed apart.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import re
import sqlite3
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from dataclasses import replace as replaced
from pathlib import Path
from typing import Any, Final

import psycopg
from msgspec.structs import replace
from typing_extensions import override

from app.core.keyring.keyring import Keyring
from app.core.statement.capture import StreamsCapture
from app.core.statement.header import LedgerRef
from app.runner.compose import receipt_body
from app.service.captures import deflate
from app.storage.anchor_file import AnchorFile
from app.storage.clock import SystemClock
from app.storage.ledger_keys import write_ledger_keys
from app.storage.migrate import upgrade
from app.storage.open_store import store_of
from benchmarks.checking import checked_per_s
from tests import documents, facts
from tests.documents import DAY_US
from tests.fakes import FakeClock, ledger_keys
from tests.functional.processes import serving
from tests.ledgers import LiveLedger, founded, served
from tests.postgres import Database, PostgresServer, conninfo, serve_postgres

HERE: Final = Path(__file__).resolve().parent
CLIENTS: Final = 64
SQLITE_CLIENTS: Final = 16
WORKERS: Final = 2
SLOTS: Final = 500
LEAF_BYTES: Final = 700
FLOOR_S: Final = 8


@dataclass(frozen=True, slots=True)
class Door:
    """How bodies are sent to a server: where, as what, and what it answers.

    Attributes:
        path: of the write.
        media: content type of a body.
        created: status of a body that was taken.
        idle: what a connection asks for that has nothing left to send.
        idle_status: what that is answered, which must be another status than ``created``.
        authorization: header of that name; empty: none.
    """

    path: str
    media: str
    created: int = 201
    idle: str = "/healthz"
    idle_status: int = 200
    authorization: str = ""


RECEIPTS: Final = Door("/v1/receipts", "application/vnd.fairtrial.receipt+json")


@dataclass(frozen=True, slots=True)
class Sent:
    """What one client saw: how many were created, and in how long."""

    created: int
    us: float


@dataclass(frozen=True, slots=True)
class Prepared:
    """Bodies ready to be sent, what a ledger keeps of one, and what they are checked against."""

    bodies: list[bytes]
    row_bytes: int
    reserved_per_s: float
    keyring: Keyring
    audience: LedgerRef


@dataclass(frozen=True, slots=True)
class Measured:
    """One run: receipts a second, the floor beside it, and how many were acknowledged and stored.

    Attributes:
        what: the store, the size of the captures, the clients.
        rate: receipts a second.
        base: rows a second of the floor.
        row_bytes: of such a row, as many as a ledger keeps of a receipt.
        checked: receipts a second when as many processes only check them (``checking.py``).
        reserved_per_s: reservations a second, in process.
        stored: receipts acknowledged, and as many stored.
    """

    what: str
    rate: float
    base: float
    row_bytes: int
    checked: float
    reserved_per_s: float
    stored: int

    @override
    def __str__(self) -> str:
        return (
            f"{self.what}: {self.rate:.1f} receipts/s; floor {self.base:.1f} rows/s of "
            f"{self.row_bytes} B; ratio {self.rate / self.base:.3f}; checks alone "
            f"{self.checked:.1f}/s, {self.checked / self.base:.3f}; reservations "
            f"{self.reserved_per_s:.0f}/s in process; acked == stored == {self.stored}"
        )


def capture_of(size: int, rng: random.Random) -> StreamsCapture:
    """Return a capture of about ``size`` bytes whose gaps nobody can compress away."""
    gaps = [rng.randint(14_000, 99_000) for _ in range(max((size - 2_600) // 6, 1))]
    first = 430_000
    last = first + sum(gaps)
    incumbent = replace(facts.incumbent(first=first, last=last), content_gaps_us=gaps)
    return facts.capture(incumbent, facts.newcomer())


async def _study(live: LiveLedger, ordinal: int, size: int, rng: random.Random) -> Prepared:
    live.make.head = documents.commit(f"bench head {ordinal}")
    await live.open()
    study = await live.study()
    slots = tuple(study.slots)
    started = time.perf_counter()
    taken = await asyncio.gather(*(live.reserve(slot) for slot in slots))
    spent = time.perf_counter() - started
    bodies = []
    row_bytes = 0
    for slot, reserved in zip(slots, taken, strict=True):
        draft = live.make.receipt(
            study.predicate,
            capture_of(size, rng),
            study_digest=study.digest,
            reservation=reserved.digest,
            slot=slot,
            challenge=str(reserved.challenge),
        )
        bodies.append(receipt_body(draft.json, draft.capture_bytes))
        # What a ledger keeps of it: payload, envelope, capture and leaf.
        kept = (draft.parsed.payload, draft.json, deflate(draft.capture_bytes))
        row_bytes = sum(map(len, kept)) + LEAF_BYTES
    audience = LedgerRef(origin=live.ledger.origin, genesis=live.ledger.genesis)
    keyring = await live.ledger.keyring()
    return Prepared(bodies, row_bytes, len(slots) / spent, keyring, audience)


async def prepare(url: str, folder: Path, *, receipts: int, size: int) -> Prepared:
    """Begin a ledger, open studies, reserve every slot, and sign a receipt for each."""
    clock = FakeClock(SystemClock().now_us())
    store = store_of(url)
    make = await founded(store, clock=clock)
    newest, anchor = await store.newest_checkpoint(), AnchorFile(folder)
    assert newest is not None
    await anchor.swap(None, newest.note)
    await store.close()
    write_ledger_keys(folder, ledger_keys())
    rng = random.Random(7)
    repetitions = -(-min(receipts, SLOTS) // 3)
    parts: list[Prepared] = []
    async with served(store_of(url), make=make, clock=clock, anchor=anchor) as live:
        live.document = documents.document(
            repetitions=repetitions, reservation={"ahead_max": 10_000, "allowance_us": DAY_US}
        )
        live.tick_us = 0
        await live.begin()
        while sum(len(part.bodies) for part in parts) < receipts:
            parts.append(await _study(live, len(parts), size, rng))
    bodies = [body for part in parts for body in part.bodies]
    slowest = min(part.reserved_per_s for part in parts)
    return replaced(parts[-1], bodies=bodies, reserved_per_s=slowest)


def floor(database: Database, row_bytes: int, *, clients: int) -> float:
    """Return the floor's rows a second with rows of ``row_bytes``."""
    with psycopg.connect(conninfo(database.superuser_url), autocommit=True) as connection:
        connection.execute("DROP TABLE IF EXISTS floor, sample")
        connection.execute("CREATE TABLE floor (id bigserial PRIMARY KEY, data bytea NOT NULL)")
        connection.execute("CREATE TABLE sample (id int PRIMARY KEY, data bytea NOT NULL)")
        for table in ("floor", "sample"):
            connection.execute(f"ALTER TABLE {table} ALTER data SET STORAGE EXTERNAL")
        rows = [(n, os.urandom(row_bytes)) for n in range(1, 257)]
        with connection.cursor() as cursor:
            cursor.executemany("INSERT INTO sample VALUES (%s, %s)", rows)
    ran = subprocess.run(
        [
            *("pgbench", "--no-vacuum", "-M", "simple"),
            *("-c", str(clients), "-j", str(min(clients, 2)), "-T", str(FLOOR_S)),
            *("-f", str(HERE / "floor.sql"), conninfo(database.superuser_url)),
        ],
        check=True,
        capture_output=True,
        text=True,
    )
    found = re.search(r"tps = ([0-9.]+)", ran.stdout)
    assert found, ran.stdout
    return float(found[1])


def sqlite_floor(folder: Path, row_bytes: int) -> float:
    """Return how many rows of ``row_bytes`` one writer inserts a second, each durable by itself."""
    connection = sqlite3.connect(folder / "floor.db", isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("CREATE TABLE floor (id INTEGER PRIMARY KEY, data BLOB NOT NULL)")
    rows = [os.urandom(row_bytes) for _ in range(256)]
    inserted, started = 0, time.perf_counter()
    while (spent := time.perf_counter() - started) < FLOOR_S:
        connection.execute("INSERT INTO floor (data) VALUES (?)", (rows[inserted % 256],))
        inserted += 1
    connection.close()
    return inserted / spent


def send(
    urls: Sequence[str],
    bodies: Sequence[bytes],
    folder: Path,
    *,
    clients: int,
    door: Door = RECEIPTS,
) -> list[Sent]:
    """Send every body once, spread over the workers, and return what each client saw."""
    running = []
    for n, url in enumerate(urls):
        lines, result = folder / f"bodies-{n}", folder / f"result-{n}"
        lines.write_bytes(b"\n".join(bodies[n :: len(urls)]) + b"\n")
        result.unlink(missing_ok=True)
        each = str(max(clients // len(urls), 1))
        command = ["wrk", "-t1", "-c", each, "-d600s", "--timeout", "60s"]
        command += ["-s", str(HERE / "client.lua"), url, "--"]
        command += [str(lines), str(result), door.path, door.media, str(door.created)]
        command += [door.idle, str(door.idle_status)]
        command += [door.authorization] if door.authorization else []
        running.append((subprocess.Popen(command, stdout=subprocess.DEVNULL), result))
    sent = []
    for process, result in running:
        process.wait(timeout=900)
        told: dict[str, Any] = json.loads(result.read_text())
        assert not told["others"], told
        sent.append(Sent(told["created"], told["us"]))
    return sent


def stored(database: Database) -> int:
    """Return how many receipts the ledger holds."""
    with psycopg.connect(conninfo(database.superuser_url)) as connection:
        row = connection.execute("SELECT count(*) FROM leaf WHERE kind = 'receipt'").fetchone()
    assert row is not None
    return int(row[0])


def measure(
    server: PostgresServer, *, receipts: int, size: int, clients: int = CLIENTS
) -> Measured:
    """Return the ratio for receipts whose captures are ``size`` bytes."""
    database = server.create_database()
    upgrade(database.migration_url)
    with tempfile.TemporaryDirectory() as scratch, ExitStack() as stack:
        folder = Path(scratch)
        made = asyncio.run(prepare(database.app_url, folder, receipts=receipts, size=size))
        # In a database of its own: the service starts beside no table it does not know.
        beside = server.create_database()
        base = floor(beside, made.row_bytes, clients=clients)
        server.drop_database(beside)
        settings = {
            "FAIRTRIAL_DATA_DIR": str(folder),
            "FAIRTRIAL_DATABASE_URL": database.app_url,
        }
        workers = WORKERS if clients > 1 else 1
        urls = [stack.enter_context(serving(settings)) for _ in range(workers)]
        sent = send(urls, made.bodies, folder, clients=clients)
        checked = _checked(made, workers)
        acked, kept = sum(one.created for one in sent), stored(database)
        assert acked == kept == len(made.bodies), (acked, kept, len(made.bodies))
    server.drop_database(database)
    what = f"PostgreSQL, captures of {size} B, {clients} clients, {workers} workers"
    rate = acked / (max(one.us for one in sent) / 1e6)
    return Measured(what, rate, base, made.row_bytes, checked, made.reserved_per_s, acked)


def measure_sqlite(*, receipts: int, size: int, clients: int = SQLITE_CLIENTS) -> Measured:
    """Return the ratio for the embedded store, served by its one process."""
    with tempfile.TemporaryDirectory() as scratch, ExitStack() as stack:
        folder = Path(scratch)
        url = f"sqlite:///{folder / 'ledger.db'}"
        upgrade(url)
        made = asyncio.run(prepare(url, folder, receipts=receipts, size=size))
        base = sqlite_floor(folder, made.row_bytes)
        settings = {"FAIRTRIAL_DATA_DIR": str(folder), "FAIRTRIAL_DATABASE_URL": url}
        served_at = stack.enter_context(serving(settings))
        (sent,) = send([served_at], made.bodies, folder, clients=clients)
        checked = _checked(made, 1)
        with closing(sqlite3.connect(folder / "ledger.db")) as connection:
            query = "SELECT count(*) FROM leaf WHERE kind = 'receipt'"
            (kept,) = connection.execute(query).fetchone()
        assert sent.created == kept == len(made.bodies), (sent.created, kept, len(made.bodies))
    what = f"SQLite, captures of {size} B, {clients} clients"
    rate = sent.created / (sent.us / 1e6)
    return Measured(what, rate, base, made.row_bytes, checked, made.reserved_per_s, kept)


def _checked(made: Prepared, processes: int) -> float:
    return checked_per_s(made.bodies, made.keyring, made.audience, processes=processes)


def report() -> Iterator[Measured]:
    """Yield what was measured for SQLite, each size of captures, and a single client."""
    yield measure_sqlite(receipts=1_000, size=20_000)
    with serve_postgres(fsync=True) as server:
        yield measure(server, receipts=4_000, size=20_000)
        yield measure(server, receipts=800, size=200_000)
        yield measure(server, receipts=400, size=20_000, clients=1)
