# SPDX-License-Identifier: Apache-2.0
"""Somebody who types what a page shows into one shell, block after block.

What a block sets stays for the next one. A line that serves is started and left running; its port,
which may be taken, is another one throughout. Whole set-ups and suites are shown, not run.
"""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.functional.processes import PROJECT, START_S, STOP_S, environment_of
from tests.ports import quiet_port

TOOLS = ("bash", "jq", "openssl", "curl", "sha256sum", "base64")
PATIENCE = 5
"""A page is followed to its end also where the machine is busy with something else meanwhile."""
SERVICE_PORT, WITNESS_PORT = "8000", "8100"
SERVE = re.compile(
    r"^(?:[.]venv/bin/)?fairtrial (?:serve|log witness) (?:.*\\\n)*.*$", re.MULTILINE
)
BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# Assignments last from block to block, as they do for whoever types.
BEGIN, END = "set -euo pipefail -o allexport", "env -0 > environment"
BESIDE = (
    *("Makefile", "protocols", "schemas", "pyproject.toml"),
    *("requirements.txt", "requirements-dev.txt"),
)


def blocks_of(page: str) -> list[str]:
    """Return a page's shell blocks in order."""
    return BLOCK.findall(page)


def page(name: str) -> str:
    """Return a page by its place in the project."""
    return (PROJECT / name).read_text(encoding="utf-8")


@dataclass(frozen=True, slots=True)
class Ran:
    """What a block did."""

    block: str
    out: str


@dataclass
class Reader:
    """One shell in one folder.

    Attributes:
        ports: another port for each that pages show.
    """

    folder: Path
    environment: dict[str, str]
    ports: dict[str, int] = field(
        default_factory=lambda: {shown: quiet_port() for shown in (SERVICE_PORT, WITNESS_PORT)}
    )
    services: "list[subprocess.Popen[bytes]]" = field(default_factory=list)

    @property
    def url(self) -> str:
        """Where the service is."""
        return f"http://127.0.0.1:{self.ports[SERVICE_PORT]}"

    def follow(self, block: str) -> Ran:
        """Run one block; what it sets stays."""
        text = block
        for shown, port in self.ports.items():
            text = re.sub(rf"\b{shown}\b", str(port), text)
        served = SERVE.search(text)
        text = SERVE.sub("", text)
        # Whole set-ups and whole suites would run this very test again: their recipes are shown.
        text = re.sub(r"^make ", "make --dry-run --silent ", text, flags=re.MULTILINE)
        out = self._run(text)
        if served is not None:
            self.serve(served[0])
        return Ran(block, out)

    def _run(self, text: str) -> str:
        done = subprocess.run(
            ["bash", "-c", f"{BEGIN}\n{text}\n{END}\n"],
            cwd=self.folder,
            env=self.environment,
            text=True,
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, f"{text}\n{done.stdout}\n{done.stderr}"
        pairs = (self.folder / "environment").read_text().split("\0")
        self.environment = dict(one.split("=", 1) for one in pairs if "=" in one)
        return done.stdout

    def serve(self, line: str) -> None:
        """Start what a line serves, and wait until it can be reached."""
        (port,) = [port for port in self.ports.values() if str(port) in line]
        told = self.folder / f"service-{len(self.services)}.log"
        with told.open("wb") as log:
            service = subprocess.Popen(
                ["bash", "-c", f"exec {line}"],
                cwd=self.folder,
                env=self.environment,
                stdout=log,
                stderr=log,
            )
        self.services.append(service)
        for _ in range(PATIENCE * START_S * 10):
            assert service.poll() is None, f"{line}\n{told.read_text()}"
            try:
                socket.create_connection(("127.0.0.1", port)).close()
            except OSError:
                time.sleep(0.1)
            else:
                return
        raise RuntimeError(f"it did not listen in time: {line}")

    def stop(self) -> None:
        """End what was served, the last first."""
        for service in reversed(self.services):
            service.send_signal(signal.SIGTERM)
            service.wait(timeout=STOP_S)


def reader_in(folder: Path, **environment: str) -> Reader:
    """Return somebody in a checkout where `make setup` was run.

    Raises:
        Skipped: a tool that pages use is not on this machine; in CI that is a failure.
    """
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    if missing:
        reason = f"the pages' commands need {', '.join(missing)}, which this machine has not"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)  # outside CI alone; in CI it has failed above
    for name in BESIDE:
        (folder / name).symlink_to(PROJECT / name)
    # What `make setup` makes; its recipe is only shown.
    (folder / ".venv").symlink_to(sys.prefix)
    return Reader(folder, environment_of({"PYTHONPATH": str(PROJECT), **environment}))
