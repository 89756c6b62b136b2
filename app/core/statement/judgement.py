# SPDX-License-Identifier: Apache-2.0
"""What a gate says and what a scope's gates say together: the part of a verdict about one study.

Codes and exact numbers only; a number that no decimal writes exactly stands as a fraction.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from app.core.identity import END, ArmId, CellId, Count, Scope, SlotId, Slug, StreamRole, Text
from app.core.statement.gate_record import GateKind, GateRole
from app.core.statement.header import Shape
from app.core.statement.interval import Interval, Number
from app.core.statement.tally import ReviewTally, Told

Code = Annotated[str, Meta(pattern=r"^[A-Z][A-Z0-9_]{1,63}" + END, max_length=64)]
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


AbsenceName = Literal[
    "not_started",
    "capture_missing",
    "unscorable",
    "abandoned",
    "conflict",
    "doubted",
    "no_gate",
]
"""``unscorable``: of an INVALID slot; ``no_gate``: another tool reported no result of a gate."""


class Observation(Shape, frozen=True):
    """What one planned unit contributed to a gate.

    Attributes:
        absence: why nothing of its slot is measured; absent: it is, by one capture.
        why: of a unit that is unknown, or false for a reason that its interval does not show, that
            reason; absent: the interval says all.
        told: what its captures told beside the interval, where that decides too.
    """

    slot: SlotId
    stream_role: StreamRole | None
    lane: Count | None
    interval: Interval | None
    basis: Literal["exact", "censored", "bounded", "unknown"]
    absence: AbsenceName | UnsetType = UNSET
    why: Code | UnsetType = UNSET
    told: Told | UnsetType = UNSET


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


class AgainstArm(Shape, frozen=True):
    """A candidate against one control by rank-sum, in pairs of a unit of each.

    Attributes:
        favourable: pairs on the good side of the margin, whatever is unknown.
        unfavourable: pairs beyond it, whatever is unknown.
        shift: the middle of all pairs; above 1 (ratio) or 0 (distance) is worse; null: no number.
        lower: above which the shift is established; null: with so few units nothing is.
        upper: below which it is established.
    """

    arm: ArmId
    favourable: Count
    unfavourable: Count
    pairs: Count
    p_pass: Number
    p_fail: Number
    shift: Interval | None
    lower: Number | None
    upper: Number | None


class SubsetCount(Shape, frozen=True):
    """Of all subsets of blocks, those whose sum of differences is not below, or not above, zero."""

    not_below: Count
    not_above: Count
    subsets: Count


class DriftOf(Shape, frozen=True):
    """How the two controls of a bracket stand to each other.

    Attributes:
        certified: they lie within the gate's own margin of each other.
    """

    state: Literal["STABLE", "DRIFTED", "POSSIBLY_DRIFTED", "UNRESOLVED"]
    p_upper: Number
    p_lower: Number
    certified: bool | None


class ShareOf(Shape, frozen=True):
    """How many units are good, for a quantile or a proportion.

    Attributes:
        claimed: the share as locked.
        bound: the share that is established, to ten decimals, rounded down.
    """

    claimed: Number
    n: Count
    least_good: Count
    most_good: Count
    least_n: Count
    bound: Number


class MarginOf(Shape, frozen=True):
    """The margin of a comparison, and the shift that it allows.

    Attributes:
        worse: which way is worse.
        value: as locked; of a ratio a share of the control.
        limit: the shift at the margin: above 1 (ratio) or 0 (distance) is worse. Of an equivalence
            the same on either side.
        drift: the distance at which the two controls of a bracket have drifted.
    """

    scale: Literal["abs", "ratio"]
    worse: Literal["higher", "lower"]
    value: Number
    limit: Number
    drift: Number | None


class SampleOf(Shape, frozen=True):
    """An arm's units as a test read them: slots of one boot are one, the unknown is a range.

    Attributes:
        for_pass: each unit, conflicting receipts unknown.
        for_fail: each unit, conflicting receipts as the hull of all.
    """

    arm: ArmId
    for_pass: list[Interval]
    for_fail: list[Interval]


class Inference(Shape, frozen=True):
    """How a gate with a p-value came to its state: enough to do it again by hand.

    Attributes:
        alpha: what this attempt may spend.
        attempt: the number of the attempt on this head.
        p_pass: of the claim, every unknown against it.
        p_fail: of its opposite, every unknown against that.
        least_p: the smallest p that the planned units allow.
        least_p_fail: the same of the opposite: above alpha no FAIL was within reach.
        adjusted_p_pass: after Holm's correction over its family; null: it stands alone.
        adjusted_p_fail: after Holm's correction over all comparisons of the scope.
        against: one for every control of a bracket.
        subsets: one for every side of a contrast in blocks.
        differences: of each block, how far beyond the margin it is.
        baseline: the controls of neighbouring blocks, tested likewise.
        margin: of a comparison and of drift.
        undecided: for every side of a contrast in blocks the shifts at which the test decides
            nothing: it gives PASS for margins beyond them and FAIL for those before them; null: no
            number.
        samples: of each arm, where its units are not just the intervals of its observations.
    """

    design: Literal["signflip_blocks", "exact_ranksum", "binomial"]
    alpha: Number
    attempt: Count
    p_pass: Number
    p_fail: Number
    least_p: Number
    least_p_fail: Number
    adjusted_p_pass: Number | None
    adjusted_p_fail: Number | None
    against: list[AgainstArm]
    subsets: list[SubsetCount]
    differences: list[Interval]
    baseline: SubsetCount | None
    margin: MarginOf | None
    undecided: list[Interval | None]
    samples: list[SampleOf]
    drift: DriftOf | None
    share: ShareOf | None


class EnvelopeOf(Shape, frozen=True):
    """What was observed of a candidate and of its two controls, pooled: TheGrill's four ends.

    Attributes:
        reference_least: the least value of both controls.
        spread: how far their greatest lies above it, as a share of it.
        max_spread: how far it may, as locked.
    """

    reference_least: Interval
    reference_greatest: Interval
    candidate_least: Interval
    candidate_greatest: Interval
    spread: Interval
    max_spread: Number


class CountedOf(Shape, frozen=True):
    """How many units of an arm count: observed ones, those of one server boot once."""

    arm: ArmId
    n: Count


class RequiredOf(Shape, frozen=True):
    """How many units PASS needs of each arm, and how many count.

    Attributes:
        n: as locked, or every planned one.
    """

    n: Count
    counted: list[CountedOf]


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
        domain: what a unit can be of which nothing is known; absent: every unit is exact.
        required: absent: PASS needs every planned unit, and each observed one counts.
        reviews: for gates about reviews, those that count.
        inference: for gates with a p-value.
        envelope: for observed envelopes, whose observed value is the adverse change.
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
    domain: Interval | UnsetType = UNSET
    required: RequiredOf | UnsetType = UNSET
    reviews: list[ReviewTally] | UnsetType = UNSET
    inference: Inference | UnsetType = UNSET
    envelope: EnvelopeOf | UnsetType = UNSET


class ScopeState(Shape, frozen=True):
    """A scope's state in one study."""

    scope: Scope
    state: State
    reason: Code
    counts: StateCount
