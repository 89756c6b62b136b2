# SPDX-License-Identifier: Apache-2.0
"""Workers that are there in a moment: forked from one process that has only imported the program.

Nine tenths of a start are imports, and tests that kill workers start hundreds. What is forked runs
the command line ``fairtrial serve``. It shares with its like what importing leaves behind, copied
as soon as one of them writes to it: modules, and the seed by which strings are hashed. Its own are
its process, threads, settings, files, sockets, event loop, database connections, keys and random
numbers: the process that it comes from has a single thread and none of these, and ends with the
test run.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from multiprocessing.process import BaseProcess
from pathlib import Path

# `serve` imports them only when it runs.
import app.cli.serving
import app.cli.settings  # noqa: F401 - imported for those that are forked
from app.cli.main import answer
from tests.ports import quiet_port

_FORKING = multiprocessing.get_context("forkserver")
_FORKING.set_forkserver_preload([__name__])


@dataclass(frozen=True, slots=True)
class Worker:
    """A process that serves on a loopback port, until it is killed."""

    url: str
    process: BaseProcess

    @classmethod
    def started(cls, environment: Mapping[str, str], folder: Path) -> Worker:
        """Fork one, which then reads its environment: all of it is given; nobody waits for it."""
        port = quiet_port()
        process = _FORKING.Process(target=_serve, args=(dict(environment), folder, port))
        process.start()
        return cls(f"http://127.0.0.1:{port}", process)

    @property
    def pid(self) -> int:
        pid = self.process.pid
        assert pid is not None
        return pid

    def end(self) -> None:
        """Kill it as ``kill -9`` does, if it lives, and wait until it is gone."""
        self.process.kill()
        self.process.join()


def _serve(environment: dict[str, str], folder: Path, port: int) -> None:
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    # Descriptors and not `sys.stdout`: nothing that a worker says reaches the test run's own.
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in range(3):
        os.dup2(nowhere, descriptor)
    os.close(nowhere)
    sys.exit(answer(["serve", "--port", str(port)]))
