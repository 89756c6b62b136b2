# SPDX-License-Identifier: Apache-2.0
"""C2SP tlog-checkpoint (v1): what the log says it is, at one size, as the text of a signed note.

Four parts: origin, tree size, root hash, and extension lines, of which this ledger writes none. A
checkpoint is only ever believed with the origin expected and under a signature of that log's key.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from app.core.digest import from_base64, to_base64
from app.core.errors import IntegrityBroken, MalformedDocument
from app.core.log.merkle import EMPTY_ROOT, HASH_BYTES
from app.core.log.note import Note, NoteSigner, NoteVerifier, parse_note, sign_note, verify_note

MAX_SIZE = 2**63 - 1
"""Largest tree size read: what a signed 64-bit reader can hold."""

_SIZE = re.compile(r"0|[1-9][0-9]{0,18}")
_MIN_LINES = 3


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A tree head.

    Attributes:
        origin: the log's name, one line.
        size: number of leaves.
        root: RFC 6962 root hash over them, 32 bytes.
        extensions: further lines, opaque.
    """

    origin: str
    size: int
    root: bytes
    extensions: tuple[str, ...] = ()

    def to_text(self) -> str:
        """Return the note text, which ends in a newline."""
        lines = (self.origin, str(self.size), to_base64(self.root), *self.extensions)
        return "\n".join(lines) + "\n"


def parse_checkpoint(text: str) -> Checkpoint:
    """Read the text of a checkpoint; who signed it is not asked here.

    Raises:
        MalformedDocument: ``checkpoint`` or ``base64``; ``checkpoint-empty``, of size 0 with
            another root than that of nothing.
    """
    lines = text.split("\n")
    if lines.pop() or len(lines) < _MIN_LINES or not all(lines):
        raise _malformed("expected three or more lines, none of them empty")
    origin, size, root, *extensions = lines
    if not _SIZE.fullmatch(size) or int(size) > MAX_SIZE:
        raise _malformed("expected the tree size in decimal, without leading zeroes")
    digest = from_base64(root)
    if len(digest) != HASH_BYTES:
        raise _malformed("expected a root hash of 32 bytes")
    if size == "0" and digest != EMPTY_ROOT:
        message = "Not a checkpoint: expected the root of the empty tree at size 0."
        raise MalformedDocument(message, code="checkpoint-empty")
    return Checkpoint(origin, int(size), digest, tuple(extensions))


def sign_checkpoint(checkpoint: Checkpoint, signers: Sequence[NoteSigner]) -> bytes:
    """Return the signed note of a checkpoint.

    Whoever calls this makes sure that nothing inconsistent was signed before; the text cannot tell.

    Raises:
        MalformedDocument: an origin or an extension that is empty or more than one line.
    """
    text = checkpoint.to_text()
    if parse_checkpoint(text) != checkpoint:
        raise _malformed("the origin and each extension must be one line")
    return sign_note(text, signers).to_bytes()


def open_checkpoint(data: bytes, log: NoteVerifier, *, origin: str) -> Checkpoint:
    """Return the checkpoint of a signed note that ``log`` has signed for ``origin``.

    Raises:
        MalformedDocument: no signed note, or no checkpoint in it.
        IntegrityBroken: as ``verify_checkpoint``.
    """
    return verify_checkpoint(parse_note(data), log, origin=origin)


def verify_checkpoint(note: Note, log: NoteVerifier, *, origin: str) -> Checkpoint:
    """Return the checkpoint of a note already read, as ``open_checkpoint`` does.

    Raises:
        MalformedDocument: no checkpoint in the note.
        IntegrityBroken: ``note-unsigned``, ``note-signature``, or ``checkpoint-origin`` when the
            log has signed a checkpoint of another origin.
    """
    verify_note(note, (log,))
    checkpoint = parse_checkpoint(note.text)
    if checkpoint.origin != origin:
        message = "The checkpoint is of another log: its first line is not the expected origin."
        raise IntegrityBroken(message, code="checkpoint-origin")
    return checkpoint


def _malformed(what: str) -> MalformedDocument:
    return MalformedDocument(f"Not a checkpoint: {what}.", code="checkpoint")
