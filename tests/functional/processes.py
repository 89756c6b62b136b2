# SPDX-License-Identifier: Apache-2.0
"""Real processes of the program: commands that end, and one that serves until it is stopped."""

import contextlib
import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

import httpx
from typing_extensions import override

from app.cli.main import answer
from tests.ports import quiet_port

PROJECT = Path(__file__).resolve().parents[2]
COMMAND = (sys.executable, "-c", "from app.cli.main import run; run()")
NOWHERE = "http://127.0.0.1:9"
"""Where nothing listens."""
START_S = 60
STOP_S = 30


@dataclass(frozen=True, slots=True)
class Ended:
    """What a command left behind."""

    code: int
    out: bytes
    err: str


@dataclass(frozen=True, slots=True)
class CommandLine:
    """Runs commands in one environment, from outside."""

    environment: Mapping[str, str] = field(default_factory=dict)

    def __call__(self, *arguments: str, stdin: bytes = b"") -> Ended:
        done = subprocess.run(
            [*COMMAND, *arguments],
            env=environment_of(self.environment),
            cwd=PROJECT,
            input=stdin,
            capture_output=True,
            check=False,
        )
        return Ended(done.returncode, done.stdout, done.stderr.decode())

    def result(self, *arguments: str) -> bytes:
        """Return the output of a command that must succeed."""
        ended = self(*arguments)
        assert ended.code == 0, ended.err
        return ended.out


@dataclass(frozen=True, slots=True)
class Here(CommandLine):
    """Runs commands in this very process: the same words and codes, without a start each time."""

    @override
    def __call__(self, *arguments: str, stdin: bytes = b"") -> Ended:
        written, err = io.BytesIO(), io.StringIO()
        out = io.TextIOWrapper(written)
        read = io.TextIOWrapper(io.BytesIO(stdin))
        with (
            patch.dict(os.environ, environment_of(self.environment), clear=True),
            patch.object(sys, "stdin", read),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
        ):
            code = answer(list(arguments))
        out.flush()
        return Ended(code, written.getvalue(), err.getvalue())


def read(out: bytes) -> Any:  # noqa: ANN401 - any answer
    """Return the one JSON document on stdout."""
    return json.loads(out)


def problem(ended: Ended) -> str:
    """Return the code of the problem on stdout, which stderr tells too."""
    document = read(ended.out)
    assert document["type"] == f"/problems/{document['code']}"
    assert document["detail"]
    assert document["code"] in ended.err
    return str(document["code"])


def environment_of(changes: Mapping[str, str]) -> dict[str, str]:
    """Return this process's environment without settings of the program, and with ``changes``."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("FAIRTRIAL_")}
    return {**kept, **changes}


@contextlib.contextmanager
def serving(settings: Mapping[str, str]) -> Iterator[str]:
    """Serve the ledger of ``settings`` on a free loopback port; yield its address."""
    with running(settings) as (url, _):
        yield url


@contextlib.contextmanager
def running(settings: Mapping[str, str]) -> Iterator[tuple[str, "subprocess.Popen[bytes]"]]:
    """Serve a ledger; yield its address and the process, which is ready."""
    port = quiet_port()
    url = f"http://127.0.0.1:{port}"
    process = subprocess.Popen(
        [*COMMAND, "serve", "--port", str(port)],
        env=environment_of(settings),
        cwd=PROJECT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    try:
        _wait_until_ready(url, process)
        yield url, process
    finally:
        process.send_signal(signal.SIGTERM)
        _, told = process.communicate(timeout=STOP_S)
    assert b"Traceback" not in told, told.decode()


def _wait_until_ready(url: str, process: subprocess.Popen[bytes]) -> None:
    # So many looks, since a busy machine's seconds say little.
    for _ in range(START_S * 20):
        if process.poll() is not None:
            message = f"the service ended with {process.returncode}"
            raise RuntimeError(message)
        with contextlib.suppress(httpx.TransportError):
            if httpx.get(f"{url}/readyz", trust_env=False).is_success:
                return
        time.sleep(0.05)
    message = "the service did not become ready in time"
    raise RuntimeError(message)
