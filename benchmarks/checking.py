# SPDX-License-Identifier: Apache-2.0
"""What checking alone allows: the stateless steps of a receipt, with nobody asking or storing.

The bodies that the writers' benchmark sends are cut, verified, read, inflated and searched by as
many processes as there are workers; nothing is admitted, made durable or answered. No server that
checks all of it this way is faster on the same cores, so beside a ratio to the floor it says how
much of the distance is the checks' and how much is everything else's.
"""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Sequence

from app.core.keyring.keyring import Keyring
from app.core.statement.header import LedgerRef
from app.edge.receipt_body import split_receipt
from app.service.receive_statement import receive


def checked_per_s(
    bodies: Sequence[bytes], keyring: Keyring, audience: LedgerRef, *, processes: int
) -> float:
    """Return how many of ``bodies`` that many processes together check a second.

    Raises:
        AssertionError: one of them refused a body.
    """
    fork = multiprocessing.get_context("fork")
    running = [
        fork.Process(target=_check, args=(bodies[n::processes], keyring, audience))
        for n in range(processes)
    ]
    started = time.perf_counter()
    for process in running:
        process.start()
    for process in running:
        process.join()
    spent = time.perf_counter() - started
    assert not any(process.exitcode for process in running), "a receipt of ours was refused"
    return len(bodies) / spent


def _check(bodies: Sequence[bytes], keyring: Keyring, audience: LedgerRef) -> None:
    for body in bodies:
        parts = split_receipt(body)
        receive(
            parts.envelope,
            kind="receipt",
            keyring=keyring,
            audience=audience,
            capture=parts.capture,
        )
