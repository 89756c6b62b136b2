# SPDX-License-Identifier: Apache-2.0
"""From received bytes to a candidate: every check that needs no state but the keys.

The recipe, in this order; each step is marked with its number.

    1. The envelope is strict JSON of the form DSSE gives it.
    2. A registered key verifies; nothing is inflated or parsed for a stranger.
    3. The payload type is the one taken; only now is the payload read, from the verified bytes.
    4. The payload is a statement of the expected kind, of its shape and in canonical form.
    5. ``signer`` is one of those who signed.
    6. It was made for this ledger.
    7. It holds nothing that must not be published.
    8. Receipts: the capture is inflated within the signed size, is the one that was signed for, has
       its shape, and holds nothing that must not be published.

What 4, 7 and 8 refuse may be content for a slot that this very key holds; then the ledger records
that it was refused (DESIGN.md 7). Whether it does hold the slot is for the sequencer to say.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from app.core.digest import from_base64, sha256_hex
from app.core.errors import NotAuthenticated, Unprocessable, WrongAudience
from app.core.keyring.keyring import Keyring
from app.core.signing.envelope import (
    Envelope,
    parse_envelope,
    refuse_payload_type,
    to_json,
    verify_signature,
)
from app.core.signing.keys import public_key_from_der
from app.core.statement.capture import Capture
from app.core.statement.header import LedgerRef
from app.core.statement.key import KeyPredicate
from app.core.statement.parse import Parsed, parse_capture, parse_statement
from app.core.statement.receipt import CaptureRef, ReceiptPredicate
from app.core.statement.sanitize import refuse_unsanitary
from app.service.captures import deflate, inflate
from app.service.ports import BlobRow
from app.service.refused_content import Content

RECEIPT: Final = "receipt"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A statement that may ask to be admitted.

    Attributes:
        parsed: the statement.
        envelope: canonical JSON of the envelope, with the signatures that verified and no others.
        signers: ids of the keys behind them.
        capture: receipts only: what the receipt is about.
        blob: the same as it will be stored.
    """

    parsed: Parsed
    envelope: bytes
    signers: frozenset[str]
    capture: Capture | None = None
    blob: BlobRow | None = None


def receive(
    body: bytes,
    *,
    kind: str,
    keyring: Keyring,
    audience: LedgerRef,
    capture: bytes | None = None,
) -> Candidate:
    """Return the candidate that ``body`` holds.

    Args:
        body: the envelope's JSON.
        kind: the kind expected here.
        keyring: the keys known so far.
        audience: this ledger.
        capture: receipts only: zstd of the capture's JCS bytes.

    Raises:
        FairtrialError: the first step that refuses.
        ContentRefused: the same, where a slot's holder may be the sender.
    """
    envelope = parse_envelope(body)  # 1
    signers = _verified(envelope, keyring)  # 2
    refuse_payload_type(envelope)  # 3
    # Where another kind is expected, nothing that is refused was content for a slot.
    holders = signers if kind == RECEIPT else frozenset()
    statement = Content(envelope.payload, envelope.payload, holders)
    parsed = statement.checked(lambda data: parse_statement(data, expect=kind))  # 4
    signers |= _own_signature(envelope, parsed)
    _refuse_other_signer(parsed, signers)  # 5
    if parsed.audience != audience:  # 6
        message = "The statement names another ledger; use this one's origin and genesis."
        raise WrongAudience(message)
    statement.checked(refuse_unsanitary)  # 7
    stored = to_json(_only_by(envelope, signers))
    if not isinstance(parsed.predicate, ReceiptPredicate):
        if capture is not None:
            message = "Only receipts bring a capture; send the envelope alone."
            raise Unprocessable(message, code="capture-unexpected")
        return Candidate(parsed, stored, signers)
    ref = parsed.predicate.capture
    content = Content(envelope.payload, _inflated(capture, ref), signers)  # 8
    facts = content.checked(lambda data: parse_capture(data, schema=ref.schema))
    content.checked(refuse_unsanitary)
    blob = BlobRow(ref.sha256, ref.size, deflate(content.data))
    return Candidate(parsed, stored, signers, facts, blob)


def _verified(envelope: Envelope, keyring: Keyring) -> frozenset[str]:
    """Return the registered keys that signed; one that signed wrongly spoils the envelope.

    Raises:
        NotAuthenticated: ``unknown-key``, nobody of them is registered; ``bad-signature``.
    """
    known = [one for one in envelope.keyids if one in keyring.grants or keyring.is_ledger(one)]
    for keyid in known or envelope.keyids[:1]:
        verify_signature(envelope, keyid, keyring.key(keyid))
    return frozenset(known)


def _own_signature(envelope: Envelope, parsed: Parsed) -> frozenset[str]:
    """Return the id of a key that signs its own registration, if it did and the signature holds."""
    if not isinstance(parsed.predicate, KeyPredicate):
        return frozenset()
    key = public_key_from_der(from_base64(parsed.predicate.key.spki))
    if key.key_id not in envelope.keyids:
        return frozenset()
    verify_signature(envelope, key.key_id, key)
    return frozenset((key.key_id,))


def _refuse_other_signer(parsed: Parsed, signers: frozenset[str]) -> None:
    if parsed.signer not in signers:
        message = "The statement names a signer whose signature is not among the verified ones."
        raise NotAuthenticated(message, code="unsigned")


def _only_by(envelope: Envelope, signers: frozenset[str]) -> Envelope:
    """Leave out what nobody verified: it could say anything, and would be kept for ever."""
    kept = tuple(one for one in envelope.signatures if one.keyid in signers)
    return Envelope(envelope.payload_type, envelope.payload, kept)


def _inflated(capture: bytes | None, ref: CaptureRef) -> bytes:
    if capture is None:
        message = "A receipt comes with its capture: {envelope, capture: base64 of zstd}."
        raise Unprocessable(message, code="capture-missing")
    data = inflate(capture, size=ref.size)
    if (len(data), sha256_hex(data)) != (ref.size, ref.sha256):
        message = "The capture is not the one whose size and SHA-256 the receipt names."
        raise Unprocessable(message, code="capture-digest")
    return data
