# SPDX-License-Identifier: Apache-2.0
"""Lint: a gate reads what its cell plans to capture, by names that the cell plans (threat L20)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Final

from msgspec import UNSET

from app.core.protocol.finding import LintFinding
from app.core.protocol.lint_references import Rule, error
from app.core.protocol.metrics import source_kind
from app.core.protocol.patch import remove
from app.core.statement.gate_record import GateKind, GateRecord
from app.core.statement.gate_record import Rule as GateRule
from app.core.statement.protocol_document import (
    Cell,
    ChecksCell,
    ClaimCell,
    ProtocolDocument,
)

_STREAMS: Final = ("streams",)
_OBSERVED: Final = ("streams", "checks", "jobs")
_CAPTURED: Final = ("streams", "checks", "jobs", "claim")
_BY_KIND: Final[Mapping[GateKind, tuple[str, ...]]] = {
    "canary": _STREAMS,
    "progress": _STREAMS,
    "completeness": _STREAMS,
    "fairness": _STREAMS,
    "observed_envelope": _STREAMS,
    "integrity": _OBSERVED,
    "identity": _CAPTURED,
    "assay": _CAPTURED,
    "checks": ("checks",),
    "artifact_registry": ("checks",),
    "jobs": ("jobs",),
    "claim": ("claim",),
    "review": ("review",),
}
"""What a gate of a kind reads; of the others the metric decides."""


def captures(document: ProtocolDocument) -> Iterator[LintFinding]:
    """A gate reads a cell whose slots are filled by what the gate reads."""
    cells = {cell.id: capture_of(cell) for cell in document.cells}
    for index, gate in enumerate(document.gates):
        planned, read = cells.get(gate.population.cell), read_by(gate)
        if planned is not None and planned not in read:
            detail = (
                "The gate reads another kind of capture than its cell plans, and one kind of "
                "evidence never stands in for another: decide which cell it is about."
            )
            formula = f"{gate.kind} reads {' or '.join(read)}, the cell plans {planned}"
            yield error("E_CAPTURE_KIND", f"/gates/{index}/population/cell", detail, formula)


def capture_of(cell: Cell) -> str:
    """Return the kind of capture that fills the slots of ``cell``."""
    return str(cell.__struct_config__.tag)


def read_by(gate: GateRecord) -> tuple[str, ...]:
    """Return the kinds of capture that ``gate`` can read."""
    if gate.kind in _BY_KIND:
        return _BY_KIND[gate.kind]
    source = None if gate.metric is UNSET else source_kind(gate.metric)
    if source in ("counter", "container", "gauge", "event"):
        return _OBSERVED
    return ("checks",) if source == "reported" else _STREAMS


def unseen(document: ProtocolDocument) -> Iterator[LintFinding]:
    """An event that nobody saw may have happened, so a gate on it asks for at least so many."""
    for index, gate in enumerate(document.gates):
        if gate.metric is UNSET or source_kind(gate.metric) != "event":
            continue
        if gate.comparison is not UNSET and gate.comparison.op in (">", ">="):
            continue
        pointer = f"/gates/{index}"
        detail = (
            "An event that was not seen may have happened unseen: a gate can ask for at least so "
            "many of them, and a counter can show that there was none."
        )
        yield error("E_CANNOT_PASS", pointer, detail, change=remove(pointer))


def names(document: ProtocolDocument) -> Iterator[LintFinding]:
    """A gate on named results and files names such as its cell plans."""
    planned = {cell.id: set(cell.named) for cell in document.cells if isinstance(cell, ChecksCell)}
    for index, gate in enumerate(document.gates):
        if gate.rule is UNSET or gate.population.cell not in planned:
            continue
        missing = sorted(_names_of(gate.rule) - planned[gate.population.cell])
        if missing:
            member = "named" if gate.kind == "checks" else "artifacts"
            detail = "A result that its cell does not plan may be left out: decide what it plans."
            formula = f"not planned: {', '.join(missing)}"
            yield error("E_REFERENCE", f"/gates/{index}/rule/{member}", detail, formula)


def results(document: ProtocolDocument) -> Iterator[LintFinding]:
    """A cell of checks plans some, each once."""
    for index, cell in enumerate(document.cells):
        if not isinstance(cell, ChecksCell):
            continue
        if not cell.suites and not cell.named:
            detail = "The cell plans no suite and no named result: decide what must be there."
            yield error("E_NOTHING_PLANNED", f"/cells/{index}", detail)
        for member, planned in (("suites", cell.suites), ("named", cell.named)):
            if any(times > 1 for times in Counter(planned).values()):
                detail = "A name stands for two things here: decide which."
                yield error("E_DUPLICATE_ID", f"/cells/{index}/{member}", detail)


def decisions(document: ProtocolDocument) -> Iterator[LintFinding]:
    """All claim gates of a cell name the same digests, or none of its decisions fits them all."""
    for cell in document.cells:
        if not isinstance(cell, ClaimCell):
            continue
        locked = [
            (index, gate.rule)
            for index, gate in enumerate(document.gates)
            if gate.kind == "claim" and gate.population.cell == cell.id
        ]
        for index, rule in locked[1:]:
            if rule != locked[0][1]:
                detail = "Two gates want one decision bound to different digests: decide which."
                yield error("E_CONTRADICTORY", f"/gates/{index}/rule", detail)


def _names_of(rule: GateRule) -> set[str]:
    named = [] if rule.named is UNSET else rule.named
    artifacts = [] if rule.artifacts is UNSET else rule.artifacts
    return {*named, *(each.name for each in artifacts)}


RULES: Final[tuple[Rule, ...]] = (captures, unseen, names, results, decisions)
