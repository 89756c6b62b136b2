# SPDX-License-Identifier: Apache-2.0
"""Lint: each gate can fail, points the way its metric does, and has a role that counts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal

from msgspec import UNSET

from app.core.identity import ArmId
from app.core.protocol.blocks import waves_of
from app.core.protocol.decimals import decimal_text
from app.core.protocol.finding import LintFinding
from app.core.protocol.gate import CanaryGate, IntegrityGate
from app.core.protocol.lint_changes import add_assay
from app.core.protocol.lint_references import GateRule, Gates, Rule, error
from app.core.protocol.metrics import STREAM_METRICS, Quantity
from app.core.protocol.patch import Patch, put, remove
from app.core.protocol.units import unit_findings
from app.core.statement.gate_record import GateRecord, Operator
from app.core.statement.protocol_document import ProtocolDocument

Direction = Literal["lower_is_better", "higher_is_better"]

_WANTS: Final[dict[Operator, Direction]] = {
    "<": "lower_is_better",
    "<=": "lower_is_better",
    ">": "higher_is_better",
    ">=": "higher_is_better",
}
_OF_QUANTITY: Final[dict[Quantity, Direction]] = {
    "time": "lower_is_better",
    "rate": "higher_is_better",
    "one": "higher_is_better",
}
_BACK: Final[dict[Direction, Operator]] = {"lower_is_better": "<=", "higher_is_better": ">="}
_OF_WORSE: Final[dict[str, Direction]] = {
    "higher": "lower_is_better",
    "lower": "higher_is_better",
}
_WORSE: Final[dict[Direction, str]] = {better: worse for worse, better in _OF_WORSE.items()}
_BREAKING: Final = ("identity", "assay")
"""Kinds that say whether others mean anything."""


def directions(document: ProtocolDocument) -> Iterator[LintFinding]:
    """What a gate wants is what its metric calls better."""
    for index, gate in enumerate(document.gates):
        if gate.role == "exploratory" or gate.metric is UNSET:
            continue
        pointer = f"/gates/{index}"
        own = _own_direction(gate)
        if own is not None and gate.metric.direction != own:
            detail = "Of this metric the other direction is better, whatever is wanted of it."
            place = f"{pointer}/metric/direction"
            yield error("E_DIRECTION", place, detail, change=put(place, own))
        wanted = _wanted(gate)
        if wanted is not None and wanted != gate.metric.direction:
            detail = "The gate would pass by getting worse: what it wants points the other way."
            member, back = ("worse", _WORSE) if _is_against(gate) else ("op", _BACK)
            place = f"{pointer}/comparison/{member}"
            change = put(place, back[gate.metric.direction])
            yield error("E_DIRECTION", place, detail, change=change)


def _own_direction(gate: GateRecord) -> Direction | None:
    """Return which way is better of what the gate reads; None: it depends on what is asked."""
    if gate.kind == "integrity":
        return "lower_is_better"
    quantity = None if gate.metric is UNSET else STREAM_METRICS.get(gate.metric.name)
    return None if quantity is None else _OF_QUANTITY.get(quantity)


def _wanted(gate: GateRecord) -> Direction | None:
    if gate.comparison is UNSET or gate.kind == "assay" or gate.lane_ratio is not UNSET:
        # An assay wants to see what is worse, and a ratio of lanes is the less the better.
        return None
    if _is_against(gate):
        return _OF_WORSE.get(str(gate.comparison.worse))
    return None if gate.comparison.op is UNSET else _WANTS.get(gate.comparison.op)


def _is_against(gate: GateRecord) -> bool:
    """Tell whether the gate is held against controls and says itself what is worse."""
    return gate.kind in ("comparison", "drift", "observed_envelope")


def roles(document: ProtocolDocument) -> Iterator[LintFinding]:
    """Only a gate that says whether others mean anything stands beside what counts."""
    for index, gate in enumerate(document.gates):
        if gate.role == "validity" and gate.kind not in _BREAKING:
            detail = (
                "A validity gate never enters a scope, so what it measures of the server would "
                "not count. Only identity and assay gates have that role."
            )
            place = f"/gates/{index}/role"
            yield error("E_VALIDITY_ROLE", place, detail, change=put(place, "secondary"))


def units(document: ProtocolDocument) -> Iterator[LintFinding]:
    """Units that this version does not fold are not counted as if they were slots."""
    waves = {cell.id: waves_of(cell) for cell in document.cells}
    for index, gate in enumerate(document.gates):
        of_cell = waves.get(gate.population.cell, 1)
        unit = gate.population.unit
        yield from unit_findings(gate.kind, unit, f"/gates/{index}", waves=of_cell)


def assays(document: ProtocolDocument) -> Iterator[LintFinding]:
    """Whatever is expected of a control is read by an assay, and every assay reads something."""
    read = {_expected(gate) for gate in document.gates if gate.kind == "assay"}
    shown = {_expected(gate) for gate in document.gates if _can_show(gate)}
    for index, gate in enumerate(document.gates):
        if gate.expect is UNSET:
            continue
        if gate.kind == "assay" and _expected(gate) not in shown:
            detail = "No primary or secondary gate of its arm, scope and cell is expected to do so."
            pointer = f"/gates/{index}"
            yield error("E_CANNOT_PASS", pointer, detail, change=remove(pointer))
        elif gate.kind != "assay" and not (_can_show(gate) and _expected(gate) in read):
            detail = (
                "No assay gate of this arm, scope and cell reads what is expected, so an arm that "
                "does otherwise would change nothing."
            )
            place = f"/gates/{index}/expect"
            change = add_assay(document, gate, gate.expect) if _can_show(gate) else remove(place)
            yield error("E_NO_ASSAY", place, detail, change=change)
    for index, arm in enumerate(document.arms):
        if arm.role == "positive_control" and all(arm.id != each[0] for each in read):
            detail = (
                "No assay gate reads this arm, so what it shows would change nothing: decide what "
                "is known to be bad about it, gate it, expect FAIL, and add an assay gate."
            )
            change = _shown_by(document, arm.id)
            yield error("E_NO_ASSAY", f"/arms/{index}/role", detail, change=change)


def _shown_by(document: ProtocolDocument, arm: ArmId) -> Patch:
    """Return the patch that expects the arm's first gate to FAIL; empty: it has none."""
    for index, gate in enumerate(document.gates):
        if gate.population.arm == arm and _can_show(gate):
            return put(f"/gates/{index}/expect", "FAIL") + add_assay(document, gate, "FAIL")
    return ()


def _expected(gate: GateRecord) -> tuple[str, str, str, str]:
    """Return where something is expected, and what."""
    population = gate.population
    return (population.arm, population.cell, gate.scope, str(gate.expect))


def _can_show(gate: GateRecord) -> bool:
    """Tell whether an assay may read the gate."""
    return gate.kind != "assay" and gate.role in ("primary", "secondary")


def canaries(_document: ProtocolDocument, gates: Gates) -> Iterator[LintFinding]:
    """The event that must come first is one of the server's, and of another stream."""
    for index, gate in enumerate(gates):
        if not isinstance(gate, CanaryGate):
            continue
        pointer, first = f"/gates/{index}", gate.right if gate.op in (">", ">=") else gate.left
        if gate.left.stream_role == gate.right.stream_role:
            detail = "The events of one stream have one order, whatever the server does."
            yield error("E_CANNOT_FAIL", f"{pointer}/rule", detail, change=remove(pointer))
        elif first.event == "submitted":
            detail = "The harness submits; that it did so first says nothing about the server."
            yield error("E_CANNOT_FAIL", f"{pointer}/rule", detail, change=remove(pointer))


def integrity(_document: ProtocolDocument, gates: Gates) -> Iterator[LintFinding]:
    """An integrity gate is about something that must not happen once."""
    for index, gate in enumerate(gates):
        if not isinstance(gate, IntegrityGate):
            continue
        demand, pointer = gate.demand, f"/gates/{index}"
        if demand.limit != 0 or demand.op not in ("<=", "=="):
            detail = "What must not happen must not happen once: the limit is 0."
            place, formula = f"{pointer}/comparison", f"{demand.op} {decimal_text(demand.limit)}"
            change = put(place, {"kind": "absolute", "op": "<=", "limit": "0"})
            yield error("E_INTEGRITY_LIMIT", place, detail, formula, change)
        if demand.statistic not in ("sum", "count", "max", "all"):
            detail = "It must not happen in any slot: a middle or least value drops slots."
            place = f"{pointer}/statistic"
            yield error("E_DROPS_SLOTS", place, detail, change=put(place, "sum"))


RULES: Final[tuple[Rule, ...]] = (directions, roles, units, assays)
NUMBER_RULES: Final[tuple[GateRule, ...]] = (canaries, integrity)
