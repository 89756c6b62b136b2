# SPDX-License-Identifier: Apache-2.0
"""A gate's demand in one line, as a page shows it beside what was observed."""

from __future__ import annotations

from app.core.protocol.decimals import decimal_text
from app.core.protocol.gate import (
    AnyGate,
    AssayGate,
    BoundGate,
    CanaryGate,
    ClaimGate,
    ComparisonGate,
    CompletenessGate,
    ContentionGate,
    Demand,
    DriftGate,
    EnvelopeGate,
    FairnessGate,
    IdentityGate,
    IntegrityGate,
    ProgressGate,
    ReviewGate,
    ShareGate,
)
from app.core.protocol.gate_results import (
    ChecksGate,
    DecisionGate,
    JobsGate,
    ParityGate,
    RegistryGate,
)
from app.core.protocol.margin import Margin
from app.core.protocol.wording_results import result_text
from app.core.statement.gate_record import EventOf, Population


def rule_text(gate: AnyGate) -> str:
    """Return the rule as locked: what, over which units, against which limit."""
    place = f"{gate.population.arm}/{gate.population.cell}"
    match gate:
        case CanaryGate():
            return _canary(gate, place)
        case IdentityGate() | AssayGate():
            return _validity(gate, place)
        case CompletenessGate():
            bases = " or ".join(gate.accepted_bases)
            what = f"{_statistic(gate.demand)} of {_unit(gate.population)} complete by {bases}"
            return f"{what} in {place} {_limit(gate.demand, '1')}"
        case ComparisonGate() | ShareGate() | DriftGate():
            return _claim(gate)
        case FairnessGate() | EnvelopeGate() | ContentionGate():
            return _contended(gate)
        case (
            ParityGate()
            | ChecksGate()
            | JobsGate()
            | RegistryGate()
            | DecisionGate()
            | ReviewGate()
        ):
            return result_text(gate)
        case BoundGate() | ProgressGate() | IntegrityGate():
            what = f"{_statistic(gate.demand)} of {gate.metric.name} over {_unit(gate.population)}"
            return f"{what} of {place} {_limit(gate.demand, gate.metric.unit)}"


def _canary(gate: CanaryGate, place: str) -> str:
    answer = " and the expected answer" if gate.answer else ""
    order = f"{_event(gate.left)} {gate.op} {_event(gate.right)}"
    return f"{order}{answer}, in every slot of {place}"


def _validity(gate: IdentityGate | AssayGate, place: str) -> str:
    if isinstance(gate, AssayGate):
        return f"every gate of {place} that is expected to {gate.expect} does"
    fields = ", ".join(gate.fields) or "every identity"
    return f"{fields} as pinned, in every slot of {place}"


def _claim(gate: ClaimGate) -> str:
    place = f"{gate.population.arm}/{gate.population.cell}"
    match gate:
        case ComparisonGate():
            return _comparison(gate)
        case ShareGate():
            share = "at least" if gate.demand.kind == "quantile" else "more than"
            units = _unit(gate.population)
            what = f"{share} {decimal_text(gate.share)} of all {units} like those of {place}"
            return f"{what} have {gate.metric.name} {_limit(gate.demand, gate.metric.unit)}"
        case DriftGate():
            margin = _distance(gate.margin, gate.metric.unit)
            return f"{gate.metric.name} of {place} and {gate.first} within {margin} either way"


def _contended(gate: FairnessGate | EnvelopeGate | ContentionGate) -> str:
    place, name = f"{gate.population.arm}/{gate.population.cell}", gate.metric.name
    role = "" if gate.population.stream_role == "any" else f"{gate.population.stream_role} "
    match gate:
        case FairnessGate(ratio=None):
            what = f"{_statistic(gate.demand)} of {name} over {role}lanes"
            return f"{what} of {place} {_limit(gate.demand, gate.metric.unit)}"
        case FairnessGate(ratio=ratio):
            top = _ranked(ratio.highest, "highest") if ratio is not None else ""
            bottom = _ranked(ratio.lowest, "lowest") if ratio is not None else ""
            what = f"{name} of the {top} {role}lane over that of the {bottom}"
            slots = f"{gate.demand.statistic} of the slots of {place}"
            return f"{what}, {slots} {_limit(gate.demand, '1')}"
        case EnvelopeGate():
            pooled = " and ".join(gate.vs)
            margin, worse = _distance(gate.margin, gate.metric.unit), gate.margin.worse
            spread = decimal_text(gate.max_spread)
            return (
                f"every {name} of {place} within {margin} of every one of {pooled} pooled, "
                f"which lie within {spread} of one another ({worse} is worse)"
            )
        case ContentionGate():
            what = f"{_statistic(gate.demand)} of {name} over {gate.against_cell} in one boot"
            return f"{what} over {_unit(gate.population)} of {place} {_limit(gate.demand, '1')}"


def _ranked(rank: int, end: str) -> str:
    """Return an order statistic in words: highest, 2nd highest ..."""
    if rank == 1:
        return end
    tens = rank % 100 in (11, 12, 13)
    return f"{rank}{'th' if tens else {1: 'st', 2: 'nd', 3: 'rd'}.get(rank % 10, 'th')} {end}"


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
    how = f"{gate.design}, {_unit(gate.population)}, alpha {decimal_text(contrast.alpha)}"
    against = " and ".join(gate.vs)
    claim = words[contrast.claim]
    return f"{gate.metric.name}{ratio} of {place} {claim} {against} by {margin} ({worse}; {how})"


def _distance(margin: Margin, unit: str) -> str:
    value = decimal_text(abs(margin.value))
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
    limit = f"{demand.op} {decimal_text(demand.limit)}"
    return limit if unit == "1" else f"{limit} {unit}"
