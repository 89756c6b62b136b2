# SPDX-License-Identifier: Apache-2.0
"""May a head's next entries be folded before the captures of its receipts are read?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from app.core.admission.state import HeadState
from app.core.statement.deviation import DeviationPredicate
from app.core.statement.parse import Parsed
from app.core.statement.receipt import ReceiptPredicate
from app.core.study.unread import stays_open


def is_unread(head: HeadState) -> bool:
    """Tell whether captures of the head's receipts are still to be read."""
    return any(study.unread for study in head.studies)


def decides(head: HeadState, log_time_us: int) -> bool:
    """Tell whether unread captures decide what the ledger owes the head at ``log_time_us``.

    While a study stays open, no closure is due; what is said again after a verdict follows from
    all that the receipts say.
    """
    unread = [study for study in head.studies if study.unread]
    if not unread:
        return False
    return bool(head.words) or not all(stays_open(study, 0, log_time_us) for study in unread)


def can_wait(head: HeadState, coming: Iterable[Parsed | None], log_time_us: int) -> bool:
    """Tell whether no capture decides what becomes of ``coming``, the last at ``log_time_us``.

    A receipt for a study that is open before it is on time by the study, whatever others say.
    """
    receipts: Counter[str] = Counter()
    for one in coming:
        match one and one.predicate:
            case ReceiptPredicate(study=study):
                receipts[study] += 1
            case DeviationPredicate() | None:
                return False
            case _:
                continue
    return all(
        stays_open(study, receipts[study.digest] - 1, log_time_us)
        for study in head.studies
        if receipts[study.digest]
    )
