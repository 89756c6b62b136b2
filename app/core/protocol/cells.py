# SPDX-License-Identifier: Apache-2.0
"""What the several kinds of cell have in common: so many repetitions, and work that contends."""

from __future__ import annotations

from app.core.statement.protocol_document import (
    Cell,
    ChecksCell,
    ClaimCell,
    JobsCell,
    PlannedStream,
    ProtocolDocument,
    ReviewCell,
    StreamsCell,
)


def repetitions_of(cell: Cell) -> int:
    """Return how many slots every arm has in ``cell``; a review fills none."""
    return 0 if isinstance(cell, ReviewCell) else cell.repetitions


def concurrency_of(cell: Cell) -> int:
    """Return how many pieces of work contend in one slot of ``cell``."""
    match cell:
        case StreamsCell():
            return cell.concurrency
        case JobsCell():
            return cell.lanes
        case ChecksCell() | ClaimCell() | ReviewCell():
            return 1


def streams_of(cell: Cell) -> tuple[PlannedStream, ...]:
    """Return the planned streams of ``cell``; none where something else fills its slots."""
    return tuple(cell.streams) if isinstance(cell, StreamsCell) else ()


def streams_cells(document: ProtocolDocument) -> tuple[tuple[int, StreamsCell], ...]:
    """Return the cells whose slots streams fill, each with its place in the document."""
    places = enumerate(document.cells)
    return tuple((index, cell) for index, cell in places if isinstance(cell, StreamsCell))
