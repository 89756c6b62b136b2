# SPDX-License-Identifier: Apache-2.0
"""Admits an entry that stands in a log once more, as the ledger must have admitted it.

Whoever lives a log through again comes here, entry by entry: the reader of a bundle, and the audit
of a whole store. In this order: its line, its signatures, may it stand here, and what the ledger
itself says is derived again and compared: a closure by its admission, a verdict to the byte.
"""

from __future__ import annotations

from collections.abc import Mapping

from app.core.admission.admit import RootAt, admit
from app.core.admission.line import line_of
from app.core.admission.rules.genesis import key_of
from app.core.admission.state import Standing
from app.core.errors import FairtrialError, IntegrityBroken, NotAllowed, NotAuthenticated
from app.core.identity import Sha256Hex, micros_of
from app.core.keyring.keyring import Keyring
from app.core.signing.envelope import Envelope, refuse_payload_type, verify_signature
from app.core.signing.keys import PublicKey
from app.core.statement.capture import Capture
from app.core.statement.entry import Entry
from app.core.statement.genesis import GenesisPredicate
from app.core.statement.key import KeyPredicate
from app.core.statement.parse import Parsed
from app.core.statement.receipt import ReceiptPredicate
from app.core.statement.verdict import VerdictPredicate
from app.core.verdict.fold import captures_needed, give_verdict


def refuse_other_line(entry: Entry) -> None:
    """Refuse a statement that its leaf puts on another line than its own.

    Raises:
        IntegrityBroken: ``line-foreign``.
    """
    if entry.parsed is not None and line_of(entry.parsed) != entry.leaf.line:
        message = f"The statement at index {entry.index} belongs on another line than its leaf's."
        raise IntegrityBroken(message, code="line-foreign")


def verified_signers(entry: Entry, envelope: Envelope, standing: Standing) -> frozenset[str]:
    """Return whose signatures verify: all of them, and the one of the key that the leaf names.

    No statement enters a ledger before its key. Behind an entry of the ledger's line that this
    reader does not know, a key may have been granted in a way it does not know either.

    Raises:
        NotAuthenticated: ``unsigned``, ``unknown-key``, ``bad-signature``.
        NotAllowed: ``key-ended``.
        SchemaViolation: ``payload-type``.
    """
    keyring, leaf, index = standing.ledger.keyring, entry.leaf, entry.index
    own = {} if entry.parsed is None else _own_keys(entry.parsed)
    if leaf.key not in envelope.keyids:
        message = f"The signature of the key that the entry at index {index} names is not there."
        raise NotAuthenticated(message, code="unsigned")
    verified = set()
    for keyid in envelope.keyids:
        try:
            key = own.get(keyid) or keyring.key(keyid)
        except NotAuthenticated:
            if standing.ledger.unknown:
                continue
            raise
        verify_signature(envelope, keyid, key)
        verified.add(keyid)
    refuse_payload_type(envelope)
    _refuse_ended(keyring, entry)
    return frozenset(verified)


def _own_keys(parsed: Parsed) -> dict[str, PublicKey]:
    """Return the keys that a statement brings along: a genesis its own, a registration one."""
    match parsed.predicate:
        case GenesisPredicate() as genesis:
            records = [genesis.statement_key, *(admin.key for admin in genesis.admins)]
        case KeyPredicate(action="register") as step:
            records = [step.key]
        case _:
            records = []
    return {record.id: key_of(record) for record in records}


def _refuse_ended(keyring: Keyring, entry: Entry) -> None:
    grant = keyring.grants.get(entry.leaf.key)
    if grant is not None and not grant.holds_at(entry.index):
        message = f"The key that signed the entry at index {entry.index} had no grant in force."
        raise NotAllowed(message, code="key-ended")


def admit_again(
    entry: Entry,
    signers: frozenset[str],
    standing: Standing,
    captures: Mapping[Sha256Hex, Capture],
    *,
    root_at: RootAt | None = None,
) -> None:
    """Refuse an entry that could not have entered at its index and log time.

    Args:
        entry: the entry.
        signers: ids of the keys behind its verified signatures.
        standing: its three lines below its index.
        captures: its own, and those that a verdict is given from.
        root_at: roots of older trees, where they are known.

    Raises:
        IntegrityBroken: ``not-admitted``; ``closure`` or ``verdict``, the ledger said something
            else than what follows; ``capture-missing``.
    """
    if entry.parsed is None:
        return
    at_us = micros_of(entry.leaf.at)
    predicate = entry.parsed.predicate
    try:
        admit(
            entry.parsed,
            signers=signers,
            standing=standing,
            index=entry.index,
            at_us=at_us,
            capture=capture_for(entry, captures),
            root_at=root_at,
            stood=True,
        )
        if isinstance(predicate, VerdictPredicate):
            _refuse_other_verdict(predicate, standing, at_us, captures)
    except IntegrityBroken:
        raise
    except FairtrialError as error:
        message = f"The entry at index {entry.index} could not have been admitted: {error.detail}"
        raise IntegrityBroken(message, code="not-admitted") from error


def _refuse_other_verdict(
    verdict: VerdictPredicate,
    standing: Standing,
    at_us: int,
    captures: Mapping[Sha256Hex, Capture],
) -> None:
    """Give the verdict again, from the entries below it, and compare."""
    for sha256 in captures_needed(standing, at_us):
        if sha256 not in captures:
            raise missing_capture(sha256)
    document = give_verdict(
        standing,
        claim=verdict.document.claim,
        log_time_us=at_us,
        captures=captures.__getitem__,
    )
    expected = VerdictPredicate(
        ledger=verdict.ledger, signer=verdict.signer, annotations={}, document=document
    )
    if verdict != expected:
        message = "A verdict of the ledger is not what follows from the entries below it."
        raise IntegrityBroken(message, code="verdict")


def capture_for(entry: Entry, captures: Mapping[Sha256Hex, Capture]) -> Capture | None:
    """Return the capture of a receipt, if it is at hand; None for anything else."""
    predicate = None if entry.parsed is None else entry.parsed.predicate
    if isinstance(predicate, ReceiptPredicate):
        return captures.get(predicate.capture.sha256)
    return None


def missing_capture(sha256: Sha256Hex) -> IntegrityBroken:
    """Return the error for a capture that an entry needs and that is not there."""
    message = f"The capture {sha256} is not here, and nothing may stand for it."
    return IntegrityBroken(message, code="capture-missing")
