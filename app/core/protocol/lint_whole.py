# SPDX-License-Identifier: Apache-2.0
"""Lint: a gate is about every planned unit, the worst of them too, and never about the best."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Final

from msgspec import UNSET

from app.core.identity import Scope
from app.core.protocol.cells import streams_of
from app.core.protocol.decimals import decimal_text
from app.core.protocol.finding import LintFinding
from app.core.protocol.gate import (
    CompletenessGate,
    ContentionGate,
    Demand,
    DriftGate,
    IntegrityGate,
    MetricGate,
)
from app.core.protocol.lint_changes import add_bound, add_completeness
from app.core.protocol.lint_limits import planned_units, streams_of_unit
from app.core.protocol.lint_references import GateRule, Gates, Rule, error
from app.core.protocol.patch import Patch, put
from app.core.protocol.units import ABOUT_PROCESS
from app.core.statement.gate_record import GateRecord, Metric
from app.core.statement.protocol_document import ProtocolDocument, StreamsCell

_OF_REQUESTS: Final = frozenset((Scope.LIVE_CORRECTNESS, Scope.FAIRNESS))
"""Scopes about what single requests meet."""
_LIVE: Final = frozenset(
    (Scope.LIVE_CORRECTNESS, Scope.FAIRNESS, Scope.PERFORMANCE, Scope.CAPACITY)
)
COUNTING: Final = ("primary", "secondary", "integrity")
_TOTALS: Final = ("count", "sum")


def completeness(document: ProtocolDocument) -> Iterator[LintFinding]:
    """In live scopes something blocks when any planned stream does not come to its end."""
    roles = {cell.id: {each.role for each in streams_of(cell)} for cell in document.cells}
    candidates = {arm.id for arm in document.arms if arm.role == "candidate"}
    for index, scope in enumerate(document.scopes):
        gates = [
            gate
            for gate in document.gates
            if gate.scope == scope and gate.role in COUNTING and gate.population.arm in candidates
        ]
        for arm, cell in sorted({_place(gate) for gate in gates}) if scope in _LIVE else ():
            of_place = [gate for gate in gates if _place(gate) == (arm, cell)]
            missing = {
                role
                for family in {_family_of(gate) for gate in of_place}
                for role in _unwatched(of_place, family, roles.get(cell, set()))
            }
            if missing:
                detail = (
                    f"Nothing in {arm}/{cell} blocks when a stream does not finish: add a "
                    "completeness gate that wants every planned stream, of every role."
                )
                formula = "not watched: " + ", ".join(sorted(missing))
                change = add_completeness(document, [(arm, cell)], scope)
                yield error("E_NO_COMPLETENESS_GATE", f"/scopes/{index}", detail, formula, change)


def evidence(document: ProtocolDocument) -> Iterator[LintFinding]:
    """What is live was run: reading a head never stands in for measuring it."""
    candidates = {arm.id for arm in document.arms if arm.role == "candidate"}
    streams = {cell.id for cell in document.cells if isinstance(cell, StreamsCell)}
    for index, scope in enumerate(document.scopes):
        deciding = [
            gate
            for gate in document.gates
            if gate.scope == scope and gate.role == "primary" and gate.population.arm in candidates
        ]
        kinds = {gate.kind for gate in deciding}
        places = {gate.population.cell for gate in deciding}
        unasked = bool(kinds) and scope in _OF_REQUESTS and not (places & streams)
        if (scope in _LIVE and kinds == {"review"}) or unasked:
            detail = (
                "Nothing that decides this scope reads a request to a server that runs, and scopes "
                "never stand in for one another: decide what is measured, or name another scope."
            )
            yield error("E_NO_COMPLETENESS_GATE", f"/scopes/{index}", detail)


def _family_of(gate: GateRecord) -> str | None:
    """Return the family of which not all must pass; None: the gate must."""
    return None if gate.family_mode in (UNSET, "all") else str(gate.family)


def _unwatched(gates: Iterable[GateRecord], family: str | None, roles: set[str]) -> set[str]:
    """Return the roles that no completeness gate watches which must pass for the family to."""
    watched = {
        gate.population.stream_role
        for gate in gates
        if gate.kind == "completeness" and _family_of(gate) in (None, family)
    }
    return set() if "any" in watched else roles - watched


def whole_plan(document: ProtocolDocument, gates: Gates) -> Iterator[LintFinding]:
    """Completeness is of every planned unit and of every stream in it: less drops slots."""
    for index, gate in enumerate(gates):
        if isinstance(gate, CompletenessGate):
            planned, streams = planned_units(document, gate), streams_of_unit(document, gate)
            yield from _whole(gate, planned, streams, f"/gates/{index}")


def _whole(
    gate: CompletenessGate, planned: int, streams: int, pointer: str
) -> Iterator[LintFinding]:
    demand = gate.demand
    detail = "Complete means every planned unit, no fewer and no more."
    if demand.statistic not in (*_TOTALS, "all"):
        place = f"{pointer}/statistic"
        yield error("E_DROPS_SLOTS", place, detail, change=put(place, "count"))
    wanted = planned if demand.statistic in _TOTALS else 1
    if demand.limit != wanted or demand.op not in ("==", ">="):
        code = "E_CANNOT_PASS" if demand.limit > wanted else "E_DROPS_SLOTS"
        place = f"{pointer}/comparison"
        formula = f"{demand.op} {decimal_text(demand.limit)}, planned {wanted}"
        change = put(place, {"kind": "equality", "value": str(wanted)})
        yield error(code, place, detail, formula, change)
    if (demand.required_n or planned) < planned:
        formula = f"{demand.required_n} < {planned} planned"
        place = f"{pointer}/required_n"
        yield error("E_DROPS_SLOTS", place, detail, formula, put(place, planned))
    if gate.slot_summary not in (("only", "min", "sum") if streams == 1 else ("min",)):
        detail = "A slot is complete when each of its streams is: its summary is their least."
        place = f"{pointer}/slot_summary"
        yield error("E_DROPS_SLOTS", place, detail, change=put(place, "min"))


def best_of(document: ProtocolDocument, gates: Gates) -> Iterator[LintFinding]:
    """No gate that decides looks at the best units only, or at the best stream of each."""
    for index, gate in enumerate(gates):
        if gate.role == "exploratory" or not isinstance(gate, MetricGate | IntegrityGate):
            continue
        low = wants_low(gate.demand, gate.metric)
        worst, pointer = "max" if low else "min", f"/gates/{index}"
        planned = planned_units(document, gate)
        detail = "The best of the planned units says nothing about the others: it drops them."
        if _is_best(gate.demand.statistic, gate.demand.k, planned, low=low):
            place = f"{pointer}/statistic"
            yield error("E_DROPS_SLOTS", place, detail, change=put(place, worst))
        # The worst lane against a solo request is what contention is, so an assay may look at it.
        if isinstance(gate, MetricGate) and not isinstance(gate, ContentionGate):
            folded = streams_of_unit(document, gate)
            if gate.population.unit in ("boot", "block"):
                folded *= planned
            if _is_best(gate.slot_summary, gate.slot_k, folded, low=low):
                detail = (
                    "The best stream of a slot, or slot of a boot, hides what became of the others."
                )
                place = f"{pointer}/slot_summary"
                yield error("E_DROPS_SLOTS", place, detail, change=put(place, worst))


def medians(document: ProtocolDocument, gates: Gates) -> Iterator[LintFinding]:
    """In fairness a middle value stands beside a bound on the worst."""
    located = [
        (index, gate)
        for index, gate in enumerate(gates)
        if isinstance(gate, MetricGate)
        and not isinstance(gate, DriftGate)
        and gate.scope == Scope.FAIRNESS
        and gate.role in COUNTING
    ]
    worst = {_subject(gate) for _, gate in located if _looks_at_the_worst(gate)}
    for index, gate in located:
        if not _looks_at_the_worst(gate) and _subject(gate) not in worst:
            detail = (
                "In fairness a middle value, or a claim about the process, needs a bound on the "
                "worst slot beside it."
            )
            if gate.demand.kind in ABOUT_PROCESS:
                pointer, change = f"/gates/{index}", add_bound(document, index, gate)
            else:
                pointer = f"/gates/{index}/statistic"
                change = _at_the_worst(gate, f"/gates/{index}")
            yield error("E_MEDIAN_ONLY", pointer, detail, change=change)


def _at_the_worst(gate: MetricGate, pointer: str) -> Patch:
    end = "max" if wants_low(gate.demand, gate.metric) else "min"
    patch = put(f"{pointer}/statistic", end)
    if gate.slot_summary not in (end, "only", "sum"):
        patch += put(f"{pointer}/slot_summary", end)
    return patch


def wants_low(demand: Demand, metric: Metric) -> bool:
    """Tell whether lower values are better for a demand; ``==`` goes by the metric's direction."""
    by_direction = demand.op == "==" and metric.direction == "lower_is_better"
    return demand.op in ("<", "<=") or by_direction


def _is_best(name: str, k: int | None, n: int, *, low: bool) -> bool:
    """Tell whether an order statistic leaves more units beyond it, on the worse side, than not."""
    if name != "kth":
        return name in ("any", "min" if low else "max")
    rank = k or 1
    return n > 1 and (rank < Fraction(n + 1, 2) if low else rank > Fraction(n + 1, 2))


def _looks_at_the_worst(gate: MetricGate) -> bool:
    end = "max" if wants_low(gate.demand, gate.metric) else "min"
    whole = gate.demand.statistic in (end, "all", "sum", "count")
    sample = gate.demand.kind not in ABOUT_PROCESS
    return sample and whole and gate.slot_summary in (end, "only", "sum")


def _subject(gate: MetricGate) -> tuple[str, ...]:
    population = gate.population
    return (population.arm, population.cell, population.stream_role, gate.metric.name)


def _place(gate: GateRecord) -> tuple[str, str]:
    return (gate.population.arm, gate.population.cell)


RULES: Final[tuple[Rule, ...]] = (completeness, evidence)
NUMBER_RULES: Final[tuple[GateRule, ...]] = (whole_plan, best_of, medians)
