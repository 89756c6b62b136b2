# SPDX-License-Identifier: Apache-2.0
"""Lives a bundle through again: every entry is admitted, as the ledger must have admitted it.

In this order for each entry: its line, its signatures, may it stand here, and what the ledger
itself says is derived again and compared: a closure by its admission, a verdict to the byte. So
nothing that no ledger would have let in is ever scored.

Behind an entry of an unknown kind nobody here can say what may follow: a kind of a later version
may have granted keys or ended studies. From there on entries are only held against their lines and
such signatures as can be verified, and the word is HOLD whatever they say.

Not asked is the root of the older tree that a key statement names: a bundle need not hold the
entry that would show it.
"""

from __future__ import annotations

from collections.abc import Mapping

from app.core.admission.admit import admit
from app.core.admission.apply import apply
from app.core.admission.line import line_of
from app.core.admission.rules.genesis import key_of
from app.core.admission.state import Standing, empty_standing
from app.core.errors import FairtrialError, IntegrityBroken, NotAllowed, NotAuthenticated
from app.core.identity import Sha256Hex, micros_of
from app.core.keyring.keyring import Keyring
from app.core.signing.envelope import refuse_payload_type, verify_signature
from app.core.signing.keys import PublicKey
from app.core.statement.capture import Capture
from app.core.statement.entry import Entry
from app.core.statement.genesis import GenesisPredicate
from app.core.statement.key import KeyPredicate
from app.core.statement.parse import Parsed
from app.core.statement.receipt import ReceiptPredicate
from app.core.statement.verdict import VerdictPredicate
from app.core.verdict.bundle_file import Bundle, BundleEntry
from app.core.verdict.bundle_head import missing_entry
from app.core.verdict.fold import captures_needed, give_verdict, head_of
from app.core.verdict.sealed import bundled_captures, sealed_of, unsealed


def replay(bundle: Bundle, captures: Mapping[Sha256Hex, Capture]) -> Standing:
    """Return the standing after every entry, each admitted before it is applied.

    Args:
        bundle: as read.
        captures: its captures, each the one that a receipt names.

    Raises:
        IntegrityBroken: ``line-foreign``; ``not-admitted``, an entry that no ledger lets in;
            ``closure`` or ``verdict``, the ledger said something else than what follows;
            ``line-incomplete``, a verdict has read more entries than there are;
            ``capture-missing``; ``bundle-records``, sealed outcomes or captures that do not belong
            here, or in another order.
        NotAuthenticated: a signature does not verify.
        NotAllowed: ``key-ended``, a key had no grant in force where it signed.
        SchemaViolation: ``payload-type``.
    """
    standing = empty_standing(bundle.head.repository, bundle.head.head)
    for one in bundle.entries:
        _refuse_other_line(one.entry)
        signers = _verified(one, standing)
        capture = _capture_for(one.entry, captures)
        if not _is_unknown(standing):
            _refuse_unread(one.entry, standing, bundle.head.lines)
            _admit_again(one.entry, signers, standing, captures)
        standing = _after(bundle, one.entry, standing, capture)
    _refuse_missing(standing, bundle.head.log_time_us, captures)
    if not _is_unknown(standing):
        _refuse_other_records(bundle, standing)
    return standing


def _is_unknown(standing: Standing) -> bool:
    """Tell whether an entry on any line is of a kind that this reader does not know."""
    lines = (standing.ledger, standing.repository, head_of(standing))
    return any(line.unknown for line in lines)


def _refuse_other_line(entry: Entry) -> None:
    if entry.parsed is not None and line_of(entry.parsed) != entry.leaf.line:
        message = f"The statement at index {entry.index} belongs on another line than its leaf's."
        raise IntegrityBroken(message, code="line-foreign")


def _verified(one: BundleEntry, standing: Standing) -> frozenset[str]:
    """Return whose signatures verify: all of them, and the one of the key that the leaf names.

    No statement enters a ledger before its key. Behind an entry of the ledger's line that this
    reader does not know, a key may have been granted in a way it does not know either.
    """
    keyring, leaf, index = standing.ledger.keyring, one.entry.leaf, one.entry.index
    own = {} if one.entry.parsed is None else _own_keys(one.entry.parsed)
    if leaf.key not in one.envelope.keyids:
        message = f"The signature of the key that the entry at index {index} names is not there."
        raise NotAuthenticated(message, code="unsigned")
    verified = set()
    for keyid in one.envelope.keyids:
        try:
            key = own.get(keyid) or keyring.key(keyid)
        except NotAuthenticated:
            if standing.ledger.unknown:
                continue
            raise
        verify_signature(one.envelope, keyid, key)
        verified.add(keyid)
    refuse_payload_type(one.envelope)
    _refuse_ended(keyring, one.entry)
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


def _admit_again(
    entry: Entry,
    signers: frozenset[str],
    standing: Standing,
    captures: Mapping[Sha256Hex, Capture],
) -> None:
    """Refuse an entry that could not have entered at its index and log time."""
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
            capture=_capture_for(entry, captures),
            stood=True,
        )
        if isinstance(predicate, VerdictPredicate):
            _refuse_other_verdict(predicate, standing, at_us, captures)
    except IntegrityBroken:
        raise
    except FairtrialError as error:
        message = f"The entry at index {entry.index} could not have been admitted: {error.detail}"
        raise IntegrityBroken(message, code="not-admitted") from error


def _refuse_unread(entry: Entry, standing: Standing, names: tuple[str, str, str]) -> None:
    """Refuse a verdict that has read more entries than the bundle has before it."""
    verdict = None if entry.parsed is None else entry.parsed.predicate
    if not isinstance(verdict, VerdictPredicate):
        return
    as_of = verdict.document.as_of
    read = (as_of.ledger, as_of.repository, as_of.head)
    lines = (standing.ledger, standing.repository, head_of(standing))
    for name, line, said in zip(names, lines, read, strict=True):
        found = line.length
        if found < said:
            raise missing_entry(name, found)


def _refuse_other_verdict(
    verdict: VerdictPredicate,
    standing: Standing,
    at_us: int,
    captures: Mapping[Sha256Hex, Capture],
) -> None:
    """Give the verdict again, from the entries below it, and compare."""
    for sha256 in captures_needed(standing, at_us):
        if sha256 not in captures:
            raise _missing_capture(sha256)
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


def _capture_for(entry: Entry, captures: Mapping[Sha256Hex, Capture]) -> Capture | None:
    predicate = None if entry.parsed is None else entry.parsed.predicate
    if isinstance(predicate, ReceiptPredicate):
        return captures.get(predicate.capture.sha256)
    return None


def _after(bundle: Bundle, entry: Entry, standing: Standing, capture: Capture | None) -> Standing:
    """Return the standing after an entry; of a sealed capture the bundle says what it makes."""
    after = apply(standing, entry, capture)
    predicate = None if entry.parsed is None else entry.parsed.predicate
    if not isinstance(predicate, ReceiptPredicate) or capture is not None:
        return after
    sealed = bundle.sealed.get(entry.leaf.statement)
    if sealed is None:
        raise _missing_capture(predicate.capture.sha256)
    return unsealed(after, predicate, sealed)


def _refuse_other_records(bundle: Bundle, standing: Standing) -> None:
    """Refuse sealed outcomes and captures that are not exactly those of the receipts, in order."""
    log_time_us = bundle.head.log_time_us
    sealed = list(sealed_of(standing, log_time_us).items())
    captures = bundled_captures(standing, log_time_us)
    if list(bundle.sealed.items()) != sealed or tuple(bundle.captures) != captures:
        message = (
            "Expected a sealed outcome for each receipt of an open study, a capture for each of a "
            "closed one, in the order of the entries, and nothing else."
        )
        raise IntegrityBroken(message, code="bundle-records")


def _refuse_missing(
    standing: Standing, log_time_us: int, captures: Mapping[Sha256Hex, Capture]
) -> None:
    """Refuse a closed study whose captures are not all there.

    Otherwise a sealed outcome could stand for a capture that everybody may see.
    """
    for sha256 in bundled_captures(standing, log_time_us):
        if sha256 not in captures:
            raise _missing_capture(sha256)


def _missing_capture(sha256: Sha256Hex) -> IntegrityBroken:
    message = f"The capture {sha256} is not in this bundle, and nothing may stand for it."
    return IntegrityBroken(message, code="capture-missing")
