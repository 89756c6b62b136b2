# SPDX-License-Identifier: Apache-2.0
"""Is the return control its control again? (threat L08).

Commit, image, models and settings are pinned and compared receipt by receipt. The driver is pinned
nowhere, so a return control's is held against those its control ran with, whichever came first.
"""

from __future__ import annotations

from app.core.statement.protocol_document import ProtocolDocument
from app.core.statement.receipt import ReceiptPredicate
from app.core.study.state import Attempt, StudyState


def control_of(document: ProtocolDocument, arm_id: str) -> str | None:
    """Return the control that a return control goes back to; None: the arm is none, or has none.

    ``A2`` returns to ``A``; where no control has that letter, to the first there is.
    """
    if not any(arm.id == arm_id and arm.role == "return_control" for arm in document.arms):
        return None
    controls = [arm.id for arm in document.arms if arm.role == "control"]
    same_letter = (control for control in controls if control == arm_id[0])
    return next(same_letter, controls[0] if controls else None)


def drivers_of(receipt: ReceiptPredicate) -> frozenset[str]:
    """Return the drivers a receipt names; none where none was observed."""
    return frozenset(rank.driver for rank in receipt.topology.ranks if rank.driver is not None)


def is_changed(study: StudyState, arm_id: str, attempt: Attempt) -> bool:
    """Tell whether a return control's attempt ran with another driver than its control did."""
    control = control_of(study.document, arm_id)
    known = frozenset[str]() if control is None else study.drivers.get(control, frozenset())
    filled = (receipt for receipt in attempt.receipts if not receipt.late)
    return bool(known) and any(drivers_of(receipt.predicate) - known for receipt in filled)
