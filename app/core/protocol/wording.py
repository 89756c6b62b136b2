# SPDX-License-Identifier: Apache-2.0
"""A gate's demand in one line, as a page shows it beside what was observed."""

from __future__ import annotations

from app.core.protocol.gate import (
    AnyGate,
    BoundGate,
    CanaryGate,
    CompletenessGate,
    Demand,
    IdentityGate,
    IntegrityGate,
    ProgressGate,
)
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
        case BoundGate() | ProgressGate() | IntegrityGate():
            what = f"{_statistic(gate.demand)} of {gate.metric.name} over {_unit(gate.population)}"
            return f"{what} of {place} {_limit(gate.demand, gate.metric.unit)}"


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
