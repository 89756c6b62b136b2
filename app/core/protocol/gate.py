# SPDX-License-Identifier: Apache-2.0
"""From flat gate records to typed gates, once it is known that each is complete."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Final, cast

from msgspec import UnsetType

from app.core.errors import Finding, LintRefused
from app.core.protocol.finding import LintFinding
from app.core.protocol.gate_claim import claim_gate
from app.core.protocol.gate_contended import contention_gate, envelope_gate, fairness_gate
from app.core.protocol.gate_demand import (
    ONE_OR_ZERO,
    Demand,
    Domain,
    Family,
    Gate,
    MetricGate,
    SlotSummary,
    Statistic,
    truth_demand,
)
from app.core.protocol.gate_given import domain_of, given, maybe
from app.core.protocol.gate_members import missing_members
from app.core.protocol.gate_of_results import parity_gate, result_gate
from app.core.protocol.gate_results import (
    ChecksGate,
    DecisionGate,
    JobsGate,
    ParityGate,
    RegistryGate,
    ResultGate,
)
from app.core.protocol.gate_types import (
    AnyGate,
    AssayGate,
    BoundGate,
    CanaryGate,
    ClaimGate,
    ComparisonGate,
    CompletenessGate,
    ContentionGate,
    DriftGate,
    EnvelopeGate,
    FairnessGate,
    IdentityGate,
    IntegrityGate,
    ProgressGate,
    ReviewGate,
    SampleGate,
    ShareGate,
    SlotGate,
)
from app.core.statement.gate_record import GateKind, GateRecord, Metric
from app.core.statement.protocol_document import ProtocolDocument

__all__ = [
    "ONE_OR_ZERO",
    "AnyGate",
    "AssayGate",
    "BoundGate",
    "CanaryGate",
    "ChecksGate",
    "ClaimGate",
    "ComparisonGate",
    "CompletenessGate",
    "ContentionGate",
    "DecisionGate",
    "Demand",
    "Domain",
    "DriftGate",
    "EnvelopeGate",
    "FairnessGate",
    "Family",
    "Gate",
    "IdentityGate",
    "IntegrityGate",
    "JobsGate",
    "MetricGate",
    "ParityGate",
    "ProgressGate",
    "RegistryGate",
    "ResultGate",
    "ReviewGate",
    "SampleGate",
    "ShareGate",
    "SlotGate",
    "SlotSummary",
    "Statistic",
    "canary_demand",
    "gate_findings",
    "identity_demand",
    "parse_gates",
]


def canary_demand(required_n: int | None = None) -> Demand:
    """Return what every canary demands of its slots, each of which is true (1) or not (0)."""
    return truth_demand("canary", required_n)


def identity_demand() -> Demand:
    """Return what every identity gate demands of its slots."""
    return truth_demand("identity")


def assay_demand() -> Demand:
    """Return what stands for the demand of an assay, which reads other gates."""
    return truth_demand("assay")


def parse_gates(document: ProtocolDocument) -> tuple[AnyGate, ...]:
    """Return the document's gates, typed, in its order.

    Raises:
        LintRefused: a member that its kind demands is not there.
    """
    findings = gate_findings(document)
    if findings:
        places = tuple(Finding(each.pointer, each.code, each.detail) for each in findings)
        detail = "The protocol holds gates that cannot be judged; correct the places listed."
        raise LintRefused(detail, findings=places)
    return tuple(
        replace(_gate_of(record), family=_family_of(record), expect=maybe(record.expect))
        for record in document.gates
    )


def gate_findings(document: ProtocolDocument) -> tuple[LintFinding, ...]:
    """Return why gates of the document cannot be typed; empty: all can."""
    return tuple(
        finding
        for index, record in enumerate(document.gates)
        for finding in missing_members(record, f"/gates/{index}")
    )


def _gate_of(record: GateRecord) -> AnyGate:
    return _MADE.get(record.kind, _measured_gate)(record)


def _canary_gate(record: GateRecord) -> AnyGate:
    rule = given(record.rule)
    return CanaryGate(
        record.id,
        record.role,
        record.scope,
        record.population,
        canary_demand(maybe(record.required_n)),
        given(rule.left),
        given(rule.op),
        given(rule.right),
        rule.and_ == "answer_matched",
        given(record.resolution_us),
    )


def _identity_gate(record: GateRecord) -> AnyGate:
    common = (record.id, record.role, record.scope, record.population)
    fields = None if isinstance(record.rule, UnsetType) else maybe(record.rule.fields)
    return IdentityGate(*common, identity_demand(), tuple(fields or ()))


def _assay_gate(record: GateRecord) -> AnyGate:
    if not isinstance(record.metric, UnsetType):
        return contention_gate(record)
    common = (record.id, record.role, record.scope, record.population)
    return AssayGate(*common, assay_demand())


def _review_gate(record: GateRecord) -> AnyGate:
    accepted = given(given(record.rule).accepted)
    demand = Demand("review", "count", ">=", Fraction(accepted), Domain(Fraction(0), None))
    common = (record.id, record.role, record.scope, record.population, demand)
    return ReviewGate(*common, accepted)


def _family_of(record: GateRecord) -> Family | None:
    """Return the family of which not all must pass; None: the gate must."""
    if record.family_mode == "any":
        return Family(given(record.family), 1)
    if record.family_mode == "k_of_n":
        return Family(given(record.family), given(record.family_k))
    return None


def _measured_gate(record: GateRecord) -> AnyGate:
    metric = given(record.metric)
    common = (record.id, record.role, record.scope, record.population, _demand_of(record, metric))
    summary: SlotSummary = (
        "only" if isinstance(record.slot_summary, UnsetType) else record.slot_summary
    )
    slot_k = maybe(record.slot_k)
    match record.kind:
        case "integrity":
            return IntegrityGate(*common, metric)
        case "completeness":
            return CompletenessGate(*common, tuple(given(metric.accepted_bases)), summary, slot_k)
        case "progress":
            return ProgressGate(*common, metric, summary, slot_k)
        case _:
            return BoundGate(*common, metric, summary, slot_k)


def _demand_of(record: GateRecord, metric: Metric) -> Demand:
    comparison = given(record.comparison)
    equality = comparison.kind == "equality"
    return Demand(
        record.kind,
        cast("Statistic", record.statistic),
        "==" if equality else given(comparison.op),
        Fraction(given(comparison.value if equality else comparison.limit)),
        domain_of(metric),
        maybe(record.k),
        maybe(record.required_n),
    )


_MADE: Final[Mapping[GateKind, Callable[[GateRecord], AnyGate]]] = {
    "canary": _canary_gate,
    "identity": _identity_gate,
    "review": _review_gate,
    "assay": _assay_gate,
    "fairness": fairness_gate,
    "observed_envelope": envelope_gate,
    "comparison": claim_gate,
    "quantile": claim_gate,
    "proportion": claim_gate,
    "drift": claim_gate,
    "checks": result_gate,
    "jobs": result_gate,
    "artifact_registry": result_gate,
    "claim": result_gate,
    "parity": parity_gate,
}
"""What makes a gate of each kind; the others are measured against a limit."""
