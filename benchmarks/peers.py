# SPDX-License-Identifier: Apache-2.0
"""Two servers that store what they are sent and check none of it, for comparison.

datasette takes one row a request into a table, MLflow one run a request with the bytes as tags.
Each is installed from the registry into an environment of its own (``.peers``) and sent as many
bytes as a ledger keeps of a receipt, by the client that sends receipts. Both store in SQLite, as
they do when nobody says otherwise, and answer when their own settings say that a row is stored.
"""

from __future__ import annotations

import base64
import json
import os
import random
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import httpx

from benchmarks.append import CLIENTS, Door, send

ENVIRONMENTS: Final = Path(__file__).resolve().parents[1] / ".peers"
TAG: Final = 4_000
"""Characters of one MLflow tag; it takes a few more."""
START_S: Final = 180
SIGNED_WITH: Final = "bench"
"""Signs the token of a server that lives for one run."""


@dataclass(frozen=True, slots=True)
class Peer:
    """A server to compare with.

    Attributes:
        name: as it is called.
        requirement: what is installed.
        command: what starts it in a folder, after the environment's ``bin``; ``{port}`` stands for
            the port.
        ready: path that answers 200 when it is up.
        door: how it is written to.
        body: what is sent to store a text.
    """

    name: str
    requirement: str
    command: tuple[str, ...]
    ready: str
    door: Door
    body: Callable[[str], object]


def _run_of(text: str) -> object:
    parts = [text[at : at + TAG] for at in range(0, len(text), TAG)]
    tags = [{"key": f"part-{n}", "value": part} for n, part in enumerate(parts)]
    return {"experiment_id": "0", "start_time": 1, "tags": tags}


DATASETTE: Final = Peer(
    name="datasette",
    requirement="datasette==1.0a41",
    command=(
        *("datasette", "serve", "bench.db", "--create", "--root", "--secret", SIGNED_WITH),
        *("--host", "127.0.0.1", "--port", "{port}"),
    ),
    ready="/-/versions.json",
    door=Door("/bench/receipt/-/insert", "application/json", idle="/-/versions.json"),
    body=lambda text: {"row": {"data": text}},
)
MLFLOW: Final = Peer(
    name="MLflow",
    requirement="mlflow==3.17.2",
    command=(
        *("mlflow", "server", "--backend-store-uri", "sqlite:///mlflow.db", "--workers", "2"),
        *("--default-artifact-root", "artifacts", "--host", "127.0.0.1", "--port", "{port}"),
    ),
    ready="/health",
    door=Door(
        "/api/2.0/mlflow/runs/create",
        "application/json",
        created=200,
        idle="/nothing",
        idle_status=404,
    ),
    body=_run_of,
)


def measure(peer: Peer, *, rows: int, row_bytes: int, clients: int = CLIENTS) -> float:
    """Return how many rows of ``row_bytes`` the peer takes a second.

    Raises:
        OSError, subprocess.SubprocessError: it cannot be installed or does not start.
    """
    rng = random.Random(7)
    texts = (base64.b64encode(rng.randbytes(row_bytes)).decode()[:row_bytes] for _ in range(rows))
    bodies = [json.dumps(peer.body(text)).encode() for text in texts]
    with tempfile.TemporaryDirectory() as scratch, _serving(peer, Path(scratch)) as (url, door):
        (sent,) = send([url], bodies, Path(scratch), clients=clients, door=door)
    assert sent.created == rows, sent
    return sent.created / (sent.us / 1e6)


@contextmanager
def _serving(peer: Peer, folder: Path) -> Iterator[tuple[str, Door]]:
    """Serve in ``folder``; yield the address and the way in."""
    commands = _installed(peer)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [part.format(port=port) for part in peer.command]
    environment = {**os.environ, "MLFLOW_DISABLE_TELEMETRY": "true"}
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [str(commands / command[0]), *command[1:]],
            cwd=folder,
            env=environment,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    url = f"http://127.0.0.1:{port}"
    try:
        _wait_until_up(url + peer.ready, process)
        yield url, _table(url, peer.door, commands) if peer is DATASETTE else peer.door
    finally:
        os.killpg(process.pid, 15)
        process.wait(timeout=60)


def _installed(peer: Peer) -> Path:
    """Return the folder with the peer's commands, which are installed where they are missing."""
    place = ENVIRONMENTS / peer.requirement
    commands = place / "bin"
    if not (place / "installed").exists():
        subprocess.run([sys.executable, "-m", "venv", "--clear", place], check=True)
        install = ["pip", "install", "-qqq", "--disable-pip-version-check", peer.requirement]
        subprocess.run([commands / "python", "-m", *install], check=True)
        (place / "installed").touch()
    return commands


def _wait_until_up(url: str, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + START_S
    while time.monotonic() < until and process.poll() is None:
        try:
            if httpx.get(url, timeout=5).status_code == httpx.codes.OK:
                return
        except httpx.TransportError:
            time.sleep(0.5)
    message = f"it did not answer {url} within {START_S} s"
    raise OSError(message)


def _table(url: str, door: Door, commands: Path) -> Door:
    """Make the table, and return the way in with the right to insert."""
    token = subprocess.run(
        [commands / "datasette", "create-token", "root", "--secret", SIGNED_WITH],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.strip()
    header = f"Bearer {token}"
    made = httpx.post(
        f"{url}/bench/-/create",
        json={"table": "receipt", "columns": [{"name": "data", "type": "text"}]},
        headers={"authorization": header},
    )
    made.raise_for_status()
    return Door(door.path, door.media, idle=door.idle, authorization=header)


def report(rates: dict[str, float], row_bytes: int) -> Iterator[str]:
    """Yield a line for each peer.

    Args:
        rates: receipts a second of ours, by what stores them, measured in this run.
        row_bytes: what a ledger keeps of one receipt.
    """
    for peer, rows in ((DATASETTE, 1_000), (MLFLOW, 200)):
        try:
            theirs = measure(peer, rows=rows, row_bytes=row_bytes)
        except (OSError, subprocess.SubprocessError) as error:
            yield f"{peer.name}: not compared: {error}"
            continue
        ours = ", ".join(f"{store} {rate / theirs:.1f} x" for store, rate in rates.items())
        yield (
            f"{peer.name} ({peer.requirement}), which checks nothing: {theirs:.1f} rows/s of "
            f"{row_bytes} B, {CLIENTS} clients; ours: {ours}"
        )
