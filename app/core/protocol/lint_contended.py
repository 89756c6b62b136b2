# SPDX-License-Identifier: Apache-2.0
"""Lint: gates about cells that contend have lanes to divide, controls to pool, a cell to beat."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec import to_builtins

from app.core.canonical import JsonValue
from app.core.protocol.cells import concurrency_of, streams_cells, streams_of
from app.core.protocol.contention import has_assay, rests_on_assay
from app.core.protocol.decimals import decimal_text
from app.core.protocol.finding import LintFinding
from app.core.protocol.gate import (
    ComparisonGate,
    ContentionGate,
    EnvelopeGate,
    FairnessGate,
)
from app.core.protocol.lint_changes import fresh_id
from app.core.protocol.lint_references import GateRule, Gates, error
from app.core.protocol.metrics import BY_SLOT, STREAM_METRICS
from app.core.protocol.patch import Patch, append, put
from app.core.protocol.plan import cell_of
from app.core.statement.protocol_document import ProtocolDocument


def lanes(document: ProtocolDocument, gates: Gates) -> Iterator[LintFinding]:
    """A ratio of lanes is of two different ones."""
    for index, gate in enumerate(gates):
        if not isinstance(gate, FairnessGate) or gate.ratio is None:
            continue
        cell, role = cell_of(document, gate.population.cell), gate.population.stream_role
        there = sum(role in ("any", each.role) for each in streams_of(cell))
        wanted = gate.ratio.highest + gate.ratio.lowest
        if wanted > there:
            detail = (
                "The ratio leaves more lanes apart than a slot has, so it divides none: decide "
                "which lanes contend."
            )
            formula = f"{gate.ratio.highest} + {gate.ratio.lowest} > {there} lanes"
            place = f"/gates/{index}/lane_ratio"
            change = put(place, {"highest": 1, "lowest": 1}) if there > 1 else ()
            yield error("E_TOO_FEW_LANES", place, detail, formula, change)


def envelopes(document: ProtocolDocument, gates: Gates) -> Iterator[LintFinding]:
    """An observed envelope pools a control and its return."""
    roles = {arm.id: arm.role for arm in document.arms}
    offered = [
        next((arm.id for arm in document.arms if arm.role == role), "")
        for role in ("control", "return_control")
    ]
    for index, gate in enumerate(gates):
        if not isinstance(gate, EnvelopeGate):
            continue
        if [roles.get(each) for each in gate.vs] != ["control", "return_control"]:
            detail = "The pooled values are of a control and of its return: decide which two."
            pointer = f"/gates/{index}/comparison/vs"
            change = put(pointer, [*offered]) if all(offered) else ()
            yield error("E_NO_CONTROL", pointer, detail, f"vs {', '.join(gate.vs)}", change)


def contention(document: ProtocolDocument, gates: Gates) -> Iterator[LintFinding]:
    """Contention is shown by a control, over fewer requests, and by more than nothing."""
    roles = {arm.id: arm.role for arm in document.arms}
    for index, gate in enumerate(gates):
        if not isinstance(gate, ContentionGate):
            continue
        pointer = f"/gates/{index}"
        if roles.get(gate.population.arm) not in _CONTROLS:
            detail = "A control shows what contends, not what is asked about: decide which."
            controls = [arm for arm, role in roles.items() if role in _CONTROLS]
            place = f"{pointer}/population/arm"
            change = put(place, controls[0]) if controls else ()
            yield error("E_NO_CONTROL", place, detail, change=change)
        many = concurrency_of(cell_of(document, gate.population.cell))
        solo = concurrency_of(cell_of(document, gate.against_cell))
        if solo >= many:
            detail = "The solo cell has no fewer requests than the one that contends: decide which."
            place = f"{pointer}/population/against_cell"
            yield error("E_CANNOT_FAIL", place, detail, f"{solo} >= {many} requests")
        more = gate.demand.op == ">="
        if gate.demand.limit <= 1 if more else gate.demand.limit >= 1:
            detail = "That factor holds without any contention."
            place = f"{pointer}/comparison/limit"
            formula = f"{gate.demand.op} {decimal_text(gate.demand.limit)}"
            change = put(place, "1.5" if more else "0.5")
            yield error("E_CANNOT_FAIL", place, detail, formula, change)


def unshown(document: ProtocolDocument, gates: Gates) -> Iterator[LintFinding]:
    """A comparison under contention is never PASS where nothing shows that it could tell."""
    for index, gate in enumerate(gates):
        if not isinstance(gate, ComparisonGate) or not rests_on_assay(document, gate):
            continue
        if gate.role == "exploratory" or has_assay(gate, gates):
            continue
        if gate.contrast.claim == "superiority":
            yield _without_known_bad(index, gate)
            continue
        many = concurrency_of(cell_of(document, gate.population.cell))
        detail = (
            "Where nothing contends all is no worse than its control, and no assay gate of "
            "this scope and cell shows that something does, or that a control fails such a "
            "comparison: decide which control shows it, over which cell of fewer requests."
        )
        place = f"{gate.scope.value} in {gate.population.cell}"
        formula = f"{many} requests, no assay of {gate.metric.name} for {place}"
        change = _shown_by(document, index, gate)
        yield error("E_CANNOT_PASS", f"/gates/{index}", detail, formula, change)


def _without_known_bad(index: int, gate: ComparisonGate) -> LintFinding:
    detail = (
        "To be better under contention is evidence only beside a control that is known to be bad "
        "and fails such a comparison: decide which arm that is, compare it, expect FAIL, and add "
        "an assay gate."
    )
    place = f"{gate.scope.value} in {gate.population.cell}"
    formula = f"no control that fails {gate.metric.name} for {place}"
    return error("E_CANNOT_PASS", f"/gates/{index}", detail, formula)


def _shown_by(document: ProtocolDocument, index: int, gate: ComparisonGate) -> Patch:
    """Return the patch by which the gate's control shows that its cell contends.

    What is measured is the gate's own metric if a stream has it, else how fast streams decode.
    Empty: no cell of fewer requests stands beside it.
    """
    place, record = gate.population, document.gates[index]
    fewer = [
        cell
        for _, cell in streams_cells(document)
        if cell.concurrency < concurrency_of(cell_of(document, place.cell))
    ]
    if not fewer:
        return ()
    solo = min(fewer, key=lambda cell: cell.concurrency)
    name = gate.metric.name
    by_stream = STREAM_METRICS.get(name) in ("time", "rate") and name not in BY_SLOT
    low = by_stream and gate.metric.direction == "lower_is_better"
    shared = place.stream_role in {each.role for each in solo.streams}
    assay: JsonValue = {
        "id": fresh_id(document, f"contends-{gate.vs[0]}-{place.cell}".lower()),
        "kind": "assay",
        "role": "validity",
        "claim": "sample",
        "scope": record.scope.value,
        "population": {
            "arm": gate.vs[0],
            "cell": place.cell,
            "against_cell": solo.id,
            "stream_role": place.stream_role if shared else "any",
            "phase": "measured",
            "unit": "slot",
        },
        "metric": to_builtins(record.metric) if by_stream else _DECODE_RATE,
        "slot_summary": "max" if low else "min",
        "statistic": "all",
        "comparison": {
            "kind": "absolute",
            "op": ">=" if low else "<=",
            "limit": "1.5" if low else "0.5",
        },
    }
    return append("/gates", assay)


_DECODE_RATE: Final[JsonValue] = {
    "name": "decode_rate",
    "unit": "tokens_per_s",
    "direction": "higher_is_better",
    "domain": ["0", None],
    "clock": "monotonic",
}
_CONTROLS: Final = ("control", "return_control")
RULES: Final[tuple[GateRule, ...]] = (lanes, envelopes, contention, unshown)
