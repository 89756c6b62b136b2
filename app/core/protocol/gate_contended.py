# SPDX-License-Identifier: Apache-2.0
"""Typed gates about cells that contend: lanes, observed envelopes, contention itself."""

from __future__ import annotations

from fractions import Fraction
from typing import Final, cast

from msgspec import UnsetType

from app.core.protocol.gate_demand import Demand, Domain, SlotSummary, Statistic
from app.core.protocol.gate_given import domain_of, given, maybe
from app.core.protocol.gate_types import ContentionGate, EnvelopeGate, FairnessGate
from app.core.protocol.margin import Margin
from app.core.statement.gate_record import GateRecord, Operator

RATIOS: Final = Domain(Fraction(1), None)
"""Every ratio of a higher lane to a lower one."""
SHARES: Final = Domain(Fraction(0), None)
"""Every ratio of two values from 0 on."""


def fairness_gate(record: GateRecord) -> FairnessGate:
    """Return the typed gate of a complete record."""
    metric, ratio = given(record.metric), maybe(record.lane_ratio)
    domain = domain_of(metric) if ratio is None else RATIOS
    return FairnessGate(
        record.id,
        record.role,
        record.scope,
        record.population,
        _demand(record, domain),
        metric,
        "only",
        None,
        ratio,
    )


def contention_gate(record: GateRecord) -> ContentionGate:
    """Return the typed gate of a complete record."""
    return ContentionGate(
        record.id,
        record.role,
        record.scope,
        record.population,
        _demand(record, SHARES),
        given(record.metric),
        _summary(record),
        maybe(record.slot_k),
        given(record.population.against_cell),
    )


def envelope_gate(record: GateRecord) -> EnvelopeGate:
    """Return the typed gate of a complete record; its demand is on the adverse change, a share."""
    comparison, metric = given(record.comparison), given(record.metric)
    margin = Margin(Fraction(given(comparison.margin)), "ratio", given(comparison.worse))
    op: Operator = "<=" if margin.worse == "higher" else ">="
    domain, required = domain_of(metric), maybe(record.required_n)
    return EnvelopeGate(
        record.id,
        record.role,
        record.scope,
        record.population,
        Demand(record.kind, "all", op, margin.value, domain, None, required),
        metric,
        _summary(record),
        maybe(record.slot_k),
        tuple(given(comparison.vs)),
        margin,
        Fraction(given(comparison.max_reference_spread)),
    )


def _summary(record: GateRecord) -> SlotSummary:
    return "only" if isinstance(record.slot_summary, UnsetType) else record.slot_summary


def _demand(record: GateRecord, domain: Domain) -> Demand:
    comparison = given(record.comparison)
    return Demand(
        record.kind,
        cast("Statistic", record.statistic),
        given(comparison.op),
        Fraction(given(comparison.limit)),
        domain,
        maybe(record.k),
        maybe(record.required_n),
    )
