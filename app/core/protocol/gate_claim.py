# SPDX-License-Identifier: Apache-2.0
"""Typed gates with a test of their own: comparisons, quantiles, proportions, drift."""

from __future__ import annotations

from fractions import Fraction
from typing import Final, cast

from msgspec import UnsetType

from app.core.protocol.contrast import Claim, Contrast
from app.core.protocol.gate_demand import Demand, SlotSummary
from app.core.protocol.gate_given import domain_of, given, maybe
from app.core.protocol.gate_types import ClaimGate, ComparisonGate, DriftGate, ShareGate
from app.core.protocol.margin import Margin
from app.core.statement.gate_record import Comparison, GateRecord, Operator

DEFAULT_ALPHA: Final = Fraction(1, 20)


def claim_gate(record: GateRecord) -> ClaimGate:
    """Return the typed gate of a complete record."""
    comparison, metric = given(record.comparison), given(record.metric)
    margin = None if isinstance(comparison.margin, UnsetType) else margin_of(comparison)
    summary: SlotSummary = (
        "only" if isinstance(record.slot_summary, UnsetType) else record.slot_summary
    )
    common = (
        record.id,
        record.role,
        record.scope,
        record.population,
        _demand(record, margin),
        metric,
        summary,
        maybe(record.slot_k),
    )
    match record.kind:
        case "comparison":
            return ComparisonGate(
                *common,
                _contrast(record, cast("Margin", margin)),
                tuple(given(comparison.vs)),
                "exact_ranksum" if record.inference == "exact_ranksum" else "signflip_blocks",
                maybe(record.population.against_cell),
            )
        case "drift":
            (first,) = given(comparison.vs)
            return DriftGate(*common, first, cast("Margin", margin), alpha_of(record))
        case _:
            return ShareGate(*common, Fraction(given(record.p)), alpha_of(record))


def alpha_of(record: GateRecord) -> Fraction:
    """Return the alpha as locked, of which each attempt may spend a part."""
    locked = maybe(record.alpha)
    return DEFAULT_ALPHA if locked is None else Fraction(locked)


def margin_of(comparison: Comparison) -> Margin:
    """Return the margin as locked."""
    value = Fraction(given(comparison.margin))
    return Margin(value, given(comparison.scale), given(comparison.worse))


def _contrast(record: GateRecord, margin: Margin) -> Contrast:
    drift = maybe(record.drift_margin)
    return Contrast(
        cast("Claim", given(record.comparison).kind),
        margin,
        alpha_of(record),
        None if drift is None else Fraction(drift),
        record.drift_policy != "bracket_only",
        maybe(record.required_n),
    )


def _demand(record: GateRecord, margin: Margin | None) -> Demand:
    comparison = given(record.comparison)
    domain, required = domain_of(given(record.metric)), maybe(record.required_n)
    if margin is not None:
        op: Operator = "<=" if margin.worse == "higher" else ">="
        return Demand(record.kind, "all", op, margin.value, domain, None, required)
    equality = comparison.kind == "equality"
    op = "==" if equality else given(comparison.op)
    limit = Fraction(given(comparison.value if equality else comparison.limit))
    return Demand(record.kind, "all", op, limit, domain, None, required)
