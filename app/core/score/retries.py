# SPDX-License-Identifier: Apache-2.0
"""Retries choose which boots are measured: too many, or unequal ones, cap a PASS (B1)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from app.core.identity import CellId
from app.core.score.scored_slot import ScoredSlot

_ONE_IN = 5


def retry_caps(slots: Sequence[ScoredSlot]) -> frozenset[CellId]:
    """Return the cells in which retries cap the gates, with RETRY_SELECTION."""
    by_cell: dict[CellId, list[ScoredSlot]] = {}
    for slot in slots:
        by_cell.setdefault(slot.planned.cell, []).append(slot)
    return frozenset(cell for cell, planned in by_cell.items() if _chose(planned))


def _chose(planned: Sequence[ScoredSlot]) -> bool:
    """Tell whether retries chose which slots of a cell were measured.

    They did when more than one planned slot in five was retried, or when arms were not retried
    equally often.
    """
    retried = Counter(slot.planned.arm for slot in planned if slot.retried)
    often = {retried[slot.planned.arm] for slot in planned}
    return len(often) > 1 or retried.total() * _ONE_IN > len(planned)
