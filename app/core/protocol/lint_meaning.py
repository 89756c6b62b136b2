# SPDX-License-Identifier: Apache-2.0
"""Lint: each gate can fail, points the way its metric does, and has a role that counts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal

from msgspec import UNSET

from app.core.protocol.finding import LintFinding
from app.core.protocol.gate import BUILT, CanaryGate, IntegrityGate, parse_gates
from app.core.protocol.lint_references import Rule, error
from app.core.protocol.metrics import STREAM_METRICS, Quantity
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
_BREAKING: Final = ("identity",)
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
            yield error("E_DIRECTION", f"{pointer}/metric/direction", detail, change=f'"{own}"')
        wanted = _wanted(gate)
        if wanted is not None and wanted != gate.metric.direction:
            detail = "The gate would pass by getting worse: its operator points the other way."
            change = f'"{_BACK[gate.metric.direction]}"'
            yield error("E_DIRECTION", f"{pointer}/comparison/op", detail, change=change)


def _own_direction(gate: GateRecord) -> Direction | None:
    """Return which way is better of what the gate reads; None: it depends on what is asked."""
    if gate.kind == "integrity":
        return "lower_is_better"
    quantity = None if gate.metric is UNSET else STREAM_METRICS.get(gate.metric.name)
    return None if quantity is None else _OF_QUANTITY.get(quantity)


def _wanted(gate: GateRecord) -> Direction | None:
    if gate.comparison is UNSET or gate.comparison.op is UNSET:
        return None
    return _WANTS.get(gate.comparison.op)


def roles(document: ProtocolDocument) -> Iterator[LintFinding]:
    """Only a gate that says whether others mean anything stands beside what counts."""
    for index, gate in enumerate(document.gates):
        if gate.role == "validity" and gate.kind not in _BREAKING:
            detail = (
                "A validity gate never enters a scope, so what it measures of the server would "
                "not count. Only an identity gate has that role."
            )
            yield error("E_VALIDITY_ROLE", f"/gates/{index}/role", detail, change='"secondary"')


def units(document: ProtocolDocument) -> Iterator[LintFinding]:
    """Units that this version does not fold are not counted as if they were slots."""
    for index, gate in enumerate(document.gates):
        if gate.kind in BUILT and gate.population.unit not in ("slot", "stream"):
            detail = (
                "This version does not fold slots into boots, blocks or lanes for this kind of "
                "gate: a boot of many slots would outvote the others."
            )
            pointer = f"/gates/{index}/population/unit"
            yield error("E_UNIT_NOT_BUILT", pointer, detail, change='"slot"')


def assays(document: ProtocolDocument) -> Iterator[LintFinding]:
    """Nothing is declared that this version would not hold against what happens."""
    detail = (
        "This version does not judge expectations: an arm that does otherwise than expected would "
        "change nothing. State the demand as a gate, or leave it out."
    )
    for index, gate in enumerate(document.gates):
        if gate.expect is not UNSET:
            yield error("E_ASSAY_NOT_BUILT", f"/gates/{index}/expect", detail)
    for index, arm in enumerate(document.arms):
        if arm.role == "positive_control":
            yield error("E_ASSAY_NOT_BUILT", f"/arms/{index}/role", detail)


def canaries(document: ProtocolDocument) -> Iterator[LintFinding]:
    """The event that must come first is one of the server's, and of another stream."""
    for index, gate in enumerate(parse_gates(document)):
        if not isinstance(gate, CanaryGate):
            continue
        first = gate.right if gate.op in (">", ">=") else gate.left
        if gate.left.stream_role == gate.right.stream_role:
            detail = "The events of one stream have one order, whatever the server does."
            yield error("E_CANNOT_FAIL", f"/gates/{index}/rule", detail)
        elif first.event == "submitted":
            detail = "The harness submits; that it did so first says nothing about the server."
            yield error("E_CANNOT_FAIL", f"/gates/{index}/rule", detail)


def integrity(document: ProtocolDocument) -> Iterator[LintFinding]:
    """An integrity gate is about something that must not happen once."""
    for index, gate in enumerate(parse_gates(document)):
        if not isinstance(gate, IntegrityGate):
            continue
        demand, pointer = gate.demand, f"/gates/{index}"
        if demand.limit != 0 or demand.op not in ("<=", "=="):
            detail = "What must not happen must not happen once: the limit is 0."
            change = '{"kind":"absolute","op":"<=","limit":"0"}'
            formula = f"{demand.op} {demand.limit}"
            yield error("E_INTEGRITY_LIMIT", f"{pointer}/comparison", detail, formula, change)
        if demand.statistic not in ("sum", "count", "max", "all"):
            detail = "It must not happen in any slot: a middle or least value drops slots."
            yield error("E_DROPS_SLOTS", f"{pointer}/statistic", detail, change='"sum"')


RULES: Final[tuple[Rule, ...]] = (directions, roles, units, assays)
NUMBER_RULES: Final[tuple[Rule, ...]] = (canaries, integrity)
