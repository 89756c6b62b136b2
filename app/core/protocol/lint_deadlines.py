# SPDX-License-Identifier: Apache-2.0
"""Lint: a slot lasts long enough for its limits to be seen broken."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import ceil
from typing import Final

from msgspec import UNSET

from app.core.canonical import MAX_INTEGER
from app.core.identity import CellId
from app.core.protocol.decimals import decimal_text
from app.core.protocol.finding import LintFinding
from app.core.protocol.gate import (
    AnyGate,
    BoundGate,
    ComparisonGate,
    FairnessGate,
    MetricGate,
    ProgressGate,
    ShareGate,
)
from app.core.protocol.gate_results import JobsGate
from app.core.protocol.lint_references import GateRule, Gates, error, warning
from app.core.protocol.metrics import STREAM_METRICS, scale_of
from app.core.protocol.patch import Patch, put
from app.core.protocol.plan import cell_of
from app.core.statement.protocol_document import JobsCell, ProtocolDocument, StreamsCell

_Limited = BoundGate | ProgressGate | ShareGate | FairnessGate
_UPPER: Final = ("<", "<=")
_LATE: Final = 100
"""So many times the longest that a pilot's control took, a deadline waits for nothing."""


def deadlines(document: ProtocolDocument, gates: Gates) -> Iterator[LintFinding]:
    """A slot is watched at least as long as its limits allow it to take."""
    for index, gate in enumerate(gates):
        if not isinstance(gate, _Limited) or gate.demand.op not in _UPPER:
            continue
        of_lanes = isinstance(gate, FairnessGate) and gate.ratio is not None
        if of_lanes or STREAM_METRICS.get(gate.metric.name) != "time":
            continue
        limit_us = gate.demand.limit / scale_of(gate.metric)
        cell = cell_of(document, gate.population.cell)
        deadline = cell.ends.slot_deadline_us if isinstance(cell, StreamsCell) else limit_us
        if deadline < limit_us:
            formula = f"{deadline} us < {decimal_text(limit_us)} us"
            detail = (
                "The slot's deadline comes before the limit, so nobody would see it broken: decide "
                "on a later deadline or a lower limit."
            )
            pointer = f"/gates/{index}/comparison/limit"
            change = _deadline(document, gate.population.cell, limit_us)
            yield error("E_DEADLINE_LT_LIMIT", pointer, detail, formula, change)


def lasting(document: ProtocolDocument, gates: Gates) -> Iterator[LintFinding]:
    """No lane of long work is asked to last longer than its slot."""
    for index, gate in enumerate(gates):
        cell = cell_of(document, gate.population.cell)
        if not isinstance(gate, JobsGate) or not isinstance(cell, JobsCell):
            continue
        deadline, wanted = cell.ends.slot_deadline_us, gate.min_duration_us
        if deadline < wanted:
            detail = (
                "The slot's deadline comes before any lane has lasted so long, so none passes: "
                "decide on a later deadline or a shorter time."
            )
            pointer = f"/gates/{index}/rule/min_duration_us"
            change = _deadline(document, gate.population.cell, Fraction(wanted))
            formula = f"{deadline} us < {wanted} us"
            yield error("E_DEADLINE_LT_LIMIT", pointer, detail, formula, change)


def deadlines_of_controls(document: ProtocolDocument, gates: Gates) -> Iterator[LintFinding]:
    """A comparison is watched until a candidate at twice its margin would have been seen.

    What a control is expected to take is what a bound of the same metric allows it.
    """
    for index, gate in enumerate(gates):
        if isinstance(gate, ComparisonGate):
            expected = max((_allowed(each, gate) for each in gates), default=Fraction(0))
            yield from deadline_findings(document, index, gate, expected, by="the control's bound")


def deadline_findings(
    document: ProtocolDocument, index: int, gate: MetricGate, expected: Fraction, *, by: str
) -> Iterator[LintFinding]:
    """Yield that a slot ends before what a time gate is about would have been seen.

    Args:
        document: the gate's.
        index: of the gate in it.
        gate: of a comparison twice the margin must be seen, of others the expected value itself.
        expected: what a control takes, in the gate's unit.
        by: what says so.
    """
    cell = cell_of(document, gate.population.cell)
    is_time = (
        STREAM_METRICS.get(gate.metric.name) == "time" and gate.population.against_cell is UNSET
    )
    if not is_time or not isinstance(cell, StreamsCell):
        return
    wanted, formula = expected, f"{by}, {decimal_text(expected / scale_of(gate.metric))} us"
    if isinstance(gate, ComparisonGate):
        margin = gate.contrast.margin
        worst = expected * (1 + margin.value) if margin.scale == "ratio" else expected
        wanted, formula = 2 * worst, f"2 (1 + {decimal_text(margin.value)}) x {by}"
    wanted_us = wanted / scale_of(gate.metric)
    deadline = cell.ends.slot_deadline_us
    if deadline < wanted_us:
        detail = "The deadline would end what the gate has to tell apart."
        change = _deadline(document, gate.population.cell, wanted_us)
        pointer = f"/gates/{index}"
        formula = f"{deadline} us < {formula}"
        yield error("E_DEADLINE_LT_LIMIT", pointer, detail, formula, change)


def late_finding(cell: StreamsCell, index: int, slowest_us: Fraction) -> Iterator[LintFinding]:
    """Yield that a slot may hang far longer than anything that a pilot's control took.

    Args:
        cell: of the slots.
        index: of the cell in its document.
        slowest_us: the longest that a control took.
    """
    deadline = cell.ends.slot_deadline_us
    if deadline > _LATE * slowest_us:
        slowest = decimal_text(slowest_us)
        formula = f"{deadline} us > {_LATE} x the pilot's control, {slowest} us"
        detail = "A stream that hangs is waited for so long: decide on an earlier deadline."
        pointer = f"/cells/{index}/ends/slot_deadline_us"
        yield warning("W_DEADLINE_LATE", pointer, detail, formula)


def _allowed(bound: AnyGate, gate: ComparisonGate) -> Fraction:
    """Return what a gate lets a comparison's controls take, in its unit; 0: it says nothing."""
    about_control = (
        isinstance(bound, BoundGate)
        and bound.population.arm in gate.vs
        and bound.population.arm != gate.population.arm
        and bound.population.cell == gate.population.cell
        and bound.population.stream_role == gate.population.stream_role
        and (bound.metric.name, bound.metric.unit) == (gate.metric.name, gate.metric.unit)
        and bound.demand.op in _UPPER
    )
    return bound.demand.limit if about_control else Fraction(0)


def _deadline(document: ProtocolDocument, cell_id: CellId, wanted_us: Fraction) -> Patch:
    """Return the patch that watches a cell's slots so long; empty: no deadline is so late."""
    index = next(n for n, cell in enumerate(document.cells) if cell.id == cell_id)
    deadline = ceil(wanted_us)
    place = f"/cells/{index}/ends/slot_deadline_us"
    return put(place, deadline) if deadline <= MAX_INTEGER else ()


RULES: Final[tuple[GateRule, ...]] = (deadlines, lasting, deadlines_of_controls)
