# SPDX-License-Identifier: Apache-2.0
"""C2SP tlog-cosignature (v1, Ed25519): a witness says when it saw a checkpoint, and that it grows.

A cosignature stands as one more signature line under the checkpoint. What is signed is a header, a
time line and the whole text of the note; the time stands in the line, before the signature. Who
counts as a witness is the reader's choice: lines of anybody else are ignored.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from app.core.digest import to_base64
from app.core.errors import IntegrityBroken, MalformedDocument
from app.core.log.note import Note, NoteSignature, key_id_of, vkey_parts
from app.core.signing.ed25519 import SIGNATURE_BYTES
from app.core.signing.keys import KeyAlgorithm, PublicKey, SigningKey, ed25519_public_key

COSIGNATURE: Final = b"\x04"
"""Signature type identifier of an Ed25519 cosignature."""

MAX_TIMESTAMP: Final = 2**63 - 1
_TIMESTAMP_BYTES: Final = 8


@dataclass(frozen=True, slots=True)
class Witness:
    """A named key whose cosignatures somebody counts."""

    name: str
    key: PublicKey

    @property
    def key_id(self) -> bytes:
        """SHA-256(name || 0x0A || 0x04 || public key), its first four bytes."""
        return key_id_of(self.name, COSIGNATURE, self.key.raw)

    def to_vkey(self) -> str:
        """Return ``name+hex(id)+base64(0x04 || public key)``."""
        return f"{self.name}+{self.key_id.hex()}+{to_base64(COSIGNATURE + self.key.raw)}"


@dataclass(frozen=True, slots=True)
class Cosignature:
    """A verified cosignature.

    Attributes:
        witness: whose it is.
        at_s: when, by the witness's clock, in seconds since 1970.
        line: as it stands under the note.
    """

    witness: Witness
    at_s: int
    line: NoteSignature


def parse_witness(vkey: str) -> Witness:
    """Read a witness's verifier key.

    Raises:
        MalformedDocument: ``note-key`` or ``base64``.
    """
    name, key_id, raw = vkey_parts(vkey, COSIGNATURE)
    witness = witness_of(name, ed25519_public_key(raw))
    if witness.key_id.hex() != key_id:
        message = "The key id of this witness is not the one that follows from its name and key."
        raise MalformedDocument(message, code="note-key")
    return witness


def witness_of(name: str, key: PublicKey) -> Witness:
    """Return the witness of this name and key.

    Raises:
        MalformedDocument: ``note-key``, a name no note can carry, or a key that is not Ed25519.
    """
    if not name or any(one.isspace() or one == "+" for one in name):
        message = "A key name is not empty and holds neither space nor plus."
        raise MalformedDocument(message, code="note-key")
    if key.algorithm is not KeyAlgorithm.ED25519:
        message = "A witness signs with Ed25519; this key is of another algorithm."
        raise MalformedDocument(message, code="note-key")
    return Witness(name, key)


def cosign(text: str, name: str, key: SigningKey, *, at_s: int) -> NoteSignature:
    """Return the line of a cosignature over a checkpoint's text.

    Args:
        text: of the note, up to and with its last newline.
        name: the witness's.
        key: its private key.
        at_s: now, in seconds since 1970.

    Raises:
        MalformedDocument: ``note-key``.
    """
    witness = witness_of(name, key.public)
    signature = at_s.to_bytes(_TIMESTAMP_BYTES, "big") + key.sign(_message(text, at_s))
    return NoteSignature(name, witness.key_id, signature)


def cosignatures_of(note: Note, witnesses: Sequence[Witness]) -> tuple[Cosignature, ...]:
    """Return the cosignatures of those ``witnesses`` that stand under a note, one of each.

    Raises:
        IntegrityBroken: ``note-signature``, a line of a known witness does not verify.
    """
    known = {(witness.name, witness.key_id): witness for witness in witnesses}
    found: dict[Witness, Cosignature] = {}
    for line in note.signatures:
        witness = known.get((line.name, line.key_id))
        if witness is not None:
            found.setdefault(witness, _verified(note.text, line, witness))
    return tuple(found.values())


def _verified(text: str, line: NoteSignature, witness: Witness) -> Cosignature:
    at_s = int.from_bytes(line.signature[:_TIMESTAMP_BYTES], "big")
    signature = line.signature[_TIMESTAMP_BYTES:]
    if (
        len(signature) != SIGNATURE_BYTES
        or at_s > MAX_TIMESTAMP
        or not witness.key.verify(signature, _message(text, at_s))
    ):
        message = "A known witness's cosignature under this checkpoint does not verify."
        raise IntegrityBroken(message, code="note-signature")
    return Cosignature(witness, at_s, line)


def _message(text: str, at_s: int) -> bytes:
    return f"cosignature/v1\ntime {at_s}\n{text}".encode()
