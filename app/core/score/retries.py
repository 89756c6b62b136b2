# SPDX-License-Identifier: Apache-2.0
"""Retries choose which boots are measured: too many, or unequal ones, cap a PASS (B1)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from app.core.identity import CellId
from app.core.reason import Reason
from app.core.score.scored_slot import ScoredSlot

_ONE_IN = 5


def retry_cap(slots: Sequence[ScoredSlot], cell: CellId) -> Reason | None:
    """Return RETRY_SELECTION if retries in ``cell`` cap its gates; None: they do not.

    They do when more than one planned slot in five was retried, or when arms were not retried
    equally often.
    """
    planned = [slot for slot in slots if slot.planned.cell == cell]
    retried = Counter(slot.planned.arm for slot in planned if slot.retried)
    often = {retried[slot.planned.arm] for slot in planned}
    if len(often) > 1 or retried.total() * _ONE_IN > len(planned):
        return Reason.RETRY_SELECTION
    return None
