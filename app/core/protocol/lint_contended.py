# SPDX-License-Identifier: Apache-2.0
"""Lint: gates about cells that contend have lanes to divide, controls to pool, a cell to beat."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from app.core.protocol.cells import concurrency_of, streams_of
from app.core.protocol.finding import LintFinding
from app.core.protocol.gate import ContentionGate, EnvelopeGate, FairnessGate, parse_gates
from app.core.protocol.lint_references import Rule, error
from app.core.protocol.plan import cell_of
from app.core.statement.protocol_document import ProtocolDocument


def lanes(document: ProtocolDocument) -> Iterator[LintFinding]:
    """A ratio of lanes is of two different ones."""
    for index, gate in enumerate(parse_gates(document)):
        if not isinstance(gate, FairnessGate) or gate.ratio is None:
            continue
        cell, role = cell_of(document, gate.population.cell), gate.population.stream_role
        there = sum(role in ("any", each.role) for each in streams_of(cell))
        wanted = gate.ratio.highest + gate.ratio.lowest
        if wanted > there:
            detail = "The ratio leaves more lanes apart than a slot has, so it divides none."
            formula = f"{gate.ratio.highest} + {gate.ratio.lowest} > {there} lanes"
            change = '{"highest":1,"lowest":1}'
            yield error("E_TOO_FEW_LANES", f"/gates/{index}/lane_ratio", detail, formula, change)


def envelopes(document: ProtocolDocument) -> Iterator[LintFinding]:
    """An observed envelope pools a control and its return."""
    roles = {arm.id: arm.role for arm in document.arms}
    offered = [
        next((arm.id for arm in document.arms if arm.role == role), "")
        for role in ("control", "return_control")
    ]
    for index, gate in enumerate(parse_gates(document)):
        if not isinstance(gate, EnvelopeGate):
            continue
        if [roles.get(each) for each in gate.vs] != ["control", "return_control"]:
            detail = "The pooled values are those of a control and of its return, in this order."
            change = "[" + ",".join(f'"{each}"' for each in offered) + "]"
            pointer = f"/gates/{index}/comparison/vs"
            yield error("E_NO_CONTROL", pointer, detail, f"vs {', '.join(gate.vs)}", change)


def contention(document: ProtocolDocument) -> Iterator[LintFinding]:
    """Contention is shown by a control, over fewer requests, and by more than nothing."""
    roles = {arm.id: arm.role for arm in document.arms}
    for index, gate in enumerate(parse_gates(document)):
        if not isinstance(gate, ContentionGate):
            continue
        pointer = f"/gates/{index}"
        if roles.get(gate.population.arm) not in _CONTROLS:
            detail = "What contends is shown by a control, not by what is asked about."
            yield error("E_NO_CONTROL", f"{pointer}/population/arm", detail)
        many = concurrency_of(cell_of(document, gate.population.cell))
        solo = concurrency_of(cell_of(document, gate.against_cell))
        if solo >= many:
            detail = "The solo cell has as many requests as the one that should contend."
            place = f"{pointer}/population/against_cell"
            yield error("E_CANNOT_FAIL", place, detail, f"{solo} >= {many} requests")
        more = gate.demand.op == ">="
        if gate.demand.limit <= 1 if more else gate.demand.limit >= 1:
            detail = "That factor holds without any contention."
            formula = f"{gate.demand.op} {gate.demand.limit}"
            change = '"1.5"' if more else '"0.5"'
            yield error("E_CANNOT_FAIL", f"{pointer}/comparison/limit", detail, formula, change)


_CONTROLS: Final = ("control", "return_control")
RULES: Final[tuple[Rule, ...]] = (lanes, envelopes, contention)
