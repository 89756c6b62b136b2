# SPDX-License-Identifier: Apache-2.0
"""Holds a bundle against what the reader brings from elsewhere: trust, memory, a thread's lines.

Two checkpoints of one log are compared by size: of one size they have one root, or the log is
inconsistent. Of two sizes the smaller must be a beginning of the larger. That follows offline when
the bundle has an entry at the smaller size (its inclusion proof shows the root below it); else it
needs a consistency proof, which only the log can give.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from app.core.admission.rules.genesis import key_of
from app.core.errors import FairtrialError, IntegrityBroken
from app.core.identity import instant_of
from app.core.log.checkpoint import Checkpoint, verify_checkpoint
from app.core.log.cosignature import cosignatures_of
from app.core.log.merkle import root_below, verify_consistency
from app.core.log.note import NoteVerifier, parse_note
from app.core.log.pasted import pasted_checkpoints
from app.core.log.pin import Pin
from app.core.verdict.bundle_file import Bundle
from app.core.verdict.bundle_head import genesis_of
from app.core.verdict.trust import TrustedLedger, trust_of_pin
from app.core.verdict.verification import (
    VerificationCheck,
    VerificationOutcome,
    failed,
    held,
    not_asked,
)

MICROS: Final = 1_000_000
Consistency = Callable[[int, int], Sequence[bytes] | None]
"""Gives the consistency proof between two sizes, None where it cannot be had."""


def no_proof(_old_size: int, _new_size: int) -> None:
    """Give no consistency proof: nothing is asked over a network."""


@dataclass(frozen=True, slots=True)
class Brought:
    """What a reader brings.

    Attributes:
        trust: the ledgers of a trust file; None: no such file.
        pin: what an earlier look has left.
        pasted: text in which somebody wrote checkpoints down.
        is_newest: the bundle is what its log showed just now, so a smaller log is a rollback.
        consistency: asks the log.
    """

    trust: Sequence[TrustedLedger] | None = None
    pin: Pin | None = None
    pasted: bytes | None = None
    is_newest: bool = False
    consistency: Consistency = no_proof


def outside_checks(bundle: Bundle, brought: Brought) -> tuple[VerificationCheck, ...]:
    """Return the checks ``trust``, ``witnesses``, ``pin`` and ``pasted``."""
    trusted = _trusted(bundle, brought)
    log = log_of(bundle)
    return (
        _trust(bundle, brought, trusted, log),
        _witnesses(bundle, trusted),
        _pin(bundle, brought, log),
        _pasted(bundle, brought, log),
    )


def log_of(bundle: Bundle) -> NoteVerifier:
    """Return the checkpoint key that the genesis of a bundle names."""
    genesis = genesis_of(bundle.head, [bundle.entries[0].entry])
    return NoteVerifier(bundle.head.origin, key_of(genesis.checkpoint_key))


def _trusted(bundle: Bundle, brought: Brought) -> TrustedLedger | None:
    """Return what is trusted of a log of the bundle's name; a trust file decides before a pin."""
    known = list(brought.trust or ())
    if not known and brought.pin is not None:
        known = [trust_of_pin(brought.pin)]
    return next((one for one in known if one.origin == bundle.head.origin), None)


def _trust(
    bundle: Bundle, brought: Brought, trusted: TrustedLedger | None, log: NoteVerifier
) -> VerificationCheck:
    head = bundle.head
    said = f"{head.origin}, genesis {head.genesis}"
    if trusted is None and brought.trust is None and brought.pin is None:
        detail = f"The bundle vouches for itself: no trust file and no pin says whose {said} is."
        return failed("trust", VerificationOutcome.UNTRUSTED, "untrusted", detail)
    if trusted is None:
        detail = f"What is trusted names no ledger {head.origin}."
        return failed("trust", VerificationOutcome.UNTRUSTED, "untrusted", detail)
    if (trusted.genesis, trusted.log) != (head.genesis, log):
        detail = (
            f"A ledger that calls itself {head.origin} has signed this, and it is not the trusted "
            "one: its genesis or its checkpoint key is another."
        )
        return failed("trust", VerificationOutcome.BAD_SIGNATURE, "other-ledger", detail)
    return held("trust", f"{said} and its keys are those that are trusted.")


def _witnesses(bundle: Bundle, trusted: TrustedLedger | None) -> VerificationCheck:
    note = parse_note(bundle.signed.checkpoint.encode())
    if trusted is None or not trusted.witnesses:
        beside = sum(1 for one in note.signatures if one.name != bundle.head.origin)
        detail = f"No witness is named by what is trusted; {beside} lines of others count nothing."
        return not_asked("witnesses", detail)
    try:
        found = cosignatures_of(note, trusted.witnesses)
    except FairtrialError as error:
        bad = VerificationOutcome.BAD_SIGNATURE
        return failed("witnesses", bad, error.code, error.detail)
    named = f"{len(found)} of the {len(trusted.witnesses)} witnesses you name have cosigned"
    if len(found) < trusted.quorum:
        detail = f"{named}, and {trusted.quorum} are demanded."
        return failed("witnesses", VerificationOutcome.UNTRUSTED, "quorum", detail)
    first = min((one.at_s for one in found), default=None)
    seen = "" if first is None else f", first seen outside at {instant_of(first * MICROS)}"
    return held("witnesses", f"{named}{seen}; {trusted.quorum} are demanded.")


def _pin(bundle: Bundle, brought: Brought, log: NoteVerifier) -> VerificationCheck:
    pin = brought.pin
    if pin is None:
        return not_asked("pin", "No earlier look at this log was brought.")
    if pin.log != log or pin.genesis != bundle.head.genesis:
        detail = "The pin is of another ledger than this bundle."
        return failed("pin", VerificationOutcome.UNTRUSTED, "other-ledger", detail)
    failure = _against("pin", pin.checkpoint, bundle, brought)
    if failure is not None:
        return failure
    if not _comparable(pin.checkpoint, bundle, brought):
        detail = (
            f"The keys are those of the pin, but nothing here shows that its log of size "
            f"{pin.checkpoint.size} and this one of size {bundle.head.size} are one. Ask the log "
            "itself: fairtrial verify with the head in the place of the file."
        )
        return failed("pin", VerificationOutcome.NO_MATCH, "other-size", detail)
    return held("pin", f"The log is consistent with the pinned size {pin.checkpoint.size}.")


def _pasted(bundle: Bundle, brought: Brought, log: NoteVerifier) -> VerificationCheck:
    if brought.pasted is None:
        return not_asked("pasted", "No lines from elsewhere were brought.")
    no_match = VerificationOutcome.NO_MATCH
    try:
        notes = pasted_checkpoints(brought.pasted, origin=log.name)
        found = [verify_checkpoint(note, log, origin=log.name) for note in notes]
    except FairtrialError as error:
        bad = VerificationOutcome.BAD_SIGNATURE
        outcome = bad if isinstance(error, IntegrityBroken) else no_match
        return failed("pasted", outcome, error.code, error.detail)
    if not found:
        detail = f"The lines hold no signed checkpoint of {log.name}."
        return failed("pasted", no_match, "no-match", detail)
    for checkpoint in found:
        failure = _against("pasted", checkpoint, bundle, brought)
        if failure is not None:
            return failure
        if not _comparable(checkpoint, bundle, brought):
            detail = (
                f"The pasted checkpoint is of size {checkpoint.size}, the bundle of size "
                f"{bundle.head.size}; take the bundle at that size, or ask the log itself."
            )
            return failed("pasted", no_match, "other-size", detail)
    sizes = ", ".join(str(one.size) for one in found)
    return held("pasted", f"The log is consistent with what was pasted: size {sizes}.")


def _comparable(seen: Checkpoint, bundle: Bundle, brought: Brought) -> bool:
    old, new = sorted((seen.size, bundle.head.size))
    return (
        old == new
        or _root_inside(bundle, seen.size) is not None
        or brought.consistency(old, new) is not None
    )


def _against(
    name: str, seen: Checkpoint, bundle: Bundle, brought: Brought
) -> VerificationCheck | None:
    """Return how a checkpoint seen elsewhere contradicts the bundle, None when nothing shows."""
    size, root = bundle.head.size, bytes.fromhex(bundle.head.root)
    if brought.is_newest and size < seen.size:
        detail = f"The log shows {size} entries, and was seen with {seen.size}: it was rolled back."
        return failed(name, VerificationOutcome.ROLLED_BACK, "rolled-back", detail)
    inside = root if seen.size == size else _root_inside(bundle, seen.size)
    if inside is not None:
        return None if inside == seen.root else _inconsistent(name, seen.size, size)
    (old_size, old_root), (new_size, new_root) = sorted([(seen.size, seen.root), (size, root)])
    proof = brought.consistency(old_size, new_size)
    if proof is None:
        return None
    try:
        verify_consistency(
            old_size=old_size, old_root=old_root, new_size=new_size, new_root=new_root, proof=proof
        )
    except IntegrityBroken:
        return _inconsistent(name, seen.size, size)
    return None


def _inconsistent(name: str, seen: int, size: int) -> VerificationCheck:
    detail = (
        f"The log of size {size} is not the one that was seen with size {seen}: two histories "
        "were signed. Keep both files; they prove it."
    )
    return failed(name, VerificationOutcome.INCONSISTENT, "inconsistent", detail)


def _root_inside(bundle: Bundle, size: int) -> bytes | None:
    """Return the root of an older tree that the bundle shows: the one below an entry of it."""
    for one in bundle.entries:
        if one.entry.index == size:
            return root_below(index=size, size=bundle.head.size, proof=one.proof)
    return None
