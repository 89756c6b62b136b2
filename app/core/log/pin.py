# SPDX-License-Identifier: Apache-2.0
"""A pin: the newest checkpoint of a log that this reader has verified, and whose log that is.

It is a reader's memory: with it the next look can be held against the last one. It is JSON in JCS
form and proves itself: the checkpoint in it is signed by the key in it. So damage to the file is
told apart from a log that misbehaves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from app.core.canonical import canonical, parse_canonical
from app.core.digest import is_digest
from app.core.errors import FairtrialError, IntegrityBroken
from app.core.log.checkpoint import Checkpoint, open_checkpoint
from app.core.log.note import NoteVerifier, parse_vkey

_VERSION: Final = 1
_MEMBERS: Final = frozenset({"v", "genesis", "checkpoint_key", "checkpoint"})


@dataclass(frozen=True, slots=True)
class Pin:
    """What a reader remembers of one log.

    Attributes:
        genesis: digest of its genesis statement.
        log: the key that signs its checkpoints, under the name that is its origin.
        note: the newest verified checkpoint, as it was signed.
        checkpoint: what it says.
    """

    genesis: str
    log: NoteVerifier
    note: str
    checkpoint: Checkpoint

    def to_bytes(self) -> bytes:
        """Return the file's content."""
        record = {
            "v": _VERSION,
            "genesis": self.genesis,
            "checkpoint_key": self.log.to_vkey(),
            "checkpoint": self.note,
        }
        return canonical(record) + b"\n"


def pin_of(genesis: str, log: NoteVerifier, note: str) -> Pin:
    """Return the pin of a checkpoint.

    Raises:
        MalformedDocument: the note is none, or holds no checkpoint.
        IntegrityBroken: ``log`` has not signed it.
    """
    return Pin(genesis, log, note, open_checkpoint(note.encode(), log, origin=log.name))


def parse_pin(data: bytes) -> Pin:
    """Read a pin file.

    Raises:
        IntegrityBroken: ``pin``: the file is damaged; nothing is said about the log.
    """
    try:
        record = parse_canonical(data.removesuffix(b"\n"))
        if not isinstance(record, dict) or record.keys() != _MEMBERS or record["v"] != _VERSION:
            raise _damaged()
        genesis, vkey, note = (record[name] for name in ("genesis", "checkpoint_key", "checkpoint"))
        if not (isinstance(genesis, str) and isinstance(vkey, str) and isinstance(note, str)):
            raise _damaged()
        if not is_digest(genesis):
            raise _damaged()
        return pin_of(genesis, parse_vkey(vkey), note)
    except FairtrialError as error:
        raise _damaged() from error


def _damaged() -> IntegrityBroken:
    message = (
        "This pin file is damaged: it does not hold a checkpoint signed by the key in it. That "
        "says nothing about the log; take the file from a copy, or begin a new one."
    )
    return IntegrityBroken(message, code="pin")
