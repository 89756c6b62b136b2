# SPDX-License-Identifier: Apache-2.0
"""C2SP signed-note (v1.0.0): text signed by one or more named keys.

Only Ed25519 signatures (type 0x01) are made and verified here. Key ids are four bytes and no more
than a hint: the pair (name, id) picks the key, the full public key decides. Signatures of unknown
keys are ignored, as the specification demands; a known key whose signature does not verify spoils
the note.

Read more strictly than Go's ``sumdb/note`` in one point: base64 must be canonical.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from app.core.digest import from_base64, sha256, to_base64
from app.core.errors import IntegrityBroken, MalformedDocument
from app.core.signing.ed25519 import KEY_BYTES
from app.core.signing.keys import (
    KeyAlgorithm,
    PublicKey,
    SigningKey,
    ed25519_public_key,
    ed25519_signing_key,
)

ED25519 = b"\x01"
"""Signature type identifier of Ed25519."""

MAX_SIGNATURES = 64
"""Signature lines read; the specification demands at least 16."""

MAX_NOTE_BYTES = 1 << 20
"""Longest note read."""

KEY_ID_BYTES = 4

_DASH = "\u2014 "
_SKEY_PREFIX = "PRIVATE+KEY+"
_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f]")
_SPACE_OR_PLUS = re.compile(r"[\s+]")


@dataclass(frozen=True, slots=True)
class NoteSignature:
    """One signature line, not yet verified."""

    name: str
    key_id: bytes
    signature: bytes

    def to_line(self) -> str:
        """Return the line, with its newline."""
        return f"{_DASH}{self.name} {to_base64(self.key_id + self.signature)}\n"


@dataclass(frozen=True, slots=True)
class Note:
    """A text, which ends in a newline, and the signatures under it."""

    text: str
    signatures: tuple[NoteSignature, ...]

    def to_bytes(self) -> bytes:
        """Return the note as it is stored and served."""
        lines = "".join(signature.to_line() for signature in self.signatures)
        return f"{self.text}\n{lines}".encode()


@dataclass(frozen=True, slots=True)
class NoteVerifier:
    """A named Ed25519 public key."""

    name: str
    key: PublicKey

    def __post_init__(self) -> None:
        """Refuse a name or a key that no note can carry."""
        _refuse_name(self.name)
        if self.key.algorithm is not KeyAlgorithm.ED25519:
            message = "A note is signed with Ed25519; this key is of another algorithm."
            raise MalformedDocument(message, code="note-key")

    @property
    def key_id(self) -> bytes:
        """SHA-256(name || 0x0A || 0x01 || public key), its first four bytes."""
        return key_id_of(self.name, ED25519, self.key.raw)

    def to_vkey(self) -> str:
        """Return ``name+hex(id)+base64(0x01 || public key)``."""
        return f"{self.name}+{self.key_id.hex()}+{to_base64(ED25519 + self.key.raw)}"


@dataclass(frozen=True, slots=True)
class NoteSigner:
    """A named Ed25519 private key."""

    name: str
    key: SigningKey

    @property
    def verifier(self) -> NoteVerifier:
        """The public half."""
        return NoteVerifier(self.name, self.key.public)

    def sign(self, text: str) -> NoteSignature:
        """Return this key's signature over ``text``."""
        return NoteSignature(self.name, self.verifier.key_id, self.key.sign(text.encode()))

    def to_skey(self) -> str:
        """Return ``PRIVATE+KEY+name+hex(id)+base64(0x01 || seed)``, the form of Go's sumdb/note."""
        key_id = self.verifier.key_id.hex()
        return f"{_SKEY_PREFIX}{self.name}+{key_id}+{to_base64(ED25519 + self.key.seed)}"


def parse_note(data: bytes) -> Note:
    """Read a signed note; no signature is verified.

    Raises:
        MalformedDocument: ``note`` or ``base64``.
    """
    text = _note_text(data)
    body, blank, block = text.rpartition("\n\n")
    lines = block.split("\n")
    if not blank or lines.pop() or not lines:
        raise _malformed("expected a text, an empty line and signature lines that end in a newline")
    if len(lines) > MAX_SIGNATURES:
        raise _malformed(f"expected at most {MAX_SIGNATURES} signatures")
    return Note(body + "\n", tuple(_signature(line) for line in lines))


def sign_note(text: str, signers: Sequence[NoteSigner]) -> Note:
    """Return ``text`` signed by each signer, in order.

    Raises:
        MalformedDocument: ``note``, a text that no note can carry.
    """
    if not text.endswith("\n") or _CONTROL.search(text):
        raise _malformed("the text must end in a newline and hold no other control character")
    return Note(text, tuple(signer.sign(text) for signer in signers))


def verify_note(note: Note, verifiers: Sequence[NoteVerifier]) -> tuple[NoteVerifier, ...]:
    """Return the verifiers whose signature stands under the note, at least one.

    Raises:
        IntegrityBroken: ``note-signature``, a known key's signature does not verify;
            ``note-unsigned``, no known key signed.
    """
    known = {(verifier.name, verifier.key_id): verifier for verifier in verifiers}
    verified: dict[NoteVerifier, None] = {}
    for signature in note.signatures:
        verifier = known.get((signature.name, signature.key_id))
        if verifier is None:
            continue
        if not verifier.key.verify(signature.signature, note.text.encode()):
            message = "A known key's signature under this note does not verify."
            raise IntegrityBroken(message, code="note-signature")
        verified[verifier] = None
    if not verified:
        message = "No known key signed this note."
        raise IntegrityBroken(message, code="note-unsigned")
    return tuple(verified)


def parse_vkey(text: str) -> NoteVerifier:
    """Read a verifier key.

    Raises:
        MalformedDocument: ``note-key`` or ``base64``.
    """
    name, key_id, raw = vkey_parts(text, ED25519)
    verifier = NoteVerifier(name, ed25519_public_key(raw))
    return _with_id(verifier, key_id)


def parse_skey(text: str) -> NoteSigner:
    """Read a signer key, as ``NoteSigner.to_skey`` and Go's sumdb/note write it.

    Raises:
        MalformedDocument: ``note-key`` or ``base64``.
    """
    if not text.startswith(_SKEY_PREFIX):
        raise _malformed_key()
    name, key_id, seed = vkey_parts(text.removeprefix(_SKEY_PREFIX), ED25519)
    signer = NoteSigner(name, ed25519_signing_key(seed))
    _with_id(signer.verifier, key_id)
    return signer


def key_id_of(name: str, algorithm: bytes, raw: bytes) -> bytes:
    """Return SHA-256(name || 0x0A || algorithm || public key), its first four bytes."""
    return sha256(name.encode() + b"\n" + algorithm + raw)[:KEY_ID_BYTES]


def vkey_parts(text: str, algorithm: bytes) -> tuple[str, str, bytes]:
    """Cut ``name+hex+base64`` into name, id and 32 bytes of a key of ``algorithm``.

    Base64 may hold a plus of its own, a name may not.

    Raises:
        MalformedDocument: ``note-key`` or ``base64``.
    """
    parts = text.split("+", 2)
    if len(parts) != 3:
        raise _malformed_key()
    name, key_id, encoded = parts
    material = from_base64(encoded)
    if material[:1] != algorithm or len(material) != 1 + KEY_BYTES:
        raise _malformed_key()
    return name, key_id, material[1:]


def _with_id(verifier: NoteVerifier, key_id: str) -> NoteVerifier:
    if verifier.key_id.hex() != key_id:
        raise _malformed_key()
    return verifier


def _note_text(data: bytes) -> str:
    if len(data) > MAX_NOTE_BYTES:
        raise _malformed(f"expected at most {MAX_NOTE_BYTES} bytes")
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise _malformed("expected UTF-8", offset=error.start) from error
    if _CONTROL.search(text):
        raise _malformed("expected no control character but newline")
    return text


def _signature(line: str) -> NoteSignature:
    name, space, encoded = line.removeprefix(_DASH).partition(" ")
    if not line.startswith(_DASH) or not space:
        raise _malformed("expected signature lines of the form: dash, name, base64")
    _refuse_name(name)
    data = from_base64(encoded)
    if len(data) <= KEY_ID_BYTES:
        raise _malformed("expected a key id and a signature")
    return NoteSignature(name, data[:KEY_ID_BYTES], data[KEY_ID_BYTES:])


def _refuse_name(name: str) -> None:
    if not name or _SPACE_OR_PLUS.search(name):
        message = "A key name is not empty and holds neither space nor plus."
        raise MalformedDocument(message, code="note-key")


def _malformed(what: str, *, offset: int | None = None) -> MalformedDocument:
    return MalformedDocument(f"Not a signed note: {what}.", code="note", offset=offset)


def _malformed_key() -> MalformedDocument:
    message = (
        "Expected a note key: name+hex(id)+base64(type and 32 bytes), with the id that follows."
    )
    return MalformedDocument(message, code="note-key")
