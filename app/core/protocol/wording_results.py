# SPDX-License-Identifier: Apache-2.0
"""What a gate on reported results demands, in one line."""

from __future__ import annotations

from app.core.protocol.decimals import decimal_text
from app.core.protocol.gate_results import (
    ChecksGate,
    DecisionGate,
    JobsGate,
    ParityGate,
    RegistryGate,
    ResultGate,
)
from app.core.protocol.gate_types import ReviewGate


def result_text(gate: ResultGate | ParityGate | ReviewGate) -> str:
    """Return the rule as locked."""
    place = f"in every slot of {gate.population.arm}/{gate.population.cell}"
    match gate:
        case ReviewGate():
            people = "person has" if gate.accepted == 1 else "people have"
            return f"{gate.accepted} independent {people} accepted the {gate.scope} of this head"
        case ParityGate():
            of_each = f"in every {gate.population.unit} of {gate.population.arm}/"
            margin = (
                f" within {decimal_text(gate.margin)} {gate.metric.unit}" if gate.margin else ""
            )
            name, cell = gate.metric.name, gate.population.cell
            return f"{name} equal to that of {gate.vs}{margin}, {of_each}{cell}"
        case ChecksGate():
            named = f", {', '.join(gate.named)} passed" if gate.named else ""
            counts = f"failed <= {gate.max_failed}, skipped <= {gate.allowed_skips}"
            return f"{counts}{named}, {place}"
        case JobsGate():
            return (
                f"every lane lasts >= {gate.min_duration_us} us, validated >= "
                f"{gate.min_validated}, failed <= {gate.max_failed}, {place}"
            )
        case RegistryGate():
            names = ", ".join(each.name for each in gate.artifacts)
            return f"{names} of the registered sha256 and size, {place}"
        case DecisionGate():
            return (
                f"decided PASS by policy {gate.policy_sha256[:12]}, collector "
                f"{gate.collector_sha256[:12]}, workload {gate.workload_sha256[:12]}, {place}"
            )
