# SPDX-License-Identifier: Apache-2.0
"""Lint: names are distinct, and every name a protocol uses is one it declares."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Final, TypeAlias

from msgspec import UNSET

from app.core.protocol.cells import streams_cells, streams_of
from app.core.protocol.finding import LintFinding
from app.core.statement.protocol_document import Cell, ProtocolDocument, StreamsCell

Rule: TypeAlias = Callable[[ProtocolDocument], Iterable[LintFinding]]


def error(code: str, pointer: str, detail: str, formula: str = "", change: str = "") -> LintFinding:
    """Return a finding that refuses the lock."""
    return LintFinding(code, "error", pointer, detail, formula, change)


def warning(code: str, pointer: str, detail: str) -> LintFinding:
    """Return a finding that a lock must acknowledge."""
    return LintFinding(code, "warning", pointer, detail)


def distinct(document: ProtocolDocument) -> Iterator[LintFinding]:
    """Names of arms, cells and gates, and lanes of a cell, stand for one thing each."""
    named: dict[str, list[str]] = {
        "/arms": [arm.id for arm in document.arms],
        "/cells": [cell.id for cell in document.cells],
        "/gates": [gate.id for gate in document.gates],
        "/scopes": [scope.value for scope in document.scopes],
    } | {
        f"/cells/{index}/streams": [f"{each.role} {each.lane}" for each in streams_of(cell)]
        for index, cell in enumerate(document.cells)
    }
    for pointer, names in named.items():
        twice = [name for name, times in Counter(names).items() if times > 1]
        if twice:
            yield error("E_DUPLICATE_ID", pointer, "A name stands for two things here.")


def order(document: ProtocolDocument) -> Iterator[LintFinding]:
    """Every arm runs, once."""
    arms = [arm.id for arm in document.arms]
    if sorted(document.order) != sorted(arms):
        change = "[" + ",".join(f'"{arm}"' for arm in arms) + "]"
        yield error("E_REFERENCE", "/order", "The order names every arm once.", change=change)


def populations(document: ProtocolDocument) -> Iterator[LintFinding]:
    """A gate is about a declared arm, cell, role and scope."""
    arms = {arm.id for arm in document.arms}
    cells = {cell.id: _roles(cell) for cell in document.cells}
    for index, gate in enumerate(document.gates):
        population, pointer = gate.population, f"/gates/{index}/population"
        if gate.scope not in document.scopes:
            detail = "The gate's scope is none of the document's scopes."
            yield error("E_REFERENCE", f"/gates/{index}/scope", detail)
        if population.arm not in arms:
            yield error("E_REFERENCE", f"{pointer}/arm", "No arm has that name.")
        if population.cell not in cells:
            yield error("E_SCOPE_UNDECLARED_CELL", f"{pointer}/cell", "No cell has that name.")
            continue
        roles = cells[population.cell]
        if population.stream_role not in roles | {"any"}:
            yield error("E_REFERENCE", f"{pointer}/stream_role", "The cell has no such stream.")
        if population.against_cell is not UNSET and population.against_cell not in cells:
            detail = "No cell has that name."
            yield error("E_SCOPE_UNDECLARED_CELL", f"{pointer}/against_cell", detail)
        if population.against_role is not UNSET and population.against_role not in roles:
            yield error("E_REFERENCE", f"{pointer}/against_role", "The cell has no such stream.")


def streams(document: ProtocolDocument) -> Iterator[LintFinding]:
    """A cell's own rules name streams of that cell."""
    for index, cell in streams_cells(document):
        roles = _roles(cell)
        for place, role in _named_roles(cell):
            if role not in roles:
                pointer = f"/cells/{index}/{place}"
                yield error("E_REFERENCE", pointer, "The cell has no stream of that role.")


def _roles(cell: Cell) -> set[str]:
    return {each.role for each in streams_of(cell)}


def _named_roles(cell: StreamsCell) -> Iterator[tuple[str, str]]:
    for number, planned in enumerate(cell.streams):
        if planned.starts.after is not UNSET:
            yield f"streams/{number}/starts/after/stream_role", planned.starts.after.stream_role
    for number, demand in enumerate(cell.preconditions):
        yield f"preconditions/{number}/left/stream_role", demand.left.stream_role
        yield f"preconditions/{number}/right/stream_role", demand.right.stream_role
    for number, cancel in enumerate(cell.ends.cancels):
        yield f"ends/cancels/{number}/stream_role", cancel.stream_role
        yield f"ends/cancels/{number}/after/stream_role", cancel.after.stream_role
    if cell.warmup is not None:
        yield "warmup/role", cell.warmup.role


RULES: Final[tuple[Rule, ...]] = (distinct, order, populations, streams)
