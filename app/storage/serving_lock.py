# SPDX-License-Identifier: Apache-2.0
"""One process serves one SQLite ledger: a lock beside the file, held as long as the process lives.

Two writers on one file would not damage it, since the chain of checkpoints lets one of them in; but
each would take the other's deadlines and answers for lost, and an operator who started a second
service by mistake would learn of it late. The kernel lets the lock go with the process, however it
ends; the file stays and means nothing by itself.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from app.storage.engine import is_sqlite, sqlite_path

SUFFIX: Final = ".serving"
_PRIVATE: Final = 0o600


class ServedAlready(Exception):
    """Another process serves the ledger; the message names it by its id."""


@contextmanager
def only_process(database_url: str) -> Iterator[None]:
    """Be the one process that serves this database; PostgreSQL takes as many as come.

    Raises:
        ServedAlready: another process does.
        OSError: the folder cannot be written.
    """
    if not is_sqlite(database_url):
        yield
        return
    handle = os.open(lock_file(database_url), os.O_RDWR | os.O_CREAT, _PRIVATE)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            holder = os.read(handle, 32).decode("ascii", "replace").strip() or "unknown"
            message = (
                f"Process {holder} serves this ledger already; an SQLite ledger is served by one. "
                "Stop it first, or serve from PostgreSQL."
            )
            raise ServedAlready(message) from error
        os.ftruncate(handle, 0)
        os.write(handle, b"%d\n" % os.getpid())
        yield
    finally:
        os.close(handle)


def lock_file(database_url: str) -> Path:
    """Return the lock's file, beside the database's."""
    path = sqlite_path(database_url)
    return path.with_name(path.name + SUFFIX)
