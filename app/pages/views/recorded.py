# SPDX-License-Identifier: Apache-2.0
"""Which captures a study has of one kind of cell: every receipt, and every slot without one.

A table of captures is a table of planned slots: a slot whose receipt never came has its row in it,
and so has a receipt whose capture is of another kind than the plan's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from app.core.protocol.plan import cell_of
from app.core.statement.capture import Capture
from app.core.statement.protocol_document import Cell as PlannedCell
from app.core.study.state import ReceiptState
from app.pages.facts import StudyFacts
from app.pages.views.table import Cell, Table

NOT_GIVEN_OUT: Final = "capture not given out"
NO_VALUE: Final = "no value"

C = TypeVar("C", bound=Capture)
Row = tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Recorded:
    """A receipt's capture; or, without one, a slot or a receipt that has none.

    Attributes:
        note: why there is none; empty where there is one.
    """

    label: str
    cell: PlannedCell
    capture: Capture | None
    note: str = ""


def recorded_in(
    study: StudyFacts,
    captures: Mapping[str, Capture],
    kind: type[PlannedCell],
    *,
    arm: str | None = None,
) -> list[Recorded]:
    """Return a line for each receipt, and each slot without one, of the cells of one kind.

    Args:
        study: whose slots.
        captures: what is given out, by digest.
        kind: the shape of cell.
        arm: slots of this arm alone; None: of all.
    """
    return list(_recorded(study, captures, kind, arm))


def table_of(
    lines: Sequence[Recorded],
    kind: type[C],
    rows: Callable[[Recorded, C], Iterable[Row]],
    *,
    caption: str,
    headers: tuple[str, ...],
) -> Table:
    """Return the rows of every capture of ``kind``; of a line without one, that it has none."""
    made: list[Row] = []
    for line in lines:
        if isinstance(line.capture, kind):
            made += rows(line, line.capture)
        else:
            made.append(_nothing(line, len(headers)))
    return Table(caption=caption, headers=headers, rows=made)


def _recorded(
    study: StudyFacts, captures: Mapping[str, Capture], kind: type[PlannedCell], arm: str | None
) -> Iterator[Recorded]:
    states = {slot.slot: slot.state for slot in study.record.slots}
    for identity, slot in study.state.slots.items():
        cell = cell_of(study.state.document, slot.planned.cell)
        if not isinstance(cell, kind) or arm not in {None, slot.planned.arm}:
            continue
        receipts = [(a, r) for a in slot.attempts for r in a.receipts]
        if not receipts:
            yield Recorded(identity, cell, None, f"{states[identity]}, no receipt")
        for attempt, receipt in receipts:
            late = ", late" if receipt.late else ""
            label = f"{identity} attempt {attempt.number}{late}"
            yield _of_receipt(label, cell, receipt, captures)


def _of_receipt(
    label: str, cell: PlannedCell, receipt: ReceiptState, captures: Mapping[str, Capture]
) -> Recorded:
    capture = captures.get(receipt.predicate.capture.sha256)
    return Recorded(label, cell, capture, NOT_GIVEN_OUT if capture is None else "")


def _nothing(line: Recorded, width: int) -> Row:
    other = "" if line.capture is None else f"a capture of another kind: {line.capture.schema}"
    absent = (Cell(NO_VALUE, tone="quiet") for _ in range(1, width))
    return (Cell(line.label, note=line.note or other), *absent)
