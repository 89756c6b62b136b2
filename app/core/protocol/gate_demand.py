# SPDX-License-Identifier: Apache-2.0
"""What every typed gate has: whom it is about, and what it demands of all of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final, Literal

from app.core.identity import Scope, Slug
from app.core.statement.gate_record import GateKind, GateRole, Metric, Operator, Population

Statistic = Literal["max", "min", "median", "all", "any", "count", "sum", "kth"]
SlotSummary = Literal["only", "max", "min", "median", "sum", "kth"]


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
class Family:
    """Gates of which not all must pass.

    Attributes:
        k: how many places of it must.
    """

    name: Slug
    k: int


@dataclass(frozen=True, slots=True)
class Gate:
    """What every kind has.

    Attributes:
        family: None: the gate must pass.
        expect: what a control is expected to show.
    """

    id: Slug
    role: GateRole
    scope: Scope
    population: Population
    demand: Demand
    family: Family | None = field(default=None, kw_only=True)
    expect: Literal["PASS", "FAIL"] | None = field(default=None, kw_only=True)


@dataclass(frozen=True, slots=True)
class MetricGate(Gate):
    """A number a stream or a slot has, folded to one interval a unit."""

    metric: Metric
    slot_summary: SlotSummary
    slot_k: int | None


def truth_demand(kind: GateKind, required_n: int | None = None) -> Demand:
    """Return the demand that every unit, which is true (1) or false (0), is true."""
    return Demand(kind, "all", ">=", Fraction(1), ONE_OR_ZERO, None, required_n)
