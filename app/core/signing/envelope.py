# SPDX-License-Identifier: Apache-2.0
"""The DSSE v1.0.2 envelope: its encoding for signatures (PAE), strict reading, signing, verifying.

The order of a reader is the protocol's own ("To verify"): decode, pick the key by ``keyid``, verify
the PAE over the type as received, only then ask whether that type is taken, only then parse the
payload, from the very bytes that were verified. So a changed type fails as a bad signature (401),
and a type that someone did sign fails as the wrong type (422).

Stricter than DSSE, on purpose: one base64 alphabet with canonical padding, so that an envelope has
no second spelling; ``keyid`` must be there, since it picks the one key that is tried; no unknown
member.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from app.core.canonical import JsonValue, parse_strict
from app.core.digest import from_base64, sha256_hex, to_base64
from app.core.errors import Finding, MalformedDocument, NotAuthenticated, SchemaViolation
from app.core.signing.keys import PublicKey, SigningKey

PAYLOAD_TYPE = "application/vnd.in-toto+json"
"""The one payload type this ledger takes; compared byte for byte."""

MAX_SIGNATURES = 8
"""Signatures in one envelope: a key statement may carry every admin's."""

_MEMBERS = frozenset({"payload", "payloadType", "signatures"})
_SIGNATURE_MEMBERS = frozenset({"keyid", "sig"})


class _SignatureText(msgspec.Struct, forbid_unknown_fields=True):
    keyid: str
    sig: str


class _EnvelopeText(msgspec.Struct, forbid_unknown_fields=True):
    payload: str
    payload_type: str = msgspec.field(name="payloadType")
    signatures: list[_SignatureText]


_DECODER = msgspec.json.Decoder(_EnvelopeText)
_ENCODER = msgspec.json.Encoder(order="sorted")


@dataclass(frozen=True, slots=True)
class Signature:
    """One signature and the id of the key that is said to have made it."""

    keyid: str
    sig: bytes


@dataclass(frozen=True, slots=True)
class Envelope:
    """A payload and the signatures around it, decoded and not yet believed."""

    payload_type: str
    payload: bytes
    signatures: tuple[Signature, ...]

    @property
    def keyids(self) -> tuple[str, ...]:
        """The key ids, each once, in the order they stand."""
        return tuple(signature.keyid for signature in self.signatures)

    @property
    def payload_digest(self) -> str:
        """SHA-256 of the payload in hex: the identity of the statement, however it was wrapped."""
        return sha256_hex(self.payload)


def pae(payload_type: str, payload: bytes) -> bytes:
    """Return the pre-authentication encoding: the bytes a signature is over (DSSE, "PAE")."""
    kind = payload_type.encode()
    return b"DSSEv1 %d %b %d %b" % (len(kind), kind, len(payload), payload)


def parse_envelope(data: bytes) -> Envelope:
    """Read an envelope from JSON; nothing in it is verified yet.

    Raises:
        MalformedDocument: not strict JSON, or ``base64``.
        SchemaViolation: not the members of an envelope (``unknown-member``,
            ``too-many-signatures``, ``duplicate-keyid``, ``schema-violation``), or what
            ``parse_strict`` refuses with it.
        NotAuthenticated: no signature, or one without a ``keyid``.
    """
    plain = _plain(data)
    accepted = None if plain is None else _accepted(plain)
    return _explained(data) if accepted is None else accepted


def _accepted(plain: _EnvelopeText) -> Envelope | None:
    """Return the envelope that is good in every way; None: it has to be read to say why not."""
    keyids = {each.keyid for each in plain.signatures}
    if not keyids or "" in keyids or not len(keyids) == len(plain.signatures) <= MAX_SIGNATURES:
        return None
    try:
        signatures = tuple(Signature(s.keyid, from_base64(s.sig)) for s in plain.signatures)
        return Envelope(plain.payload_type, from_base64(plain.payload), signatures)
    except MalformedDocument:
        return None


def _explained(data: bytes) -> Envelope:
    document = _object(parse_strict(data), _MEMBERS, "")
    payload_type = _text(document, "payloadType", "")
    payload = _bytes(document, "payload", "")
    items = document.get("signatures")
    if not isinstance(items, list):
        raise _violation("/signatures", "type", "Expected an array of signatures.")
    if not items:
        raise NotAuthenticated("The envelope carries no signature; sign it first.")
    if len(items) > MAX_SIGNATURES:
        detail = f"Expected at most {MAX_SIGNATURES} signatures."
        raise _violation("/signatures", "maxItems", detail, code="too-many-signatures")
    signatures = tuple(_signature(item, f"/signatures/{i}") for i, item in enumerate(items))
    if len({signature.keyid for signature in signatures}) != len(signatures):
        detail = "Each key signs once; a keyid stands here twice."
        raise _violation("/signatures", "uniqueItems", detail, code="duplicate-keyid")
    return Envelope(payload_type, payload, signatures)


def is_canonical(data: bytes) -> bool:
    """Tell whether ``data`` is an envelope in its canonical form and in characters of its own.

    Such a text has no second reading: every member stands once and holds plain text.
    """
    return _plain(data) is not None


def to_json(envelope: Envelope) -> bytes:
    """Return the envelope in its canonical JSON form."""
    signatures = [_SignatureText(each.keyid, to_base64(each.sig)) for each in envelope.signatures]
    text = _EnvelopeText(to_base64(envelope.payload), envelope.payload_type, signatures)
    return _ENCODER.encode(text)


def sign(
    payload: bytes, keys: Sequence[SigningKey], *, payload_type: str = PAYLOAD_TYPE
) -> Envelope:
    """Return an envelope around ``payload`` with one signature per key, in the order given."""
    message = pae(payload_type, payload)
    signatures = tuple(Signature(key.key_id, key.sign(message)) for key in keys)
    return Envelope(payload_type, payload, signatures)


def verify_signature(envelope: Envelope, keyid: str, key: PublicKey) -> None:
    """Verify the one signature that names ``keyid``, with ``key`` and no other.

    Raises:
        NotAuthenticated: ``unknown-key``, no signature names ``keyid`` or ``key`` is another key;
            ``bad-signature``, the signature is not this key's over this type and payload.
    """
    found = next((s for s in envelope.signatures if s.keyid == keyid), None)
    if found is None or key.key_id != keyid:
        message = "No signature of this envelope was made by the expected key."
        raise NotAuthenticated(message, code="unknown-key")
    if not key.verify(found.sig, pae(envelope.payload_type, envelope.payload)):
        message = "The signature does not fit this key, payload type and payload."
        raise NotAuthenticated(message, code="bad-signature")


def refuse_payload_type(envelope: Envelope) -> None:
    """Refuse any payload type but the one taken; ask this only after the signature verified.

    Raises:
        SchemaViolation: ``payload-type``.
    """
    if envelope.payload_type != PAYLOAD_TYPE:
        detail = f"Expected the payload type {PAYLOAD_TYPE}, in exactly this spelling."
        raise _violation("/payloadType", "const", detail, code="payload-type")


def _plain(data: bytes) -> _EnvelopeText | None:
    """Read an envelope fast if its text has one reading; whatever else it is, is read slowly."""
    if not data.isascii() or b"\\" in data:
        return None
    try:
        found = _DECODER.decode(data)
    except msgspec.MsgspecError:
        return None
    return found if _ENCODER.encode(found) == data else None


def _signature(item: JsonValue, pointer: str) -> Signature:
    members = _object(item, _SIGNATURE_MEMBERS, pointer)
    if not members.get("keyid"):
        message = "A signature names no keyid; expected the SHA-256 of the key's DER form."
        raise NotAuthenticated(message)
    return Signature(_text(members, "keyid", pointer), _bytes(members, "sig", pointer))


def _object(value: JsonValue, known: frozenset[str], pointer: str) -> dict[str, JsonValue]:
    if not isinstance(value, dict):
        raise _violation(pointer, "type", "Expected an object.")
    if not known.issuperset(value):
        detail = f"Expected no member but {', '.join(sorted(known))}."
        raise _violation(pointer, "additionalProperties", detail, code="unknown-member")
    return value


def _text(members: dict[str, JsonValue], name: str, pointer: str) -> str:
    value = members.get(name)
    if not isinstance(value, str):
        raise _violation(f"{pointer}/{name}", "type", "Expected a string.")
    return value


def _bytes(members: dict[str, JsonValue], name: str, pointer: str) -> bytes:
    text = _text(members, name, pointer)
    try:
        return from_base64(text)
    except MalformedDocument as error:
        raise MalformedDocument(
            error.detail, code=error.code, pointer=f"{pointer}/{name}"
        ) from error


def _violation(pointer: str, rule: str, detail: str, *, code: str | None = None) -> SchemaViolation:
    return SchemaViolation(detail, code=code, findings=(Finding(pointer, rule, detail),))
