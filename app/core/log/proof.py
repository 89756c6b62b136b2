# SPDX-License-Identifier: Apache-2.0
"""C2SP tlog-proof (v1): one text that shows offline that a record stands in the log.

It holds an index, the inclusion proof and the checkpoint, verbatim, with whatever cosignatures it
has. The ``extra`` line is authenticated by nothing and is never believed here. The record itself is
not in the text: a verifier brings the record it was given, so that a proof of another entry proves
nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from app.core.digest import from_base64, to_base64
from app.core.errors import MalformedDocument
from app.core.log.checkpoint import Checkpoint, verify_checkpoint
from app.core.log.merkle import HASH_BYTES, verify_inclusion
from app.core.log.note import Note, NoteVerifier, parse_note

HEADER = "c2sp.org/tlog-proof@v1"
"""First line of the text."""

MAX_HASHES = 63
"""Longest inclusion proof read: a tree of 2**63 leaves has no longer one."""

_INDEX = re.compile(r"index (0|[1-9][0-9]{0,18})")
_EXTRA = "extra "


@dataclass(frozen=True, slots=True)
class TlogProof:
    """A record's place, the path from it to a root, and the checkpoint that says the root.

    Attributes:
        index: zero-based index of the record.
        hashes: the inclusion proof, the leaf's sibling first.
        checkpoint: the signed note, not yet verified.
        extra: opaque bytes that nothing authenticates.
    """

    index: int
    hashes: tuple[bytes, ...]
    checkpoint: Note
    extra: bytes | None = None

    def to_bytes(self) -> bytes:
        """Return the text as it is stored and served."""
        lines = [HEADER]
        if self.extra is not None:
            lines.append(_EXTRA + to_base64(self.extra))
        lines += (f"index {self.index}", *map(to_base64, self.hashes), "", "")
        return "\n".join(lines).encode() + self.checkpoint.to_bytes()


def parse_proof(data: bytes) -> TlogProof:
    """Read the text of a proof; nothing in it is verified.

    Raises:
        MalformedDocument: ``tlog-proof``, ``note`` or ``base64``.
    """
    head, blank, note = data.partition(b"\n\n")
    try:
        lines = head.decode("ascii").split("\n")
    except UnicodeDecodeError as error:
        raise _malformed("expected ASCII above the checkpoint", offset=error.start) from error
    if not blank or lines.pop(0) != HEADER:
        raise _malformed(f"expected {HEADER}, an index, hashes, an empty line and a checkpoint")
    extra = None
    if lines and lines[0].startswith(_EXTRA):
        extra = from_base64(lines.pop(0).removeprefix(_EXTRA))
    index = _INDEX.fullmatch(lines.pop(0)) if lines else None
    if index is None:
        raise _malformed("expected the index in decimal, without leading zeroes")
    hashes = tuple(from_base64(line) for line in lines)
    if len(hashes) > MAX_HASHES or any(len(item) != HASH_BYTES for item in hashes):
        raise _malformed(f"expected at most {MAX_HASHES} hashes of {HASH_BYTES} bytes")
    return TlogProof(int(index[1]), hashes, parse_note(note), extra)


def verify_proof(proof: TlogProof, leaf: bytes, log: NoteVerifier, *, origin: str) -> Checkpoint:
    """Verify that the leaf hash ``leaf`` stands where the proof says, and return the checkpoint.

    The order is that of "Verifying a tlog proof": the checkpoint first, the path last. How many
    witnesses are enough is the caller's policy; the note is in ``proof.checkpoint``.

    Raises:
        MalformedDocument: the note holds no checkpoint.
        IntegrityBroken: as ``verify_checkpoint`` and ``verify_inclusion``.
    """
    checkpoint = verify_checkpoint(proof.checkpoint, log, origin=origin)
    verify_inclusion(
        leaf, index=proof.index, size=checkpoint.size, proof=proof.hashes, root=checkpoint.root
    )
    return checkpoint


def _malformed(what: str, *, offset: int | None = None) -> MalformedDocument:
    return MalformedDocument(f"Not a log proof: {what}.", code="tlog-proof", offset=offset)
