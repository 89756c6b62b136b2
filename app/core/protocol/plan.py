# SPDX-License-Identifier: Apache-2.0
"""Every slot a protocol demands, in running order: the denominator that nothing ever leaves."""

from __future__ import annotations

from dataclasses import dataclass

from app.core.identity import ArmId, CellId, SlotId
from app.core.statement.protocol_document import Cell, ProtocolDocument


@dataclass(frozen=True, slots=True)
class PlannedSlot:
    """One place the plan demands: arm x cell x repetition.

    Attributes:
        id: ``arm/cell/repetition``, repetitions from 1.
    """

    id: SlotId
    arm: ArmId
    cell: CellId
    repetition: int


def plan(document: ProtocolDocument) -> tuple[PlannedSlot, ...]:
    """Return all slots: arms in the document's order, in each its cells and repetitions."""
    return tuple(
        PlannedSlot(f"{arm}/{cell.id}/{repetition}", arm, cell.id, repetition)
        for arm in document.order
        for cell in document.cells
        for repetition in range(1, cell.repetitions + 1)
    )


def planned_slots(document: ProtocolDocument) -> int:
    """Return how many slots a protocol demands."""
    return len(document.order) * sum(cell.repetitions for cell in document.cells)


def cell_of(document: ProtocolDocument, cell_id: CellId) -> Cell:
    """Return the cell of that id; the document is locked, so it is there."""
    return next(cell for cell in document.cells if cell.id == cell_id)
