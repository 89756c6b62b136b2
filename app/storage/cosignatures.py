# SPDX-License-Identifier: Apache-2.0
"""The newest cosigned checkpoint of each witness, in one file in the data folder.

It is no part of the ledger: lost, it is asked for again. Replaced whole, so that other processes
read the old one or the new one; a lock beside it makes one of them the one that asks.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final, TextIO

from app.core.canonical import canonical, parse_canonical
from app.core.errors import FairtrialError

FILE: Final = "cosignatures.json"
LOCK: Final = "cosignatures.lock"


class CosignatureFile:
    """Notes by the witness's verifier key."""

    def __init__(self, data_dir: Path) -> None:
        """Keep the file in the data folder."""
        self._path = data_dir / FILE
        self._lock_path = data_dir / LOCK
        self._lock: TextIO | None = None
        self._seen = (0, 0)
        self._kept: Mapping[str, bytes] = {}

    def kept(self) -> Mapping[str, bytes]:
        """Return what is kept; a file that cannot be read is one that holds nothing."""
        try:
            status = self._path.stat()
            seen = (status.st_mtime_ns, status.st_ino)
            if seen != self._seen:
                self._kept, self._seen = _read(self._path.read_bytes()), seen
        except FileNotFoundError:
            self._kept, self._seen = {}, (0, 0)
        return self._kept

    def keep(self, vkey: str, note: bytes) -> None:
        """Keep a note in the place of the one before."""
        notes = {name: text.decode() for name, text in {**self.kept(), vkey: note}.items()}
        written = self._path.with_name(f".{FILE}.{os.getpid()}")
        written.write_bytes(canonical(notes) + b"\n")
        written.replace(self._path)

    def is_mine(self) -> bool:
        """Tell whether this process holds the lock; it is tried again on each call."""
        if self._lock is not None:
            return True
        lock = self._lock_path.open("a")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.close()
            return False
        self._lock = lock
        return True

    def close(self) -> None:
        """Let another process ask."""
        if self._lock is not None:
            self._lock.close()
            self._lock = None


def _read(data: bytes) -> Mapping[str, bytes]:
    try:
        record = parse_canonical(data.removesuffix(b"\n"))
    except FairtrialError:
        return {}
    if not isinstance(record, dict):
        return {}
    return {vkey: str(note).encode() for vkey, note in record.items()}
