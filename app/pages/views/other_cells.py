# SPDX-License-Identifier: Apache-2.0
"""Cells whose slots no stream fills, as declared: what a capture of each must hold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from app.core.protocol.cells import repetitions_of
from app.core.statement.protocol_document import (
    ChecksCell,
    ClaimCell,
    JobsCell,
    ProtocolDocument,
    ReviewCell,
    StreamsCell,
)
from app.core.verdict.numbers import hours
from app.pages.views.table import Cell, Table, number

_Other: TypeAlias = ChecksCell | JobsCell | ClaimCell | ReviewCell


def other_cells_table(document: ProtocolDocument) -> Table:
    """Return the cells of checks, jobs, other tools' claims and reviews."""
    return Table(
        caption="Cells: what else fills slots.",
        headers=("Cell", "Filled by", "Repetitions", "What it must hold"),
        rows=[_row(cell) for cell in document.cells if not isinstance(cell, StreamsCell)],
    )


def _row(cell: _Other) -> tuple[Cell, ...]:
    filled_by, holds = _words(cell)
    return (Cell(cell.id), Cell(filled_by), number(str(repetitions_of(cell))), Cell(holds))


def _words(cell: _Other) -> tuple[str, str]:
    match cell:
        case ChecksCell():
            return "checks", f"suites: {_list(cell.suites)}; results by name: {_list(cell.named)}"
        case JobsCell():
            ends = hours(cell.ends.slot_deadline_us)
            return "jobs", f"lanes: {cell.lanes}, each ended within {ends} (h:min:s)"
        case ClaimCell():
            return "another tool's claim", f"a decision of {cell.tool.name} {cell.tool.version}"
        case ReviewCell():
            return "no slot: reviews of the head", "what its gates demand"


def _list(names: Sequence[str]) -> str:
    return ", ".join(names) or "none"
