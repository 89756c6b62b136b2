# SPDX-License-Identifier: Apache-2.0
"""Every slot a protocol demands, in running order: the denominator that nothing ever leaves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from app.core.identity import ArmId, CellId, SlotId
from app.core.protocol.blocks import Repetition, groups_in_blocks, in_blocks
from app.core.protocol.cells import repetitions_of
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
    """Return all slots: arms in the document's order, in each its cells and repetitions.

    What is judged in blocks runs block by block instead, where the first arm of the blocks stands.
    """
    return tuple(
        PlannedSlot(f"{arm}/{cell}/{repetition}", arm, cell, repetition)
        for arm, cell, repetition in _running_order(document)
    )


def _running_order(document: ProtocolDocument) -> Iterator[Repetition]:
    groups = groups_in_blocks(document)
    begun = set()
    for arm in document.order:
        for cell in document.cells:
            group = next((each for each in groups if (arm, cell.id) in each), None)
            if group is None:
                numbers = range(1, repetitions_of(cell) + 1)
                yield from ((arm, cell.id, number) for number in numbers)
            elif group not in begun:
                begun.add(group)
                yield from in_blocks(document, group)


def planned_slots(document: ProtocolDocument) -> int:
    """Return how many slots a protocol demands."""
    return len(document.order) * sum(map(repetitions_of, document.cells))


def cell_of(document: ProtocolDocument, cell_id: CellId) -> Cell:
    """Return the cell of that id; the document is locked, so it is there."""
    return next(cell for cell in document.cells if cell.id == cell_id)
