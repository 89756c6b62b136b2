# SPDX-License-Identifier: Apache-2.0
"""Lint: names are distinct, and every name a protocol uses is one it declares."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Final, TypeAlias

from msgspec import UNSET

from app.core.protocol.cells import streams_cells, streams_of
from app.core.protocol.finding import LintFinding
from app.core.protocol.gate_types import AnyGate
from app.core.protocol.lint_changes import fresh_id
from app.core.protocol.patch import Patch, append, put, remove
from app.core.statement.protocol_document import Cell, ProtocolDocument, StreamsCell

_NO_CELL: Final = "E_SCOPE_UNDECLARED_CELL"
Rule: TypeAlias = Callable[[ProtocolDocument], Iterable[LintFinding]]
"""What reads a document as it stands."""
Gates: TypeAlias = tuple[AnyGate, ...]
GateRule: TypeAlias = Callable[[ProtocolDocument, Gates], Iterable[LintFinding]]
"""What reads its gates as numbers too, typed once for all such rules."""


def error(
    code: str, pointer: str, detail: str, formula: str = "", change: Patch = ()
) -> LintFinding:
    """Return a finding that refuses the lock."""
    return LintFinding(code, "error", pointer, detail, formula, change)


def warning(
    code: str, pointer: str, detail: str, formula: str = "", change: Patch = ()
) -> LintFinding:
    """Return a finding that a lock must acknowledge."""
    return LintFinding(code, "warning", pointer, detail, formula, change)


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
        if len(set(names)) < len(names):
            detail = "A name stands for two things here."
            change = _told_apart(document, pointer, names)
            yield error("E_DUPLICATE_ID", pointer, detail, change=change)


def _told_apart(document: ProtocolDocument, pointer: str, names: list[str]) -> Patch:
    """Return the patch that takes away what stands twice, or, of gates, names it anew."""
    again = [n for n, name in enumerate(names) if name in names[:n]]
    if pointer == "/gates":
        return tuple(
            operation
            for n in again
            for operation in put(f"/gates/{n}/id", fresh_id(document, f"{names[n]}-{n}"))
        )
    # From the end, because taking one away moves those behind it.
    return tuple(operation for n in reversed(again) for operation in remove(f"{pointer}/{n}"))


def order(document: ProtocolDocument) -> Iterator[LintFinding]:
    """Every arm runs, once."""
    arms = [arm.id for arm in document.arms]
    if sorted(document.order) != sorted(arms):
        change = put("/order", [*arms])
        yield error("E_REFERENCE", "/order", "The order names every arm once.", change=change)


def populations(document: ProtocolDocument) -> Iterator[LintFinding]:
    """A gate is about a declared arm, cell, role and scope."""
    arms = {arm.id for arm in document.arms}
    cells = {cell.id: _roles(cell) for cell in document.cells}
    for index, gate in enumerate(document.gates):
        population, pointer = gate.population, f"/gates/{index}/population"
        if gate.scope not in document.scopes:
            detail = "The gate's scope is none of the document's scopes."
            change = append("/scopes", gate.scope.value)
            yield error("E_REFERENCE", f"/gates/{index}/scope", detail, change=change)
        if population.arm not in arms:
            yield _undeclared(f"{pointer}/arm", "No arm has that name", arms)
        if population.cell not in cells:
            yield _undeclared(f"{pointer}/cell", "No cell has that name", cells, _NO_CELL)
            continue
        roles = cells[population.cell]
        if population.stream_role not in roles | {"any"}:
            yield _undeclared(f"{pointer}/stream_role", "The cell has no such stream", roles)
        if population.against_cell is not UNSET and population.against_cell not in cells:
            place = f"{pointer}/against_cell"
            yield _undeclared(place, "No cell has that name", cells, _NO_CELL)
        if population.against_role is not UNSET and population.against_role not in roles:
            yield _undeclared(f"{pointer}/against_role", "The cell has no such stream", roles)


def streams(document: ProtocolDocument) -> Iterator[LintFinding]:
    """A cell's own rules name streams of that cell."""
    for index, cell in streams_cells(document):
        roles = _roles(cell)
        for place, role in _named_roles(cell):
            if role not in roles:
                pointer = f"/cells/{index}/{place}"
                yield _undeclared(pointer, "The cell has no stream of that role", roles)


def _undeclared(
    pointer: str, what: str, declared: Collection[str], code: str = "E_REFERENCE"
) -> LintFinding:
    """Return that a name is not declared; where only one is, that one is meant."""
    names = sorted(declared)
    detail = f"{what}; decide on one that is declared: {', '.join(names)}."
    return error(code, pointer, detail, change=put(pointer, names[0]) if len(names) == 1 else ())


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
