# SPDX-License-Identifier: Apache-2.0
"""What a pilot says of a protocol's gates: their spread, known effects, and what its control took.

Values stay exact; only a spread is a float, because nothing is judged by it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import log, sqrt
from statistics import stdev
from typing import Literal

from msgspec import UNSET

from app.core.identity import ArmId, Slug
from app.core.protocol.finding import LintFinding
from app.core.protocol.gate import (
    ComparisonGate,
    DriftGate,
    EnvelopeGate,
    MetricGate,
    gate_findings,
    parse_gates,
)
from app.core.protocol.lint_deadlines import deadline_findings, late_finding
from app.core.protocol.margin import Margin
from app.core.protocol.metrics import STREAM_METRICS, UNITS, scale_of
from app.core.statement.pilot import Pilot, PilotSeries
from app.core.statement.protocol_document import ProtocolDocument, StreamsCell

Values = tuple[Fraction | None, ...]
_Compared = ComparisonGate | EnvelopeGate


@dataclass(frozen=True, slots=True)
class Spread:
    """How far one unit lies from another that nothing was done to.

    Attributes:
        of_unit: standard deviation of one unit; of its logarithm, for a ratio margin.
        n: units, or blocks, that it is taken from.
        by: the control's units, or the differences inside blocks.
    """

    of_unit: float
    n: int
    by: Literal["control", "blocks"]


def values_of(pilot: Pilot, arm: ArmId, gate: MetricGate) -> Values:
    """Return what the pilot measured of ``arm`` for a gate, in its unit; empty: nothing."""
    found = (each for each in pilot.series if each.arm == arm and each.over is UNSET)
    return next((_scaled(each, gate) for each in found if _is_for(each, gate)), ())


def spread_of(pilot: Pilot, gate: ComparisonGate | DriftGate) -> Spread | None:
    """Return the spread that the gate's units will have; None: fewer than two values say it.

    Where candidate and control ran in blocks, the spread inside them is the one that counts.
    """
    if isinstance(gate, DriftGate):
        margin, control = gate.margin, gate.first
    else:
        margin, control = gate.contrast.margin, gate.vs[0]
    ratio = margin.scale == "ratio"
    if isinstance(gate, ComparisonGate) and gate.design == "signflip_blocks":
        apart = _inside_blocks(pilot, gate)
        if len(apart) > 1:
            return Spread(stdev(apart) / sqrt(2), len(apart), "blocks")
    units = [value for value in values_of(pilot, control, gate) if value is not None]
    if ratio and any(value <= 0 for value in units):
        return None
    shown = [log(value) if ratio else float(value) for value in units]
    return Spread(stdev(shown), len(shown), "control") if len(shown) > 1 else None


def effects_of_pilot(pilot: Pilot, document: ProtocolDocument) -> dict[Slug, Fraction]:
    """Return how far apart the pilot saw arms that differ, for each gate it has seen that of.

    To be better than its control, a candidate's own gain is what is known; to be no worse, what a
    control that is known to be bad lost. In the scale of the gate's margin, never below 0.
    """
    if gate_findings(document):
        return {}
    bad = [arm.id for arm in document.arms if arm.role == "positive_control"]
    effects = {}
    for gate in parse_gates(document):
        if not isinstance(gate, ComparisonGate | EnvelopeGate):
            continue
        margin = gate.contrast.margin if isinstance(gate, ComparisonGate) else gate.margin
        arms = [gate.population.arm] if margin.value < 0 else bad
        seen = [_apart(pilot, gate, arm, margin) for arm in arms]
        known = [each for each in seen if each is not None]
        if known:
            effects[gate.id] = max(Fraction(0), *known)
    return effects


def slowest(pilot: Pilot, gate: MetricGate, arms: Sequence[ArmId]) -> Fraction | None:
    """Return the greatest value that any of ``arms`` had in the pilot; None: none had any."""
    seen = [value for arm in arms for value in values_of(pilot, arm, gate) if value is not None]
    return max(seen, default=None)


def deadlines_by_pilot(pilot: Pilot, document: ProtocolDocument) -> Iterator[LintFinding]:
    """Yield where a slot would end before the pilot's own control, or twice its margin, is seen.

    Args:
        pilot: what was measured before.
        document: with gates that are in order.
    """
    controls = [arm.id for arm in document.arms if arm.role in ("control", "return_control")]
    for index, gate in enumerate(parse_gates(document)):
        if isinstance(gate, MetricGate):
            seen = slowest(pilot, gate, controls)
            if seen is not None:
                yield from deadline_findings(document, index, gate, seen, by="the pilot's control")


def late_deadlines(pilot: Pilot, document: ProtocolDocument) -> Iterator[LintFinding]:
    """Yield where a slot may hang far longer than anything that the pilot's control took.

    Args:
        pilot: what was measured before.
        document: with gates that are in order.
    """
    controls = [arm.id for arm in document.arms if arm.role in ("control", "return_control")]
    gates = [
        gate
        for gate in parse_gates(document)
        if isinstance(gate, MetricGate) and STREAM_METRICS.get(gate.metric.name) == "time"
    ]
    for index, cell in enumerate(document.cells):
        of_cell = [gate for gate in gates if gate.population.cell == cell.id]
        seen = [
            value / scale_of(gate.metric)
            for gate in of_cell
            if gate.population.against_cell is UNSET
            and (value := slowest(pilot, gate, controls)) is not None
        ]
        if isinstance(cell, StreamsCell) and seen:
            yield from late_finding(cell, index, max(seen))


def _inside_blocks(pilot: Pilot, gate: ComparisonGate) -> list[float]:
    """Return how far a candidate lay from its control, block by block."""
    ratio = gate.contrast.margin.scale == "ratio"
    own = values_of(pilot, gate.population.arm, gate)
    pairs = [
        (one, other)
        for one, other in zip(own, values_of(pilot, gate.vs[0], gate), strict=False)
        if one is not None and other is not None
    ]
    if not ratio:
        return [float(one - other) for one, other in pairs]
    ratios = [one / other for one, other in pairs if other > 0] or list(_given(pilot, gate))
    return [log(each) for each in ratios if each > 0]


def _given(pilot: Pilot, gate: ComparisonGate) -> Iterator[Fraction]:
    """Yield the ratios of blocks that the pilot gives as such."""
    for series in pilot.series:
        same = (series.arm, series.over) == (gate.population.arm, gate.vs[0])
        if same and _is_for(series, gate):
            yield from (Fraction(value) for value in series.values if value is not None)


def _apart(pilot: Pilot, gate: _Compared, arm: ArmId, margin: Margin) -> Fraction | None:
    """Return how far ``arm`` was from the control, towards where the margin points.

    It is the middle of all pairs, of an even number the one that is nearer to no effect.
    """
    own, control = values_of(pilot, arm, gate), values_of(pilot, gate.vs[0], gate)
    ratio = margin.scale == "ratio"
    pairs = [
        one / other - 1 if ratio else one - other
        for one in own
        for other in control
        if one is not None and other is not None and (other > 0 or not ratio)
    ]
    up = (margin.worse == "higher") == (margin.value > 0)
    towards = sorted(each if up else -each for each in pairs)
    return towards[(len(towards) - 1) // 2] if towards else None


def _is_for(series: PilotSeries, gate: MetricGate) -> bool:
    population = gate.population
    same = (
        series.cell == population.cell
        and series.stream_role == population.stream_role
        and series.metric == gate.metric.name
        and series.against_cell == population.against_cell
    )
    dimensionless = series.against_cell is not UNSET or series.over is not UNSET
    return same and (dimensionless or _scale(series, gate) is not None)


def _scaled(series: PilotSeries, gate: MetricGate) -> Values:
    scale = 1 if series.against_cell is not UNSET else _scale(series, gate) or 1
    return tuple(None if each is None else Fraction(each) * scale for each in series.values)


def _scale(series: PilotSeries, gate: MetricGate) -> Fraction | None:
    """Return what one of the series' unit is in the gate's; None: they cannot be compared."""
    if series.unit == gate.metric.unit:
        return Fraction(1)
    quantity = STREAM_METRICS.get(gate.metric.name)
    units = UNITS[quantity] if quantity is not None else {}
    if series.unit in units and gate.metric.unit in units:
        return units[gate.metric.unit] / units[series.unit]
    return None
