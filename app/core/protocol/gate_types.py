# SPDX-License-Identifier: Apache-2.0
"""Typed gates: what each kind demands of its units.

Kinds about exactly the planned units are one ``Demand``: a statistic over all of them, an operator
and an exact limit. Kinds about a process or against controls have a test of their own and carry
what it needs; of their demand only kind, domain, limit and ``required_n`` are read.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from app.core.identity import ArmId, CellId
from app.core.protocol.contrast import Contrast
from app.core.protocol.gate_demand import Gate, MetricGate, SlotSummary
from app.core.protocol.gate_results import ParityGate, ResultGate
from app.core.protocol.margin import Margin
from app.core.statement.gate_record import (
    EventOf,
    LaneRatio,
    Metric,
    Operator,
)


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
class BoundGate(MetricGate):
    """A statistic of a metric against a limit: a claim about exactly the planned units."""


@dataclass(frozen=True, slots=True)
class ProgressGate(MetricGate):
    """The longest time without content, silence before the first and after the last too."""


@dataclass(frozen=True, slots=True)
class FairnessGate(MetricGate):
    """The worst of all lanes, or how far the lanes of a slot lie apart.

    Attributes:
        ratio: which lanes of a slot are divided, of which the demand speaks then; None: the demand
            speaks of every lane.
    """

    ratio: LaneRatio | None


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


@dataclass(frozen=True, slots=True)
class ComparisonGate(MetricGate):
    """A candidate against controls.

    Attributes:
        vs: the control, and for a bracket its return.
        design: blocks of one slot each, or control, candidate, return.
        against_cell: the metric is the ratio of the cell to this one, inside a boot.
    """

    contrast: Contrast
    vs: tuple[ArmId, ...]
    design: Literal["signflip_blocks", "exact_ranksum"]
    against_cell: CellId | None


@dataclass(frozen=True, slots=True)
class ShareGate(MetricGate):
    """A quantile or a proportion: more than a share of all units the process makes are good."""

    share: Fraction
    alpha: Fraction


@dataclass(frozen=True, slots=True)
class DriftGate(MetricGate):
    """The control and its return are the same within a margin.

    Attributes:
        first: the control; the gate's own arm is its return.
    """

    first: ArmId
    margin: Margin
    alpha: Fraction


@dataclass(frozen=True, slots=True)
class EnvelopeGate(MetricGate):
    """All observed values of a candidate within a margin of all observed values of two controls.

    A claim about exactly these units, by TheGrill's integer rule: no chance is computed.

    Attributes:
        vs: the control and its return, whose values are pooled.
        max_spread: how far the greatest of the pooled values may lie above the least, as a share.
    """

    vs: tuple[ArmId, ...]
    margin: Margin
    max_spread: Fraction


@dataclass(frozen=True, slots=True)
class ContentionGate(MetricGate):
    """A control shows that its cell contends, or no PASS beside it is evidence.

    Attributes:
        against_cell: the solo cell; the metric is the ratio of the gate's own cell to it, in one
            boot.
    """

    against_cell: CellId


@dataclass(frozen=True, slots=True)
class AssayGate(Gate):
    """A control shows what it is expected to show, or no PASS beside it is evidence."""


@dataclass(frozen=True, slots=True)
class ReviewGate(Gate):
    """So many independent people accepted the exact head; its units are people, not slots.

    Attributes:
        accepted: how many.
    """

    accepted: int


ClaimGate = ComparisonGate | ShareGate | DriftGate
SampleGate = (
    CanaryGate
    | BoundGate
    | ProgressGate
    | FairnessGate
    | CompletenessGate
    | IntegrityGate
    | IdentityGate
    | ResultGate
)
SlotGate = SampleGate | ClaimGate | ParityGate | EnvelopeGate | ContentionGate | AssayGate
AnyGate = SlotGate | ReviewGate
