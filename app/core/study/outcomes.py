# SPDX-License-Identifier: Apache-2.0
"""What a receipt makes of an attempt of its study."""

from __future__ import annotations

from app.core.receipt.outcome import SEALED_OUTCOME, Outcome, outcome_of
from app.core.receipt.times import Times
from app.core.statement.capture import Capture
from app.core.statement.receipt import ReceiptPredicate
from app.core.study.state import Attempt, NotRead, StudyState


def outcome_in(
    study: StudyState,
    attempt: Attempt,
    receipt: ReceiptPredicate,
    at_us: int,
    capture: Capture | NotRead | None,
) -> Outcome:
    """Return what ``receipt``, appended at ``at_us``, makes of ``attempt``.

    Without its capture it stands for a filled slot and for nothing that was measured.
    """
    if capture is None or isinstance(capture, NotRead):
        return SEALED_OUTCOME
    return outcome_of(
        receipt,
        capture,
        document=study.document,
        study=study.predicate,
        slot=study.slots[receipt.slot].planned,
        times=Times(study.lock.at_us, attempt.at_us, at_us),
    )
