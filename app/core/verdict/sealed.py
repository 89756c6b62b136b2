# SPDX-License-Identifier: Apache-2.0
"""What a bundle carries of a head's captures: those of closed studies, and words for the others.

A verdict shows slot states before a study is closed, while the captures they are computed from are
sealed. So a bundle says of each sealed capture what state it makes, and no more than an open
study's record shows.
"""

from __future__ import annotations

from msgspec.structs import replace

from app.core.admission.state import Standing
from app.core.identity import Sha256Hex
from app.core.receipt.outcome import Outcome
from app.core.statement.receipt import ReceiptPredicate
from app.core.study.settling import settled_anew
from app.core.study.slots import study_phase
from app.core.study.state import ReceiptState, StudyState
from app.core.verdict.bundle_records import SealedRecord
from app.core.verdict.fold import head_of, settled_log_time
from app.core.verdict.records import FROM_RECEIPT


def bundled_captures(standing: Standing, log_time_us: int) -> tuple[Sha256Hex, ...]:
    """Return the digests of all captures of closed studies, in the order receipts name them.

    Those of late and of unscored receipts too.
    """
    receipts = _receipts(standing, log_time_us, of_closed=True)
    return tuple(dict.fromkeys(receipt.predicate.capture.sha256 for receipt in receipts))


def studies_of(standing: Standing, log_time_us: int) -> list[tuple[StudyState, bool]]:
    """Return the head's studies, and for each whether it is closed."""
    time = settled_log_time(standing, log_time_us)
    studies = head_of(standing).studies
    return [(study, study_phase(study, time) == "CLOSED") for study in studies]


def sealed_of(standing: Standing, log_time_us: int) -> dict[Sha256Hex, SealedRecord]:
    """Return what is said of each receipt whose study is not closed, in the order of the line."""
    receipts = _receipts(standing, log_time_us, of_closed=False)
    return {receipt.digest: _sealed_record(receipt) for receipt in receipts}


def _receipts(standing: Standing, log_time_us: int, *, of_closed: bool) -> list[ReceiptState]:
    """Return every receipt of the closed studies, or of the others, by index; late ones too."""
    studies = (s for s, closed in studies_of(standing, log_time_us) if closed == of_closed)
    slots = (slot for study in studies for slot in study.slots.values())
    found = [r for slot in slots for attempt in slot.attempts for r in attempt.receipts]
    return sorted(found, key=lambda receipt: receipt.index)


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


def unsealed(standing: Standing, said: ReceiptPredicate, record: SealedRecord) -> Standing:
    """Return the standing with what is said of a receipt that has just been applied."""
    head = head_of(standing)
    studies = tuple(
        _unsealed(study, said, record)
        if study.digest == said.study and said.slot in study.slots
        else study
        for study in head.studies
    )
    return replace(standing, head=replace(head, studies=studies))


def _unsealed(study: StudyState, said: ReceiptPredicate, record: SealedRecord) -> StudyState:
    slot = study.slots[said.slot]
    attempts = tuple(
        replace(one, receipts=tuple(_outcome_in(receipt, record) for receipt in one.receipts))
        for one in slot.attempts
    )
    told = replace(slot, attempts=attempts)
    return settled_anew(replace(study, slots={**study.slots, said.slot: told}))


def _outcome_in(receipt: ReceiptState, record: SealedRecord) -> ReceiptState:
    if receipt.digest != record.receipt:
        return receipt
    outcome = Outcome(
        state=record.state,
        fault=record.fault,
        reasons=tuple(record.reasons),
        measured=record.measured,
        retryable=record.retryable,
    )
    return replace(receipt, outcome=outcome)
