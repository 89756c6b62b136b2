# SPDX-License-Identifier: Apache-2.0
"""Typed gates: what a flat gate record demands, once it is known to be complete.

Every kind built so far is one ``Demand``: a statistic over all planned units, an operator and an
exact limit. What differs is how a unit is observed, and that is what the six classes carry.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Literal, TypeVar, cast

from msgspec import UnsetType

from app.core.errors import Finding, LintRefused
from app.core.identity import Scope, Slug
from app.core.protocol.finding import LintFinding
from app.core.protocol.gate_members import missing_members
from app.core.statement.gate_record import (
    EventOf,
    GateKind,
    GateRecord,
    GateRole,
    Metric,
    Operator,
    Population,
)
from app.core.statement.protocol_document import ProtocolDocument

Statistic = Literal["max", "min", "median", "all", "any", "count", "sum", "kth"]
SlotSummary = Literal["only", "max", "min", "median", "sum", "kth"]
ValueT = TypeVar("ValueT")


@dataclass(frozen=True, slots=True)
class Domain:
    """Every value a metric can have; ``hi`` is None where nothing bounds it above."""

    lo: Fraction
    hi: Fraction | None


ONE_OR_ZERO: Final = Domain(Fraction(0), Fraction(1))


@dataclass(frozen=True, slots=True)
class Demand:
    """What must hold of a statistic over all planned units.

    Attributes:
        k: the ``k``-th smallest, for ``kth``.
        required_n: observed units needed for PASS; None: every planned one.
    """

    kind: GateKind
    statistic: Statistic
    op: Operator
    limit: Fraction
    domain: Domain
    k: int | None = None
    required_n: int | None = None


@dataclass(frozen=True, slots=True)
class Gate:
    """What every kind has."""

    id: Slug
    role: GateRole
    scope: Scope
    population: Population
    demand: Demand


@dataclass(frozen=True, slots=True)
class CanaryGate(Gate):
    """One event before another while both streams run, and the expected answer.

    Attributes:
        answer: the left stream must also give the expected answer.
        resolution_us: how far a reading may be off, either way.
    """

    left: EventOf
    op: Operator
    right: EventOf
    answer: bool
    resolution_us: int


@dataclass(frozen=True, slots=True)
class MetricGate(Gate):
    """A number a stream or a slot has, folded to one interval a unit."""

    metric: Metric
    slot_summary: SlotSummary
    slot_k: int | None


@dataclass(frozen=True, slots=True)
class BoundGate(MetricGate):
    """A statistic of a metric against a limit: a claim about exactly the planned units."""


@dataclass(frozen=True, slots=True)
class ProgressGate(MetricGate):
    """The longest time without content, silence before the first and after the last too."""


@dataclass(frozen=True, slots=True)
class CompletenessGate(Gate):
    """How many units came to an end that the gate accepts as complete.

    Attributes:
        accepted_bases: the completion bases that count.
    """

    accepted_bases: tuple[str, ...]
    slot_summary: SlotSummary
    slot_k: int | None


@dataclass(frozen=True, slots=True)
class IntegrityGate(Gate):
    """Something that must not happen to the server meanwhile: a restart, a kill, a new engine."""

    metric: Metric


@dataclass(frozen=True, slots=True)
class IdentityGate(Gate):
    """What ran is what was pinned; otherwise nothing here says anything about the server.

    Attributes:
        fields: which pins; empty: all of them.
    """

    fields: tuple[str, ...]


AnyGate = CanaryGate | BoundGate | ProgressGate | CompletenessGate | IntegrityGate | IdentityGate
BUILT: Final[frozenset[GateKind]] = frozenset(
    ("canary", "bound", "progress", "completeness", "integrity", "identity")
)


def canary_demand(required_n: int | None = None) -> Demand:
    """Return what every canary demands of its slots, each of which is true (1) or not (0)."""
    return Demand("canary", "all", ">=", Fraction(1), ONE_OR_ZERO, None, required_n)


def identity_demand() -> Demand:
    """Return what every identity gate demands of its slots."""
    return Demand("identity", "all", ">=", Fraction(1), ONE_OR_ZERO)


def parse_gates(document: ProtocolDocument) -> tuple[AnyGate, ...]:
    """Return the document's gates, typed, in its order.

    Raises:
        LintRefused: a kind is not built yet, or a member that its kind demands is not there.
    """
    findings = gate_findings(document)
    if findings:
        places = tuple(Finding(each.pointer, each.code, each.detail) for each in findings)
        detail = "The protocol holds gates that cannot be judged; correct the places listed."
        raise LintRefused(detail, findings=places)
    return tuple(_gate_of(record) for record in document.gates)


def gate_findings(document: ProtocolDocument) -> tuple[LintFinding, ...]:
    """Return why gates of the document cannot be typed; empty: all can."""
    return tuple(
        finding
        for index, record in enumerate(document.gates)
        for finding in _findings_of(record, f"/gates/{index}")
    )


def _findings_of(record: GateRecord, pointer: str) -> tuple[LintFinding, ...]:
    if record.kind not in BUILT:
        return (
            LintFinding(
                "E_GATE_KIND_NOT_BUILT",
                "error",
                f"{pointer}/kind",
                "This version cannot judge that kind of gate. It judges "
                + ", ".join(sorted(BUILT))
                + "; remove the gate or state its demand as one of these.",
            ),
        )
    return missing_members(record, pointer)


def _gate_of(record: GateRecord) -> AnyGate:
    common = (record.id, record.role, record.scope, record.population)
    match record.kind:
        case "canary":
            rule = _given(record.rule)
            return CanaryGate(
                *common,
                canary_demand(_maybe(record.required_n)),
                _given(rule.left),
                _given(rule.op),
                _given(rule.right),
                rule.and_ == "answer_matched",
                _given(record.resolution_us),
            )
        case "identity":
            fields = () if isinstance(record.rule, UnsetType) else _or_none(record.rule.fields)
            return IdentityGate(*common, identity_demand(), tuple(fields))
        case _:
            return _measured_gate(record)


def _measured_gate(record: GateRecord) -> AnyGate:
    metric = _given(record.metric)
    common = (record.id, record.role, record.scope, record.population, _demand_of(record, metric))
    summary: SlotSummary = (
        "only" if isinstance(record.slot_summary, UnsetType) else record.slot_summary
    )
    slot_k = _maybe(record.slot_k)
    match record.kind:
        case "integrity":
            return IntegrityGate(*common, metric)
        case "completeness":
            return CompletenessGate(*common, tuple(_given(metric.accepted_bases)), summary, slot_k)
        case "progress":
            return ProgressGate(*common, metric, summary, slot_k)
        case _:
            return BoundGate(*common, metric, summary, slot_k)


def _demand_of(record: GateRecord, metric: Metric) -> Demand:
    comparison = _given(record.comparison)
    equality = comparison.kind == "equality"
    lo, hi = metric.domain
    return Demand(
        record.kind,
        cast("Statistic", record.statistic),
        "==" if equality else _given(comparison.op),
        Fraction(_given(comparison.value if equality else comparison.limit)),
        Domain(Fraction(str(lo)), None if hi is None else Fraction(hi)),
        _maybe(record.k),
        _maybe(record.required_n),
    )


def _given(value: ValueT | UnsetType) -> ValueT:
    """Return the value; ``missing_members`` has made sure that it is there."""
    return cast("ValueT", value)


def _maybe(value: ValueT | UnsetType) -> ValueT | None:
    return None if isinstance(value, UnsetType) else value


def _or_none(value: list[str] | UnsetType) -> list[str]:
    return [] if isinstance(value, UnsetType) else value
