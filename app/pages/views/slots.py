# SPDX-License-Identifier: Apache-2.0
"""Planned slots: the printed sum, the flow per arm and cell, the grid, and every attempt."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from app.core.identity import instant_of
from app.core.protocol.cells import repetitions_of
from app.core.statement.closure import Flow
from app.core.statement.verdict import AttemptRecord, SlotRecord
from app.core.study.state import Attempt
from app.core.verdict.explain import explain
from app.core.verdict.numbers import instant_text
from app.pages.facts import StudyFacts
from app.pages.views.links import reason_page, receipt_page, short, statement_page
from app.pages.views.table import Cell, Table, number, state

_PARTS: Final = tuple(name for name in Flow.__struct_fields__ if name != "planned")


def sum_text(flow: Flow) -> str:
    """Return the accounting identity with every term, the empty ones too."""
    terms = " + ".join(f"{getattr(flow, name)} {name.replace('_', ' ')}" for name in _PARTS)
    total = sum(getattr(flow, name) for name in _PARTS)
    return f"planned {flow.planned} = {terms} = {total}"


def flow_table(study: StudyFacts) -> Table:
    """Return where the slots of each arm and cell are, with the sum of each row and of all."""
    record = study.record
    rows = [_flow_row(f"{one.arm} {one.cell}", one.flow) for one in record.flows]
    return Table(
        caption=f"{study.name}: {sum_text(record.flow)}.",
        headers=("Arm and cell", "planned", *(name.replace("_", " ") for name in _PARTS)),
        rows=[*rows, _flow_row("all", record.flow)],
    )


def attempt_table(study: StudyFacts, repository: str) -> Table:
    """Return every planned slot with every attempt at it, none collapsed."""
    rows: list[tuple[Cell, ...]] = []
    for slot in study.record.slots:
        known = {one.number: one for one in study.state.slots[slot.slot].attempts}
        rows += [
            _attempt_row(slot, one, known.get(one.attempt), repository) for one in slot.attempts
        ]
        if not slot.attempts:
            rows.append(_untried_row(slot))
    return Table(
        caption=f"{study.name}: every planned slot and every attempt at it. The first attempt that "
        "started its measured phase is scored.",
        headers=(
            "Slot", "Attempt", "State", "Fault and reasons", "Reserved", "Deadline",
            "Receipts in time", "Late receipts, kept and never scored", "Refused contents", "Host",
        ),
        rows=rows,
    )  # fmt: skip


def grid_tables(study: StudyFacts) -> list[Table]:
    """Return one grid per cell: arms down, repetitions across."""
    states = {slot.slot: slot for slot in study.record.slots}
    document = study.state.document
    return [
        Table(
            caption=f"Cell {cell.id}: state of each planned slot.",
            headers=("Arm", *(f"repetition {n}" for n in range(1, repetitions_of(cell) + 1))),
            rows=[
                (
                    Cell(arm),
                    *(
                        _slot_cell(states[f"{arm}/{cell.id}/{n}"])
                        for n in range(1, repetitions_of(cell) + 1)
                    ),
                )
                for arm in document.order
            ],
        )
        for cell in document.cells
        if repetitions_of(cell)
    ]


def reasons_text(reasons: Sequence[str]) -> str:
    """Return codes with their sentences."""
    return " ".join(f"{one}: {explain(one).sentence}" for one in reasons)


def _flow_row(name: str, flow: Flow) -> tuple[Cell, ...]:
    parts = (number(str(getattr(flow, part))) for part in _PARTS)
    return (Cell(name), number(str(flow.planned)), *parts)


def _attempt_row(
    slot: SlotRecord, record: AttemptRecord, attempt: Attempt | None, repository: str
) -> tuple[Cell, ...]:
    return (
        Cell(slot.slot, note=f"slot is {slot.state}"),
        Cell(str(record.attempt), statement_page(record.reservation)),
        state(record.state),
        _reasons(record.fault, record.reasons),
        Cell("not recorded" if attempt is None else instant_text(instant_of(attempt.at_us))),
        Cell("not recorded" if attempt is None else instant_text(instant_of(attempt.deadline_us))),
        _receipts(record.receipts, repository),
        _receipts(record.late, repository),
        number("not recorded" if attempt is None else str(attempt.refusals)),
        Cell("not recorded" if attempt is None else attempt.host),
    )


def _untried_row(slot: SlotRecord) -> tuple[Cell, ...]:
    nothing = Cell("nobody reserved it", tone="quiet")
    none = Cell("none", tone="quiet")
    return (
        Cell(slot.slot, note=f"slot is {slot.state}"),
        Cell("none", tone="quiet"),
        state(slot.state),
        _reasons(slot.fault, slot.reasons),
        *(nothing, none, none, none, none, none),
    )


def _reasons(fault: str | None, reasons: Sequence[str]) -> Cell:
    first = reason_page(reasons[0]) if reasons else None
    said = "no fault assigned" if fault is None else f"fault: {fault}"
    return Cell(said, note=reasons_text(reasons) or None, note_href=first)


def _receipts(digests: Sequence[str], repository: str) -> Cell:
    """Return the receipts of one attempt; a second one is the exception and stands in the note."""
    if not digests:
        return Cell("none", tone="quiet")
    first, *others = digests
    note = f"and {', '.join(short(one) for one in others)}" if others else None
    return Cell(
        short(first),
        receipt_page(repository, first),
        "code",
        note,
        receipt_page(repository, others[0]) if others else None,
    )


def _slot_cell(slot: SlotRecord) -> Cell:
    n = len(slot.attempts)
    note = f"{n} attempts" if n > 1 else None
    return state(slot.state, note=note)
