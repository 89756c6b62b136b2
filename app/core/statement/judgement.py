# SPDX-License-Identifier: Apache-2.0
"""What a gate says and what a scope's gates say together: the part of a verdict about one study.

Codes and exact numbers only; a number that no decimal writes exactly stands as a fraction.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from app.core.identity import END, ArmId, CellId, Count, Scope, SlotId, Slug, StreamRole, Text
from app.core.statement.gate_record import GateKind, GateRole
from app.core.statement.header import Shape

Code = Annotated[str, Meta(pattern=r"^[A-Z][A-Z0-9_]{1,63}" + END, max_length=64)]
Number = Annotated[
    str,
    Meta(pattern=r"^(-?inf|-?[0-9]{1,40}([.][0-9]{1,40})?(/[0-9]{1,40})?)" + END, max_length=128),
]
"""An exact number as text: a decimal, a fraction where no decimal is exact, ``inf`` or ``-inf``."""

State = Literal["PASS", "FAIL", "INCONCLUSIVE", "INVALID", "NOT_RUN"]
SlotState = Literal[
    "OPEN",
    "RESERVED",
    "MISSING",
    "ABANDONED",
    "WARMUP_FAILED",
    "COMPLETE",
    "PARTIAL",
    "FAILED",
    "INVALID",
]


class Interval(Shape, frozen=True):
    """What is known of a value: ``[lo, hi]``, an end open where so marked; ``inf`` is a value."""

    lo: Number
    hi: Number
    lo_open: bool
    hi_open: bool


class Observation(Shape, frozen=True):
    """What one planned unit contributed to a gate."""

    slot: SlotId
    stream_role: StreamRole | None
    lane: Count | None
    interval: Interval | None
    basis: Literal["exact", "censored", "bounded", "unknown"]


class UnitCount(Shape, frozen=True):
    """A gate's denominator: planned is the sum of the other three."""

    planned: Count
    exact: Count
    bounded: Count
    unknown: Count


class StateCount(Shape, frozen=True):
    """How many of each state stand behind a combined one."""

    PASS: Count
    FAIL: Count
    INCONCLUSIVE: Count
    INVALID: Count
    NOT_RUN: Count


class Judgement(Shape, frozen=True):
    """What one gate says.

    Attributes:
        rule: the demand as locked, in one line.
        limit: what it was held against; null for gates without a number.
        observed: the statistic over all planned units.
        margin: how far inside (positive) or outside (negative) the limit the worst end is; null
            where no number says that.
        counts: the denominator.
        observations: every planned unit, none left out.
    """

    gate: Slug
    kind: GateKind
    role: GateRole
    scope: Scope
    arm: ArmId
    cell: CellId
    state: State
    reason: Code
    rule: Text
    unit: Slug | None
    limit: Number | None
    observed: Interval | None
    margin: Number | None
    counts: UnitCount
    observations: list[Observation]


class ScopeState(Shape, frozen=True):
    """A scope's state in one study."""

    scope: Scope
    state: State
    reason: Code
    counts: StateCount
