# SPDX-License-Identifier: Apache-2.0
"""Which statements behind a verdict were signed by keys under suspicion.

What such a key signed stays where it is, is shown, and establishes nothing: it is unknown to every
PASS. It still counts for a FAIL, so that nobody loses a failure by reporting the key as stolen.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from app.core.admission.people import RefState
from app.core.admission.state import PolicyInForce
from app.core.identity import KeyId, Sha256Hex
from app.core.keyring.keyring import Keyring
from app.core.study.state import Attempt, ReceiptState, StudyState


@dataclass(frozen=True, slots=True)
class Tainted:
    """Something that a key under suspicion signed.

    Attributes:
        study: the study that rests on it; None: the head's policies or its base do.
        entry: index of the entry that says the key is doubted.
    """

    study: Sha256Hex | None
    entry: int


def tainted_study(study: StudyState, keyring: Keyring) -> Tainted | None:
    """Return why a study is doubted: its opening, its lock, a reservation or a receipt is."""
    return _first(study.digest, _signed_for(study), keyring)


def tainted_rules(
    policies: Sequence[PolicyInForce], tip: RefState | None, keyring: Keyring
) -> Tainted | None:
    """Return why the policies about a head, or the tip its base is held against, are doubted."""
    signed = [(policy.predicate.signer, policy.index) for policy in policies]
    if tip is not None:
        signed.append((tip.predicate.signer, tip.index))
    return _first(None, signed, keyring)


def tainted_receipts(attempt: Attempt, keyring: Keyring) -> list[Sha256Hex]:
    """Return the receipts of an attempt that were signed by a key under suspicion."""
    return [
        receipt.digest
        for receipt in attempt.receipts
        if keyring.is_suspect(receipt.predicate.signer, receipt.index)
    ]


def is_doubted(scored: Iterable[ReceiptState], keyring: Keyring) -> bool:
    """Tell whether any receipt that scoring reads of a slot was signed by a key under suspicion."""
    return any(keyring.is_suspect(each.predicate.signer, each.index) for each in scored)


def _signed_for(study: StudyState) -> Iterator[tuple[KeyId, int]]:
    yield study.lock.predicate.signer, study.lock.index
    yield study.predicate.signer, study.index
    for reservation in study.reservations.values():
        yield reservation.runner, reservation.index
    for slot in study.slots.values():
        for attempt in slot.attempts:
            for receipt in attempt.receipts:
                yield receipt.predicate.signer, receipt.index


def _first(
    study: Sha256Hex | None, signed: Iterable[tuple[KeyId, int]], keyring: Keyring
) -> Tainted | None:
    for key, index in signed:
        suspicion = keyring.suspicion_of(key, index)
        if suspicion is not None:
            return Tainted(study, suspicion.entry)
    return None
