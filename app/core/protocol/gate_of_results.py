# SPDX-License-Identifier: Apache-2.0
"""From complete flat records to typed gates on reported results."""

from __future__ import annotations

from fractions import Fraction

from app.core.protocol.gate_demand import SlotSummary, truth_demand
from app.core.protocol.gate_given import given, maybe
from app.core.protocol.gate_results import (
    ChecksGate,
    DecisionGate,
    JobsGate,
    ParityGate,
    RegistryGate,
    ResultGate,
)
from app.core.statement.gate_record import GateRecord


def result_gate(record: GateRecord) -> ResultGate:
    """Return the typed gate of a complete record on checks, jobs, files or a tool's decision."""
    rule = given(record.rule)
    demand = truth_demand(record.kind, maybe(record.required_n))
    common = (record.id, record.role, record.scope, record.population, demand)
    match record.kind:
        case "checks":
            named = tuple(maybe(rule.named) or ())
            return ChecksGate(*common, given(rule.max_failed), given(rule.allowed_skips), named)
        case "jobs":
            limits = (given(rule.min_duration_us), given(rule.min_validated))
            return JobsGate(*common, *limits, given(rule.max_failed))
        case "artifact_registry":
            return RegistryGate(*common, tuple(given(rule.artifacts)))
        case _:
            digests = (rule.policy_sha256, rule.collector_sha256, rule.workload_sha256)
            return DecisionGate(*common, *map(given, digests))


def parity_gate(record: GateRecord) -> ParityGate:
    """Return the typed gate of a complete record that holds two arms against each other."""
    comparison = given(record.comparison)
    (other,) = given(comparison.vs)
    margin = maybe(comparison.margin)
    summary: SlotSummary = maybe(record.slot_summary) or "only"
    return ParityGate(
        record.id,
        record.role,
        record.scope,
        record.population,
        truth_demand(record.kind, maybe(record.required_n)),
        given(record.metric),
        summary,
        maybe(record.slot_k),
        other,
        Fraction(margin or 0),
    )
