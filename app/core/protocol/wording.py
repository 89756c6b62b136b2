# SPDX-License-Identifier: Apache-2.0
"""A gate's demand in one line, as a page shows it beside what was observed."""

from __future__ import annotations

from app.core.protocol.gate import (
    AnyGate,
    AssayGate,
    BoundGate,
    CanaryGate,
    ClaimGate,
    ComparisonGate,
    CompletenessGate,
    Demand,
    DriftGate,
    IdentityGate,
    IntegrityGate,
    ProgressGate,
    ShareGate,
)
from app.core.protocol.margin import Margin
from app.core.statement.gate_record import EventOf, Population


def rule_text(gate: AnyGate) -> str:
    """Return the rule as locked: what, over which units, against which limit."""
    place = f"{gate.population.arm}/{gate.population.cell}"
    match gate:
        case CanaryGate():
            answer = " and the expected answer" if gate.answer else ""
            order = f"{_event(gate.left)} {gate.op} {_event(gate.right)}"
            return f"{order}{answer}, in every slot of {place}"
        case IdentityGate():
            fields = ", ".join(gate.fields) or "every identity"
            return f"{fields} as pinned, in every slot of {place}"
        case CompletenessGate():
            bases = " or ".join(gate.accepted_bases)
            what = f"{_statistic(gate.demand)} of {_unit(gate.population)} complete by {bases}"
            return f"{what} in {place} {_limit(gate.demand, '1')}"
        case AssayGate():
            return f"every gate of {place} that is expected to {gate.expect} does"
        case ComparisonGate() | ShareGate() | DriftGate():
            return _claim(gate)
        case BoundGate() | ProgressGate() | IntegrityGate():
            what = f"{_statistic(gate.demand)} of {gate.metric.name} over {_unit(gate.population)}"
            return f"{what} of {place} {_limit(gate.demand, gate.metric.unit)}"


def _claim(gate: ClaimGate) -> str:
    place = f"{gate.population.arm}/{gate.population.cell}"
    match gate:
        case ComparisonGate():
            return _comparison(gate)
        case ShareGate():
            share = "at least" if gate.demand.kind == "quantile" else "more than"
            units = _unit(gate.population)
            what = f"{share} {gate.share} of all {units} like those of {place}"
            return f"{what} have {gate.metric.name} {_limit(gate.demand, gate.metric.unit)}"
        case DriftGate():
            margin = _distance(gate.margin, gate.metric.unit)
            return f"{gate.metric.name} of {place} and {gate.first} within {margin} either way"


def _comparison(gate: ComparisonGate) -> str:
    words = {
        "non_inferiority": "not worse than",
        "superiority": "better than",
        "equivalence": "as good as",
    }
    contrast = gate.contrast
    place = f"{gate.population.arm}/{gate.population.cell}"
    ratio = "" if gate.against_cell is None else f" over {gate.against_cell}"
    margin = _distance(contrast.margin, gate.metric.unit)
    worse = f"{contrast.margin.worse} is worse"
    how = f"{gate.design}, {_unit(gate.population)}, alpha {contrast.alpha}"
    against = " and ".join(gate.vs)
    claim = words[contrast.claim]
    return f"{gate.metric.name}{ratio} of {place} {claim} {against} by {margin} ({worse}; {how})"


def _distance(margin: Margin, unit: str) -> str:
    value = abs(margin.value)
    return f"{value} of it" if margin.scale == "ratio" else f"{value} {unit}"


def _event(event: EventOf) -> str:
    return f"{event.stream_role}.{event.event}"


def _statistic(demand: Demand) -> str:
    if demand.statistic == "kth":
        return f"order statistic {demand.k} (sample)"
    return demand.statistic


def _unit(population: Population) -> str:
    role = "" if population.stream_role == "any" else f"{population.stream_role} "
    return f"{role}{population.unit}s"


def _limit(demand: Demand, unit: str) -> str:
    return f"{demand.op} {demand.limit}" if unit == "1" else f"{demand.op} {demand.limit} {unit}"
