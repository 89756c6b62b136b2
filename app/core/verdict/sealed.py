# SPDX-License-Identifier: Apache-2.0
"""What a bundle carries of a head's captures: those of closed studies, and words for the others.

A verdict shows slot states before a study is closed, while the captures they are computed from are
sealed. So a bundle says of each sealed capture what state it makes, and no more than an open
study's record shows; a capture that is there always counts instead.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import replace

from app.core.admission.state import HeadState, Standing
from app.core.identity import Sha256Hex
from app.core.receipt.outcome import Outcome
from app.core.study.slots import study_phase
from app.core.study.state import ReceiptState, StudyState
from app.core.verdict.bundle_records import SealedRecord
from app.core.verdict.fold import head_of, settled_log_time
from app.core.verdict.records import FROM_RECEIPT


def bundled_captures(standing: Standing, log_time_us: int) -> tuple[Sha256Hex, ...]:
    """Return the digests of all captures of closed studies, late and unscored ones too."""
    receipts = (
        receipt
        for study, closed in studies_of(standing, log_time_us)
        if closed
        for receipt in receipts_of(study)
    )
    return tuple(dict.fromkeys(receipt.predicate.capture.sha256 for receipt in receipts))


def studies_of(standing: Standing, log_time_us: int) -> list[tuple[StudyState, bool]]:
    """Return the head's studies, and for each whether it is closed."""
    time = settled_log_time(standing, log_time_us)
    studies = head_of(standing).studies
    return [(study, study_phase(study, time) == "CLOSED") for study in studies]


def receipts_of(study: StudyState) -> list[ReceiptState]:
    """Return every receipt of a study, late ones too."""
    slots = study.slots.values()
    return [r for slot in slots for attempt in slot.attempts for r in attempt.receipts]


def sealed_of(standing: Standing, log_time_us: int) -> dict[Sha256Hex, SealedRecord]:
    """Return what is said of each receipt whose study is not closed."""
    return {
        receipt.digest: _sealed_record(receipt)
        for study, closed in studies_of(standing, log_time_us)
        if not closed
        for receipt in receipts_of(study)
    }


def _sealed_record(receipt: ReceiptState) -> SealedRecord:
    outcome = receipt.outcome
    shown = [reason for reason in outcome.reasons if reason in FROM_RECEIPT]
    return SealedRecord(
        receipt=receipt.digest,
        state=outcome.state,
        fault=outcome.fault if len(shown) == len(outcome.reasons) else None,
        reasons=shown,
        measured=outcome.measured,
        retryable=outcome.retryable,
    )


def with_sealed(
    head: HeadState, sealed: Mapping[Sha256Hex, SealedRecord], captures: Container[Sha256Hex]
) -> HeadState:
    """Return the head's state with the sealed outcomes of receipts whose capture is not there."""
    studies = tuple(_with_sealed(study, sealed, captures) for study in head.studies)
    return replace(head, studies=studies)


def _with_sealed(
    study: StudyState, sealed: Mapping[Sha256Hex, SealedRecord], captures: Container[Sha256Hex]
) -> StudyState:
    slots = {}
    for name, slot in study.slots.items():
        attempts = tuple(
            replace(one, receipts=tuple(_outcome_in(r, sealed, captures) for r in one.receipts))
            for one in slot.attempts
        )
        slots[name] = replace(slot, attempts=attempts)
    return replace(study, slots=slots)


def _outcome_in(
    receipt: ReceiptState,
    sealed: Mapping[Sha256Hex, SealedRecord],
    captures: Container[Sha256Hex],
) -> ReceiptState:
    record = sealed.get(receipt.digest)
    if record is None or receipt.predicate.capture.sha256 in captures:
        return receipt
    return replace(
        receipt,
        outcome=Outcome(
            state=record.state,
            fault=record.fault,
            reasons=tuple(record.reasons),
            measured=record.measured,
            retryable=record.retryable,
        ),
    )
