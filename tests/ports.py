# SPDX-License-Identifier: Apache-2.0
"""Loopback ports for servers that tests start, while other tests beside them start theirs."""

import contextlib
import secrets
import socket
from typing import Final

# Below those that a system gives to connections.
PORTS: Final = range(20_000, 32_000)


def quiet_port() -> int:
    """Return a free port that no connection of anybody is given by chance.

    It is used later, in some tests minutes later. One of those that a system gives to connections
    may be taken by then, and a look whether somebody listens there may be answered by itself. It is
    drawn without a test's seed: tests that run beside each other have the same.
    """
    while True:
        port = secrets.choice(PORTS)
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
