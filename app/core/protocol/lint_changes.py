# SPDX-License-Identifier: Apache-2.0
"""Changes of more than one member: gates that are added, and repetitions with their counts."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Final, Literal, cast

from msgspec import UNSET, to_builtins
from msgspec.structs import replace

from app.core.canonical import JsonValue
from app.core.identity import ArmId, CellId, Scope
from app.core.protocol.cells import repetitions_of, streams_of
from app.core.protocol.decimals import decimal_text
from app.core.protocol.gate_demand import MetricGate
from app.core.protocol.gate_given import given
from app.core.protocol.metrics import STREAM_METRICS, scale_of
from app.core.protocol.patch import Patch, append, put, remove
from app.core.protocol.plan import cell_of
from app.core.statement.gate_record import GateRecord
from app.core.statement.protocol_document import ProtocolDocument, StreamsCell

MOST_REPETITIONS: Final = 1000
"""As many repetitions as a cell of a document may have."""


def fresh_id(document: ProtocolDocument, wanted: str) -> str:
    """Return an id for a gate that no gate of the document has."""
    taken, number, name = {gate.id for gate in document.gates}, 2, wanted
    while name in taken:
        name, number = f"{wanted}-{number}", number + 1
    return name


def repetitions(
    document: ProtocolDocument, cell_id: CellId, units: int, *, waves: int = 1
) -> Patch:
    """Return the patch that runs ``waves`` slots for each of so many units of a cell.

    Gates that count its complete units count as many. Empty: no cell has so many slots.
    """
    wanted = units * waves
    if wanted > MOST_REPETITIONS:
        return ()
    index = next(n for n, cell in enumerate(document.cells) if cell.id == cell_id)
    patch = put(f"/cells/{index}/repetitions", wanted)
    planned = repetitions_of(document.cells[index])
    for number, gate in enumerate(document.gates):
        member = _total_of(gate)
        if gate.population.cell == cell_id and member is not None:
            total = Fraction(str(getattr(gate.comparison, member))) * wanted / planned
            place = f"/gates/{number}/comparison/{member}"
            patch += put(place, decimal_text(total))
    return patch


def add_completeness(
    document: ProtocolDocument, places: Iterable[tuple[ArmId, CellId]], scope: Scope
) -> Patch:
    """Return the patch that wants every planned stream of each arm and cell complete."""
    patch: Patch = ()
    for arm, cell_id in places:
        patch += append("/gates", _completeness(document, arm, cell_id, scope))
    return patch


def _completeness(
    document: ProtocolDocument, arm: ArmId, cell_id: CellId, scope: Scope
) -> JsonValue:
    cell = cell_of(document, cell_id)
    planned = repetitions_of(cell) * len(streams_of(cell))
    return {
        "id": fresh_id(document, f"complete-{arm}-{cell_id}".lower()),
        "kind": "completeness",
        "role": "primary",
        "claim": "sample",
        "scope": scope.value,
        "population": {
            "arm": arm,
            "cell": cell_id,
            "stream_role": "any",
            "phase": "measured",
            "unit": "stream",
        },
        "metric": {
            "name": "complete",
            "unit": "1",
            "direction": "higher_is_better",
            "domain": ["0", "1"],
            "accepted_bases": ["finish_reason"],
        },
        "statistic": "count",
        "comparison": {
            "kind": "equality",
            "value": str(planned),
        },
        "on_server_failure": "worst",
    }


def add_bound(document: ProtocolDocument, index: int, gate: MetricGate) -> Patch:
    """Return the patch that bounds the worst slot of a claim's metric.

    The limit is the claim's own where it has one, else, of a time, the slot's deadline: the
    greatest that could be seen. Empty: only a person can name a limit.
    """
    record = document.gates[index]
    is_share = gate.demand.kind in ("quantile", "proportion")
    cell = cell_of(document, gate.population.cell)
    if not is_share and not (
        isinstance(cell, StreamsCell) and STREAM_METRICS.get(gate.metric.name) == "time"
    ):
        return ()
    low = gate.metric.direction == "lower_is_better"
    seen_us = cell.ends.slot_deadline_us if isinstance(cell, StreamsCell) else 0
    limit = gate.demand.limit if is_share else seen_us * scale_of(gate.metric)
    worst = "max" if low else "min"
    bound: JsonValue = {
        "id": fresh_id(document, f"{record.id}-worst"),
        "kind": "bound",
        "role": "primary",
        "claim": "sample",
        "scope": record.scope.value,
        "population": {
            "arm": gate.population.arm,
            "cell": gate.population.cell,
            "stream_role": gate.population.stream_role,
            "phase": "measured",
            "unit": "slot",
        },
        "metric": to_builtins(record.metric),
        "slot_summary": "only" if gate.slot_summary == "only" else worst,
        "statistic": worst,
        "comparison": {
            "kind": "absolute",
            "op": "<=" if low else ">=",
            "limit": decimal_text(limit),
        },
        "on_server_failure": "worst",
    }
    return append("/gates", bound)


def add_assay(
    document: ProtocolDocument, gate: GateRecord, expect: Literal["PASS", "FAIL"]
) -> Patch:
    """Return the patch that reads what is expected of the gate's place; empty: one does."""
    place = gate.population
    for each in document.gates:
        at = (each.kind, each.population.arm, each.population.cell, each.scope, each.expect)
        if at == ("assay", place.arm, place.cell, gate.scope, expect):
            return ()
    assay: JsonValue = {
        "id": fresh_id(document, f"assay-{place.arm}-{place.cell}".lower()),
        "kind": "assay",
        "role": "validity",
        "claim": "sample",
        "scope": gate.scope.value,
        "population": {
            "arm": place.arm,
            "cell": place.cell,
            "stream_role": "any",
            "phase": "measured",
            "unit": "slot",
        },
        "expect": expect,
    }
    return append("/gates", assay)


def add_copies(document: ProtocolDocument, gate: GateRecord, roles: Iterable[str]) -> Patch:
    """Return the patch that adds the gate once more about each of other roles of its cell."""
    patch: Patch = ()
    for role in roles:
        population = replace(gate.population, stream_role=role)
        other = replace(gate, id=fresh_id(document, f"{gate.id}-{role}"), population=population)
        patch += append("/gates", cast("JsonValue", to_builtins(other)))
    return patch


def add_companion(document: ProtocolDocument, index: int, cell: CellId) -> Patch:
    """Return the patch that compares the other cell of a ratio by itself too."""
    gate = document.gates[index]
    population = replace(gate.population, cell=cell, against_cell=UNSET)
    other = replace(gate, id=fresh_id(document, f"{gate.id}-alone"), population=population)
    return append("/gates", cast("JsonValue", to_builtins(other)))


def as_blocks(gate: GateRecord, pointer: str) -> Patch:
    """Return the patch that compares in blocks, each candidate slot beside its control's."""
    patch = put(f"{pointer}/inference", "signflip_blocks")
    patch += put(f"{pointer}/population/unit", "block")
    patch += put(f"{pointer}/comparison/vs", [given(given(gate.comparison).vs)[0]])
    for name in ("drift_margin", "drift_policy"):
        if getattr(gate, name) is not UNSET:
            patch += remove(f"{pointer}/{name}")
    return patch


def _total_of(gate: GateRecord) -> Literal["limit", "value"] | None:
    """Return the member in which a completeness gate counts its planned units; None: in none."""
    if gate.kind != "completeness" or gate.statistic not in ("count", "sum"):
        return None
    return "value" if given(gate.comparison).kind == "equality" else "limit"
