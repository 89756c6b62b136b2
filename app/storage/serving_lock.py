# SPDX-License-Identifier: Apache-2.0
"""Who serves a ledger just now: a lock in its folder, held as long as a process lives.

Two writers on one SQLite file would not damage it, since the chain of checkpoints lets one of them
in; but each would take the other's deadlines and answers for lost, and an operator who started a
second service by mistake would learn of it late. PostgreSQL is served by as many as come; they
share the lock, so that whoever must be alone with the store learns that they are there. The kernel
lets the lock go with the process, however it ends; the file stays and means nothing by itself.
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
def serving(database_url: str, folder: Path) -> Iterator[None]:
    """Be a process that serves this ledger: the only one, unless it is on PostgreSQL.

    Args:
        database_url: the service's login.
        folder: the ledger's data folder, which all its processes share.

    Raises:
        ServedAlready: another process does, or somebody must be alone with the store.
        OSError: the folder cannot be written.
    """
    alone = is_sqlite(database_url)
    again = "an SQLite ledger is served by one. Stop it first, or serve from PostgreSQL."
    told = f"serves this ledger already; {again}" if alone else "is alone with this ledger."
    with _held(database_url, folder, fcntl.LOCK_EX if alone else fcntl.LOCK_SH, told):
        yield


@contextmanager
def not_served(database_url: str, folder: Path) -> Iterator[None]:
    """Be alone with a ledger: no process serves it, and none begins to.

    Raises:
        ServedAlready: one does.
        OSError: the folder cannot be written.
    """
    with _held(database_url, folder, fcntl.LOCK_EX, "serves this ledger; stop it first."):
        yield


def lock_file(database_url: str, folder: Path) -> Path:
    """Return the lock's file: beside an SQLite file, and otherwise in the data folder."""
    path = sqlite_path(database_url) if is_sqlite(database_url) else folder / "ledger"
    return path.with_name(path.name + SUFFIX)


@contextmanager
def _held(database_url: str, folder: Path, how: int, told: str) -> Iterator[None]:
    handle = os.open(lock_file(database_url, folder), os.O_RDWR | os.O_CREAT, _PRIVATE)
    try:
        try:
            fcntl.flock(handle, how | fcntl.LOCK_NB)
        except BlockingIOError as error:
            holder = os.read(handle, 32).decode("ascii", "replace").strip() or "unknown"
            raise ServedAlready(f"Process {holder} {told}") from error
        os.ftruncate(handle, 0)
        os.pwrite(handle, b"%d\n" % os.getpid(), 0)
        yield
    finally:
        os.close(handle)
