# SPDX-License-Identifier: Apache-2.0
"""Lint: the numbers of gates can be reached, missed and read, and do not contradict one another."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from typing import Final

from app.core.protocol.blocks import blocks_of
from app.core.protocol.cells import repetitions_of, streams_of
from app.core.protocol.decimals import decimal_text
from app.core.protocol.finding import LintFinding
from app.core.protocol.gate import (
    ONE_OR_ZERO,
    AnyGate,
    BoundGate,
    CompletenessGate,
    Demand,
    Domain,
    FairnessGate,
    IntegrityGate,
    MetricGate,
    ProgressGate,
    ShareGate,
)
from app.core.protocol.gate_given import domain_of
from app.core.protocol.lint_references import GateRule, Gates, error
from app.core.protocol.metrics import STREAM_METRICS, source_kind
from app.core.protocol.patch import put, remove
from app.core.protocol.plan import cell_of
from app.core.protocol.units import BY_BOOT
from app.core.statement.protocol_document import ProtocolDocument

_Limited = BoundGate | ProgressGate | ShareGate
_UPPER: Final = ("<", "<=")
_LOWER: Final = (">", ">=")
_FROM_ZERO: Final = Domain(Fraction(0), None)


def planned_units(document: ProtocolDocument, gate: AnyGate) -> int:
    """Return the gate's denominator."""
    cell = cell_of(document, gate.population.cell)
    if gate.population.unit in BY_BOOT:
        return blocks_of(cell)
    compared = isinstance(gate, FairnessGate) and gate.ratio is not None
    if compared or gate.population.unit not in ("stream", "lane"):
        return repetitions_of(cell)
    role = gate.population.stream_role
    return repetitions_of(cell) * sum(role in ("any", each.role) for each in streams_of(cell))


def streams_of_unit(document: ProtocolDocument, gate: AnyGate) -> int:
    """Return how many planned streams one unit of the gate is folded from."""
    cell, role = cell_of(document, gate.population.cell), gate.population.stream_role
    if gate.population.unit in ("stream", "lane"):
        return 1
    return sum(role in ("any", each.role) for each in streams_of(cell))


def attainable(document: ProtocolDocument, gates: Gates) -> Iterator[LintFinding]:
    """No gate wants more units than are planned, or an order statistic beyond them."""
    for index, gate in enumerate(gates):
        planned, pointer = planned_units(document, gate), f"/gates/{index}"
        required, k = gate.demand.required_n or 0, gate.demand.k or 0
        if max(required, k) > planned:
            member = "required_n" if required > planned else "k"
            formula = f"{max(required, k)} > {planned} planned"
            detail = "More units are wanted than are planned, so the gate can never PASS."
            place = f"{pointer}/{member}"
            yield error("E_N_UNATTAINABLE", place, detail, formula, put(place, planned))


def families(_document: ProtocolDocument, gates: Gates) -> Iterator[LintFinding]:
    """No family wants more of its places to pass than it has: it would FAIL whatever they say."""
    for index, gate in enumerate(gates):
        places = {
            (each.population.arm, each.population.cell)
            for each in gates
            if (each.family, each.scope) == (gate.family, gate.scope) and each.role != "exploratory"
        }
        if gate.family is None or gate.role == "exploratory" or gate.family.k <= len(places):
            continue
        detail = "More of the family must pass than are planned, so it can only FAIL."
        place, formula = f"/gates/{index}/family_k", f"{gate.family.k} > {len(places)} planned"
        yield error("E_N_UNATTAINABLE", place, detail, formula, put(place, len(places)))


def domains(document: ProtocolDocument, gates: Gates) -> Iterator[LintFinding]:
    """A domain says what is possible, and never decides by itself."""
    for index, gate in enumerate(gates):
        pointer = f"/gates/{index}/metric/domain"
        if isinstance(gate, CompletenessGate):
            yield from _fixed(gate.demand, ONE_OR_ZERO, pointer)
        elif isinstance(gate, MetricGate | IntegrityGate):
            quantity = STREAM_METRICS.get(gate.metric.name)
            # A ratio has a domain of its own; what is declared is the metric's.
            demand = replace(gate.demand, domain=domain_of(gate.metric))
            if quantity == "one":
                yield from _fixed(demand, ONE_OR_ZERO, pointer)
            elif source_kind(gate.metric) not in ("gauge", "reported"):
                yield from _fixed(demand, _FROM_ZERO, pointer)
            else:
                yield from _of_gauge(demand, pointer)
        if isinstance(gate, IntegrityGate | _Limited | FairnessGate):
            yield from _decided(gate.demand, planned_units(document, gate), pointer)


def _fixed(demand: Demand, domain: Domain, pointer: str) -> Iterator[LintFinding]:
    """Yield a finding unless the declared domain is the one that such a value has."""
    if demand.domain != domain:
        detail = (
            "A domain says what is possible. Times, rates, tokens and counts begin at 0 and have "
            "no greatest value, and what is so or not is 0 or 1: with another domain, units that "
            "were never measured would pass."
        )
        top = None if domain.hi is None else decimal_text(domain.hi)
        change = put(pointer, [decimal_text(domain.lo), top])
        yield error("E_DOMAIN_DECIDES", pointer, detail, change=change)


def _of_gauge(demand: Demand, pointer: str) -> Iterator[LintFinding]:
    """Yield why a gauge's own domain would decide."""
    lo, hi = demand.domain.lo, demand.domain.hi
    if hi is not None and lo > hi:
        detail = "The greatest possible value is below the least."
        formula = f"{decimal_text(lo)} > {decimal_text(hi)}"
        change = put(pointer, [decimal_text(hi), decimal_text(lo)])
        yield error("E_DOMAIN_DECIDES", pointer, detail, formula, change)
    elif demand.statistic in ("sum", "count") and demand.domain != _FROM_ZERO:
        detail = "A sum of bounded values would be bounded by units that were never measured."
        yield error("E_DOMAIN_DECIDES", pointer, detail, change=put(pointer, ["0", None]))


def resolutions(document: ProtocolDocument, gates: Gates) -> Iterator[LintFinding]:
    """A limit is at least two readings' half-widths."""
    for index, gate in enumerate(gates):
        if isinstance(gate, _Limited) and gate.metric.resolution:
            least = 2 * Fraction(gate.metric.resolution)
            if gate.demand.limit < least:
                formula = f"{decimal_text(gate.demand.limit)} < 2 x {gate.metric.resolution}"
                detail = "The limit is finer than the clock can tell."
                pointer = _limit_of(document, index)
                change = put(pointer, decimal_text(least))
                yield error("E_BELOW_RESOLUTION", pointer, detail, formula, change)


def _limit_of(document: ProtocolDocument, index: int) -> str:
    comparison = document.gates[index].comparison
    member = "value" if comparison and comparison.kind == "equality" else "limit"
    return f"/gates/{index}/comparison/{member}"


def contradictions(_document: ProtocolDocument, gates: Gates) -> Iterator[LintFinding]:
    """No two gates on one statistic exclude each other."""
    bounds = [
        (index, gate)
        for index, gate in enumerate(gates)
        if isinstance(gate, BoundGate | ProgressGate)
    ]
    for (_, one), (index, other) in combinations(bounds, 2):
        same = _subject(one) == _subject(other)
        if same and (_excludes(one.demand, other.demand) or _excludes(other.demand, one.demand)):
            formula = " and ".join(
                f"{each.demand.op} {decimal_text(each.demand.limit)}" for each in (one, other)
            )
            detail = "Another gate on the same statistic excludes this one: decide which is meant."
            yield error("E_CONTRADICTORY", f"/gates/{index}/comparison", detail, formula)


def _decided(demand: Demand, planned: int, pointer: str) -> Iterator[LintFinding]:
    """Yield what the domain alone makes of the demand."""
    factor = planned if demand.statistic in ("sum", "count") else 1
    lo = demand.domain.lo * factor
    hi = None if demand.domain.hi is None else demand.domain.hi * factor
    limit = demand.limit
    top = "inf" if hi is None else decimal_text(hi)
    wanted = f"wanted {demand.op} {decimal_text(limit)}"
    formula = f"{decimal_text(lo)} <= value <= {top}, {wanted}"
    above = hi is not None and (hi < limit or (hi == limit and demand.op == "<="))
    below = lo > limit or (lo == limit and demand.op == ">=")
    if (demand.op in _UPPER and above) or (demand.op in _LOWER and below):
        detail = (
            "Every possible value is within the limit, so the gate cannot fail: it asks nothing."
        )
        change = remove(pointer.removesuffix("/metric/domain"))
        yield error("E_CANNOT_FAIL", pointer, detail, formula, change)
    short = hi is not None and (hi < limit or (hi == limit and demand.op == ">"))
    over = lo > limit or (lo == limit and demand.op == "<")
    outside = demand.op == "==" and (lo > limit or (hi is not None and hi < limit))
    if (demand.op in _LOWER and short) or (demand.op in _UPPER and over) or outside:
        detail = (
            "No possible value is within the limit, so the gate cannot pass: decide another limit."
        )
        yield error("E_CANNOT_PASS", pointer, detail, formula)


def _subject(gate: BoundGate | ProgressGate) -> tuple[object, ...]:
    population = gate.population
    return (
        population.arm,
        population.cell,
        population.stream_role,
        population.unit,
        gate.metric.name,
        gate.metric.unit,
        gate.slot_summary,
        gate.demand.statistic,
        gate.demand.k,
    )


def _excludes(upper: Demand, lower: Demand) -> bool:
    """Tell whether a demand for at most something leaves nothing for one for at least."""
    if upper.op in _LOWER or lower.op in _UPPER:
        return False
    strict = upper.op == "<" or lower.op == ">"
    return upper.limit < lower.limit or (strict and upper.limit == lower.limit)


RULES: Final[tuple[GateRule, ...]] = (
    attainable,
    families,
    domains,
    resolutions,
    contradictions,
)
