# SPDX-License-Identifier: Apache-2.0
"""Receipts that are folded before their captures are read, and what is sure without them.

A process that appends folds what others appended in between, and nearly always all it needs of
their receipts is that their slots are filled. What came of them is asked when the study may be
closed, when somebody reserves, and by every reader: then they are read, all at once.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from app.core.identity import Sha256Hex
from app.core.statement.capture import Capture
from app.core.study.outcomes import outcome_in
from app.core.study.settling import settled_anew
from app.core.study.state import Attempt, StudyState


def stays_open(study: StudyState, receipts: int, log_time_us: int) -> bool:
    """Tell whether the study is open at ``log_time_us`` after so many receipts, whatever they say.

    Each fills one slot at most, so where fewer come than there are slots to fill, one is left.
    """
    settling = study.settling
    left = sum(log_time_us <= deadline for deadline in settling.waiting.values())
    if study.ended_at_us is None and log_time_us <= study.closes_at_us:
        left += settling.counts.get("OPEN", 0)
    return receipts < left


def read_up(study: StudyState, capture_of: Callable[[Sha256Hex], Capture]) -> StudyState:
    """Return the study as it is with every capture read: what folding them at once gives.

    Args:
        study: with unread receipts.
        capture_of: gives the captures that these name.
    """
    slots = dict(study.slots)
    for name in {unread.slot for unread in study.unread}:
        attempts = (_read(study, each, capture_of) for each in slots[name].attempts)
        slots[name] = replace(slots[name], attempts=tuple(attempts))
    return settled_anew(replace(study, slots=slots, unread=()))


def _read(
    study: StudyState, attempt: Attempt, capture_of: Callable[[Sha256Hex], Capture]
) -> Attempt:
    unread = {one.receipt for one in study.unread}
    receipts = []
    for receipt in attempt.receipts:
        if receipt.digest not in unread:
            receipts.append(receipt)
            continue
        capture = capture_of(receipt.predicate.capture.sha256)
        outcome = outcome_in(study, attempt, receipt.predicate, receipt.at_us, capture)
        receipts.append(replace(receipt, outcome=outcome))
    return replace(attempt, receipts=tuple(receipts))
