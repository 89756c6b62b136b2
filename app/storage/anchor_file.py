# SPDX-License-Identifier: Apache-2.0
"""The anchor as a file in the data folder: two slots, written in turn, each with its own checksum.

Durability point: ``swap`` returns after ``fdatasync``. A crash while a slot is written spoils that
slot alone; the other holds the checkpoint before it, and the spoilt one was shown to nobody. The
file has its full length from the start, so a swap is one flush of one block. Writing a new file and
renaming it over the old one needs two flushes and the file system's journal: measured on one disk,
0.9 ms against 0.2 ms, and every batch waits for it.

Processes that share the folder take turns by ``flock``.
"""

from __future__ import annotations

import asyncio
import fcntl
import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from app.core.errors import IntegrityBroken
from app.core.log.checkpoint import Checkpoint, parse_checkpoint
from app.core.log.note import parse_note
from app.service.last_shown import checkpoint_of
from app.service.ports import StoreUnavailable

FILE: Final = "checkpoint"
SLOT_BYTES: Final = 4096
_SUM_BYTES: Final = 32
_SLOTS: Final = 2


class AnchorFile:
    """The file ``checkpoint`` in a data folder."""

    def __init__(self, data_dir: Path) -> None:
        """Name the folder; nothing is opened."""
        self._path = data_dir / FILE

    async def read(self) -> bytes | None:
        """Return the signed note, None where there is none.

        Raises:
            StoreUnavailable: the file cannot be read.
            IntegrityBroken: ``anchor``, neither slot holds a checkpoint.
        """
        return await asyncio.to_thread(self._read)

    async def swap(self, old: bytes | None, new: bytes) -> bool:
        """Put ``new`` in the place of ``old``, durably; False: something else stood there.

        Raises:
            StoreUnavailable: the file cannot be written; nothing else stands there than before.
            IntegrityBroken: ``anchor``.
        """
        return await asyncio.to_thread(self._swap, old, new)

    def _read(self) -> bytes | None:
        try:
            with _locked(self._path, os.O_RDONLY, fcntl.LOCK_SH) as handle:
                return _newest(handle)[1]
        except FileNotFoundError:
            return None
        except OSError as error:
            raise _unusable(error) from error

    def _swap(self, old: bytes | None, new: bytes) -> bool:
        try:
            if old is None:
                return self._create(new)
            with _locked(self._path, os.O_RDWR, fcntl.LOCK_EX) as handle:
                slot, current = _newest(handle)
                if current != old:
                    return False
                _write(handle, (slot + 1) % _SLOTS, new)
                return True
        except OSError as error:
            if isinstance(error, FileNotFoundError) and old is not None:
                return False
            raise _unusable(error) from error

    def _create(self, note: bytes) -> bool:
        """Make the file whole under another name first: it is never there half."""
        new = self._path.with_suffix(".new")
        handle = os.open(new, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)
        try:
            os.write(handle, bytes(SLOT_BYTES * _SLOTS))
            _write(handle, 0, note)
            os.fsync(handle)
        finally:
            os.close(handle)
        try:
            os.link(new, self._path)
        except FileExistsError:
            return False
        finally:
            new.unlink()
        sync_folder(self._path.parent)
        return True


def published_checkpoint(path: Path) -> Checkpoint:
    """Return the checkpoint in a file: a signed note, or an anchor. Who signed it is not asked.

    Raises:
        OSError: the file cannot be read.
        MalformedDocument: ``note`` or ``checkpoint``, it holds none.
        IntegrityBroken: ``anchor``, it is an anchor of which neither half can be read.
    """
    if path.stat().st_size != SLOT_BYTES * _SLOTS:
        return parse_checkpoint(parse_note(path.read_bytes()).text)
    with _locked(path, os.O_RDONLY, fcntl.LOCK_SH) as handle:
        return checkpoint_of(_newest(handle)[1])


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def _locked(path: Path, mode: int, lock: int) -> Iterator[int]:
    handle = os.open(path, mode | os.O_CLOEXEC)
    try:
        fcntl.flock(handle, lock)
        yield handle
    finally:
        os.close(handle)  # and with it the lock


def _write(handle: int, slot: int, note: bytes) -> None:
    room = SLOT_BYTES - _SUM_BYTES
    if len(note) > room:
        message = f"A checkpoint of more than {room} bytes does not fit its file."
        raise IntegrityBroken(message, code="anchor")
    body = note.ljust(room, b"\0")
    os.pwrite(handle, body + hashlib.sha256(body).digest(), slot * SLOT_BYTES)
    os.fdatasync(handle)


def _newest(handle: int) -> tuple[int, bytes]:
    """Return the slot with the larger tree, and its note."""
    found = []
    for slot in range(_SLOTS):
        block = os.pread(handle, SLOT_BYTES, slot * SLOT_BYTES)
        body, digest = block[:-_SUM_BYTES], block[-_SUM_BYTES:]
        note = body.rstrip(b"\0")
        if note and hashlib.sha256(body).digest() == digest:
            found.append((checkpoint_of(note).size, slot, note))
    if not found:
        message = "Neither half of the checkpoint file can be read; put it back from a copy."
        raise IntegrityBroken(message, code="anchor")
    _, slot, note = max(found)
    return slot, note


def _unusable(error: OSError) -> StoreUnavailable:
    return StoreUnavailable(f"the checkpoint file: {error.strerror}")
