# SPDX-License-Identifier: Apache-2.0
"""Which slots run in blocks, and in which order: AB, BA, AB ... (SCORING.md B6).

A gate judged in blocks holds repetition ``i`` of its candidate against repetition ``i`` of its
control. That says something only if both ran back to back and neither always came first. So the
arms of such gates run block by block, every second block the other way round, and admission hands
the slots of such a study out in this order and no other.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from msgspec import UNSET

from app.core.identity import ArmId, CellId
from app.core.protocol.cells import repetitions_of
from app.core.statement.gate_record import GateRecord
from app.core.statement.protocol_document import Cell, ProtocolDocument, StreamsCell

Place: TypeAlias = tuple[ArmId, CellId]
Repetition: TypeAlias = tuple[ArmId, CellId, int]


def runs_in_blocks(document: ProtocolDocument) -> bool:
    """Tell whether any gate is judged in blocks, so that the order of the slots is fixed."""
    return any(map(_is_in_blocks, document.gates))


def groups_in_blocks(document: ProtocolDocument) -> tuple[frozenset[Place], ...]:
    """Return the arms and cells that run in one another's blocks, each in one group.

    Candidates of one control in one cell share its blocks; a ratio inside a boot brings its other
    cell along.
    """
    groups: list[frozenset[Place]] = []
    for gate in filter(_is_in_blocks, document.gates):
        joined = _places(gate)
        touched = [group for group in groups if not group.isdisjoint(joined)]
        groups = [group for group in groups if group.isdisjoint(joined)]
        groups.append(joined.union(*touched))
    return tuple(groups)


def in_blocks(document: ProtocolDocument, group: frozenset[Place]) -> Iterator[Repetition]:
    """Yield the repetitions of a group in running order: block by block, there and back."""
    cells = [cell for cell in document.cells if any(cell.id == at for _, at in group)]
    arms = [arm for arm in document.order if any(arm == at for at, _ in group)]
    for block in range(max(map(blocks_of, cells), default=0)):
        for arm in reversed(arms) if block % 2 else arms:
            for cell in cells:
                if (arm, cell.id) in group:
                    yield from ((arm, cell.id, number) for number in _waves(cell, block))


def waves_of(cell: Cell) -> int:
    """Return how many repetitions in a row one server boot serves."""
    return 1 if not isinstance(cell, StreamsCell) or cell.waves is UNSET else cell.waves


def blocks_of(cell: Cell) -> int:
    """Return how many boots, and so how many blocks, the repetitions of a cell are planned in."""
    return -(-repetitions_of(cell) // waves_of(cell))


def _waves(cell: Cell, block: int) -> range:
    first, waves = block * waves_of(cell) + 1, waves_of(cell)
    return range(first, min(first + waves, repetitions_of(cell) + 1))


def _is_in_blocks(gate: GateRecord) -> bool:
    return gate.kind == "comparison" and gate.inference != "exact_ranksum"


def _places(gate: GateRecord) -> frozenset[Place]:
    population, comparison = gate.population, gate.comparison
    controls = [] if comparison is UNSET or comparison.vs is UNSET else comparison.vs
    cells = [population.cell]
    if population.against_cell is not UNSET:
        cells.append(population.against_cell)
    return frozenset((arm, cell) for arm in (population.arm, *controls) for cell in cells)
