# SPDX-License-Identifier: Apache-2.0
"""What a witness has cosigned last, log by log, in one file that is replaced whole.

The check of a request and the storing of its outcome happen under one lock, held over processes
too: between them nobody else can cosign a smaller tree after a larger one. What is answered is
durable before it is answered.
"""

from __future__ import annotations

import fcntl
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from app.core.canonical import canonical, parse_canonical
from app.core.errors import FairtrialError, IntegrityBroken
from app.core.log.checkpoint import Checkpoint, parse_checkpoint
from app.core.log.note import Note, parse_note
from app.runner.kept_files import replace_file

_VERSION: Final = 1


@dataclass(frozen=True, slots=True)
class LastCosigned:
    """What was cosigned last for one log: the note with the log's signature and ours."""

    note: Note

    @property
    def checkpoint(self) -> Checkpoint:
        """What it says."""
        return parse_checkpoint(self.note.text)


class WitnessState:
    """The file, and the lock beside it."""

    def __init__(self, path: Path) -> None:
        """Keep the state at ``path``; a file that is not there is a witness that saw nothing."""
        self._path = path
        self._threads = threading.Lock()

    def last(self, origin: str) -> LastCosigned | None:
        """Return what was cosigned last for a log.

        Raises:
            IntegrityBroken: ``witness-state``, the file is damaged.
        """
        note = self._read().get(origin)
        return None if note is None else LastCosigned(note)

    def change(self, origin: str, decide: Callable[[LastCosigned | None], Note | None]) -> None:
        """Let ``decide`` see what was cosigned last, and store what it returns before returning.

        Raises:
            IntegrityBroken: ``witness-state``; then nothing may be cosigned.
        """
        with self._alone():
            notes = self._read()
            before = notes.get(origin)
            after = decide(None if before is None else LastCosigned(before))
            if after is not None:
                notes = {**notes, origin: after}
                logs = {name: note.to_bytes().decode() for name, note in notes.items()}
                replace_file(self._path, canonical({"v": _VERSION, "logs": logs}) + b"\n")

    @contextmanager
    def _alone(self) -> Iterator[None]:
        with self._threads, self._path.with_name(f"{self._path.name}.lock").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def _read(self) -> Mapping[str, Note]:
        if not self._path.exists():
            return {}
        try:
            record = parse_canonical(self._path.read_bytes().removesuffix(b"\n"))
            logs = record.get("logs") if isinstance(record, dict) else None
            if not isinstance(logs, dict):
                raise _damaged()
            notes = {origin: parse_note(str(note).encode()) for origin, note in logs.items()}
            if any(parse_checkpoint(note.text).origin != name for name, note in notes.items()):
                raise _damaged()
        except FairtrialError as error:
            raise _damaged() from error
        return notes


def _damaged() -> IntegrityBroken:
    message = (
        "The witness's state file is damaged. Nothing is cosigned until it is restored: a witness "
        "that forgot what it saw could be led to cosign another history."
    )
    return IntegrityBroken(message, code="witness-state")
