# SPDX-License-Identifier: Apache-2.0
"""Lint: repetitions that share a server boot count once, and every boot serves as many of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from app.core.protocol.blocks import blocks_of, waves_of
from app.core.protocol.cells import repetitions_of
from app.core.protocol.finding import LintFinding
from app.core.protocol.lint_changes import repetitions
from app.core.protocol.lint_references import Rule, error
from app.core.protocol.patch import put
from app.core.protocol.plan import cell_of
from app.core.protocol.units import ABOUT_PROCESS, BY_BOOT, UNITS
from app.core.statement.gate_record import GateRecord
from app.core.statement.protocol_document import ProtocolDocument


def slots_of_one_boot(document: ProtocolDocument) -> Iterator[LintFinding]:
    """A claim about the process does not count the waves of one boot as if they were several."""
    for index, gate in enumerate(document.gates):
        cell = cell_of(document, gate.population.cell)
        counts_slots = gate.population.unit == "slot" and "slot" in UNITS[gate.kind]
        if gate.kind in ABOUT_PROCESS and counts_slots and waves_of(cell) > 1:
            detail = (
                f"Of the cell {cell.id} several slots in a row share a boot, and with it their "
                "luck: count boots."
            )
            formula = f"{blocks_of(cell)} boots < {repetitions_of(cell)} slots"
            place = f"/gates/{index}/population/unit"
            yield error("E_PSEUDOREPLICATION", place, detail, formula, put(place, "boot"))


def whole_boots(document: ProtocolDocument) -> Iterator[LintFinding]:
    """Where boots are counted, each of them serves as many slots as the others."""
    for index, cell in enumerate(document.cells):
        waves, planned = waves_of(cell), repetitions_of(cell)
        if planned % waves and any(_counts_boots_of(gate, cell.id) for gate in document.gates):
            detail = (
                "The last boot serves fewer slots than the others and counts as much as they do."
            )
            place, formula = f"/cells/{index}/repetitions", f"{planned} % {waves} waves != 0"
            change = repetitions(document, cell.id, blocks_of(cell), waves=waves)
            yield error("E_WAVES", place, detail, formula, change)


def _counts_boots_of(gate: GateRecord, cell: str) -> bool:
    population = gate.population
    return population.unit in BY_BOOT and cell in (population.cell, population.against_cell)


RULES: Final[tuple[Rule, ...]] = (slots_of_one_boot, whole_boots)
