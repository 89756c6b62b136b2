# SPDX-License-Identifier: Apache-2.0
"""C2SP tlog-witness, ``add-checkpoint``: the request, and what a witness makes of it.

A witness cosigns a checkpoint that its log has signed and that continues the one it cosigned last,
and nothing else. The steps are numbered as they are asked. That the last checkpoint is still the
last one when the new one is stored is for whoever keeps it (one lock around both).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from app.core.digest import from_base64, to_base64
from app.core.errors import IntegrityBroken, MalformedDocument
from app.core.log.checkpoint import Checkpoint, parse_checkpoint
from app.core.log.merkle import EMPTY_ROOT, HASH_BYTES, verify_consistency
from app.core.log.note import Note, NoteVerifier, parse_note, verify_note

MAX_HASHES: Final = 63
"""Consistency proof lines that a client may send."""

MAX_REQUEST_BYTES: Final = 64 * 1024
"""Longest request read."""

_OLD: Final = re.compile(r"old (0|[1-9][0-9]{0,18})")


class WitnessAnswer(StrEnum):
    """What a witness answers; each has a status of its own."""

    COSIGNED = "cosigned"
    MALFORMED = "malformed"
    NOT_SIGNED = "not-signed"
    UNKNOWN_LOG = "unknown-log"
    OTHER_SIZE = "other-size"
    UNPROVEN = "unproven"


@dataclass(frozen=True, slots=True)
class AddCheckpoint:
    """A request to cosign.

    Attributes:
        old_size: of the checkpoint that the witness is believed to have cosigned last.
        proof: that the new one continues it.
        note: the new checkpoint as its log signed it.
    """

    old_size: int
    proof: tuple[bytes, ...]
    note: Note

    def to_bytes(self) -> bytes:
        """Return the body of the request."""
        lines = (f"old {self.old_size}", *map(to_base64, self.proof), "", "")
        return "\n".join(lines).encode() + self.note.to_bytes()


def parse_add_checkpoint(data: bytes) -> AddCheckpoint:
    """Read a request; nothing in it is verified.

    Raises:
        MalformedDocument: ``add-checkpoint``, ``note`` or ``base64``.
    """
    head, blank, note = data.partition(b"\n\n")
    try:
        first, *lines = head.decode("ascii").split("\n")
    except UnicodeDecodeError as error:
        raise _malformed("expected ASCII above the checkpoint") from error
    old = _OLD.fullmatch(first)
    if len(data) > MAX_REQUEST_BYTES or not blank or old is None or len(lines) > MAX_HASHES:
        raise _malformed("expected an old size, at most 63 hashes, an empty line, a checkpoint")
    proof = tuple(from_base64(line) for line in lines)
    if any(len(item) != HASH_BYTES for item in proof):
        raise _malformed("expected hashes of 32 bytes")
    return AddCheckpoint(int(old[1]), proof, parse_note(note))


def origin_of(request: AddCheckpoint) -> str:
    """Return the name of the log that a request is about."""
    return request.note.text.split("\n", 1)[0]


def judge_request(
    request: AddCheckpoint,
    logs: Mapping[str, Sequence[NoteVerifier]],
    last: Checkpoint | None,
) -> Checkpoint | WitnessAnswer:
    """Return the checkpoint to cosign, or why none is.

    Args:
        request: as read.
        logs: by origin, the keys of the logs that are witnessed.
        last: what was cosigned last for this log.
    """
    # 1. Whose log is it?
    keys = logs.get(origin_of(request))
    if keys is None:
        return WitnessAnswer.UNKNOWN_LOG
    # 2. Has it signed this?
    try:
        verify_note(request.note, keys)
    except IntegrityBroken:
        return WitnessAnswer.NOT_SIGNED
    # 3. Is it a checkpoint, and not before the old size?
    try:
        checkpoint = parse_checkpoint(request.note.text)
    except MalformedDocument as error:
        empty = error.code == "checkpoint-empty"
        return WitnessAnswer.UNPROVEN if empty else WitnessAnswer.MALFORMED
    if request.old_size > checkpoint.size:
        return WitnessAnswer.MALFORMED
    # 4. Does the log know what was cosigned last?
    if request.old_size != (0 if last is None else last.size):
        return WitnessAnswer.OTHER_SIZE
    # 5. Does it continue that?
    try:
        verify_consistency(
            old_size=request.old_size,
            old_root=EMPTY_ROOT if last is None else last.root,
            new_size=checkpoint.size,
            new_root=checkpoint.root,
            proof=request.proof,
        )
    except IntegrityBroken:
        return WitnessAnswer.UNPROVEN
    return checkpoint


def _malformed(what: str) -> MalformedDocument:
    return MalformedDocument(f"Not a request to cosign: {what}.", code="add-checkpoint")
