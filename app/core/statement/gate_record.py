# SPDX-License-Identifier: Apache-2.0
"""A gate as it stands in a protocol document: the flat record of SCORING.md B2.

The record only fixes names and types, for every kind of gate, so that the frozen document schema
does not change when another kind learns to judge. Which members a kind demands is decided by
``app.core.protocol.gate``, which turns a record into a typed gate or says what is missing.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from app.core.identity import (
    ArmId,
    CellId,
    Count,
    Decimal,
    FileName,
    Micros,
    Scope,
    Sha256Hex,
    Slug,
    StreamRole,
)
from app.core.statement.header import Shape

GateKind = Literal[
    "canary",
    "progress",
    "bound",
    "completeness",
    "integrity",
    "identity",
    "equality",
    "parity",
    "artifact_registry",
    "comparison",
    "quantile",
    "proportion",
    "drift",
    "assay",
    "checks",
    "jobs",
    "review",
    "fairness",
    "observed_envelope",
    "claim",
]
GateRole = Literal["validity", "integrity", "primary", "secondary", "exploratory"]
StreamEvent = Literal["submitted", "first_content", "first_answer", "last_content", "settled"]
Operator = Literal["<", "<=", "==", ">=", ">"]


class Population(Shape, frozen=True):
    """What a gate is about: all five members are mandatory.

    Attributes:
        stream_role: one role of the cell, or ``any``.
        against_role: canary only: the role on the right of the rule.
        against_cell: ratios inside a boot: the cell of the same arm in the denominator. An assay
            by contention reads the contended cell over this solo one.
        unit: what one observation is; of ``lane``, each lane of each slot, or with ``lane_ratio``
            the lanes of one slot against one another.
    """

    arm: ArmId
    cell: CellId
    stream_role: StreamRole
    phase: Literal["warmup", "measured"]
    unit: Literal["slot", "stream", "boot", "block", "lane", "head"]
    against_role: StreamRole | UnsetType = UNSET
    against_cell: CellId | UnsetType = UNSET


class Metric(Shape, frozen=True):
    """What is measured.

    Attributes:
        name: a name of ``docs/glossary.md`` (``ttft``, ``max_content_gap`` ...) or of a counter.
        unit: unit of every number in this gate (``us``, ``1``, ``tokens_per_s`` ...).
        direction: which way is worse follows from it.
        domain: least and greatest possible value; null: unbounded above.
        resolution: half-width of one reading, in ``unit``.
        clock: which clock the times are from.
        source: where the value is read.
        fallback_bounds: ``content_deltas_to_max_tokens``: bounds declared for missing usage.
        accepted_bases: completion bases that count as complete.
    """

    name: Slug
    unit: Slug
    direction: Literal["lower_is_better", "higher_is_better"]
    domain: Annotated[list[Decimal | None], Meta(min_length=2, max_length=2)]
    resolution: Decimal | UnsetType = UNSET
    clock: Literal["monotonic", "wall"] | UnsetType = UNSET
    source: Slug | UnsetType = UNSET
    fallback_bounds: Literal["content_deltas_to_max_tokens"] | UnsetType = UNSET
    accepted_bases: (
        Annotated[
            list[Literal["finish_reason", "done_marker", "exact_usage_len", "tool_claim"]],
            Meta(min_length=1, max_length=4),
        ]
        | UnsetType
    ) = UNSET


class Comparison(Shape, frozen=True):
    """What an observation is held against.

    ``absolute`` uses ``op`` and ``limit``; ``equality`` uses ``value``; the three designs with
    controls use ``vs``, ``margin``, ``scale`` and ``worse`` (SCORING.md B6);
    an observed envelope also ``max_reference_spread``.
    """

    kind: Literal["absolute", "equality", "non_inferiority", "superiority", "equivalence"]
    op: Operator | UnsetType = UNSET
    limit: Decimal | UnsetType = UNSET
    value: Decimal | UnsetType = UNSET
    vs: Annotated[list[ArmId], Meta(min_length=1, max_length=2)] | UnsetType = UNSET
    margin: Decimal | UnsetType = UNSET
    scale: Literal["abs", "ratio"] | UnsetType = UNSET
    worse: Literal["higher", "lower"] | UnsetType = UNSET
    max_reference_spread: Decimal | UnsetType = UNSET


class LaneRatio(Shape, frozen=True):
    """Which two lanes of a slot stand in a ratio, by the order of their values.

    The numerator is the ``highest``-th highest value, 1 the highest itself, and the denominator the
    ``lowest``-th lowest. The same data pass or fail by which of them is meant, so both are locked:
    ``{"highest": 2, "lowest": 1}`` of a rate is the second fastest lane over the slowest.
    """

    highest: Annotated[int, Meta(ge=1, le=256)]
    lowest: Annotated[int, Meta(ge=1, le=256)]


class EventOf(Shape, frozen=True):
    """An instant of a stream."""

    stream_role: StreamRole
    event: StreamEvent


class RegisteredArtifact(Shape, frozen=True):
    """A file that is what its registry says: name, length and SHA-256."""

    name: FileName
    sha256: Sha256Hex
    size: Count


class Rule(Shape, frozen=True, rename={"and_": "and"}):
    """What a gate without a metric demands.

    Canary: ``left op right`` and, with ``and: answer_matched``, the expected answer. Identity: the
    ``fields`` that must equal the study's pins. Checks: ``max_failed``, ``allowed_skips``,
    ``named``. Jobs: ``min_duration_us``, ``min_validated``, ``max_failed``. Review:
    ``accepted`` independent reviews. Artifact registry: ``artifacts``. Imported decision: the three
    digests that the lock names.
    """

    left: EventOf | UnsetType = UNSET
    op: Operator | UnsetType = UNSET
    right: EventOf | UnsetType = UNSET
    and_: Literal["answer_matched"] | UnsetType = UNSET
    fields: Annotated[list[Slug], Meta(min_length=1, max_length=32)] | UnsetType = UNSET
    max_failed: Count | UnsetType = UNSET
    allowed_skips: Count | UnsetType = UNSET
    named: Annotated[list[Slug], Meta(min_length=1, max_length=256)] | UnsetType = UNSET
    min_duration_us: Micros | UnsetType = UNSET
    min_validated: Count | UnsetType = UNSET
    accepted: Count | UnsetType = UNSET
    artifacts: (
        Annotated[list[RegisteredArtifact], Meta(min_length=1, max_length=256)] | UnsetType
    ) = UNSET
    policy_sha256: Sha256Hex | UnsetType = UNSET
    collector_sha256: Sha256Hex | UnsetType = UNSET
    workload_sha256: Sha256Hex | UnsetType = UNSET


class GateRecord(Shape, frozen=True):
    """One predeclared demand, as locked.

    Attributes:
        slot_k: for ``slot_summary: kth``; ``k`` is for ``statistic: kth``.
        lane_ratio: fairness only: the lanes of each slot in a ratio; absent: each lane by itself.
        p: the quantile, or the proportion to exceed.
        family_k: how many of the family must pass, for ``k_of_n``.
        required_n: observed units needed for PASS; absent: the planned number.
        on_server_failure: fixed: times become infinite, progress and rates zero.
        expect: what a control or positive-control arm should show; it never changes the state.
    """

    id: Slug
    kind: GateKind
    role: GateRole
    claim: Literal["sample", "population"]
    scope: Scope
    population: Population
    metric: Metric | UnsetType = UNSET
    rule: Rule | UnsetType = UNSET
    slot_summary: Literal["only", "max", "min", "median", "sum", "kth"] | UnsetType = UNSET
    statistic: (
        Literal[
            "max",
            "min",
            "median",
            "all",
            "any",
            "count",
            "sum",
            "kth",
            "proportion",
            "quantile",
            "shift",
        ]
        | UnsetType
    ) = UNSET
    slot_k: Annotated[int, Meta(ge=1, le=10000)] | UnsetType = UNSET
    k: Annotated[int, Meta(ge=1, le=10000)] | UnsetType = UNSET
    p: Decimal | UnsetType = UNSET
    lane_ratio: LaneRatio | UnsetType = UNSET
    comparison: Comparison | UnsetType = UNSET
    inference: Literal["signflip_blocks", "exact_ranksum", "binomial"] | UnsetType = UNSET
    alpha: Decimal | UnsetType = UNSET
    drift_margin: Decimal | UnsetType = UNSET
    drift_policy: Literal["cap_if_possibly_drifted", "bracket_only"] | UnsetType = UNSET
    required_n: Annotated[int, Meta(ge=1, le=100000)] | UnsetType = UNSET
    resolution_us: Micros | UnsetType = UNSET
    on_server_failure: Literal["worst"] | UnsetType = UNSET
    expect: Literal["PASS", "FAIL"] | UnsetType = UNSET
    family: Slug | UnsetType = UNSET
    family_mode: Literal["all", "any", "k_of_n"] | UnsetType = UNSET
    family_k: Annotated[int, Meta(ge=1, le=512)] | UnsetType = UNSET
