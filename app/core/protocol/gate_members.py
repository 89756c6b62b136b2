# SPDX-License-Identifier: Apache-2.0
"""Which members of a flat gate record each built kind demands, and which values it can judge."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec import UNSET

from app.core.protocol.finding import LintFinding
from app.core.protocol.metrics import BY_SLOT, STREAM_METRICS, UNITS, source_kind
from app.core.statement.gate_record import Comparison, GateRecord, Metric

_STATISTICS: Final = frozenset(("max", "min", "median", "all", "any", "count", "sum", "kth"))
_IDENTITY_FIELDS: Final = frozenset(
    ("arm_commit", "image", "models", "harness", "workload", "settings", "topology", "ranks")
)


def missing_members(record: GateRecord, pointer: str) -> tuple[LintFinding, ...]:
    """Return what keeps ``record``, a gate of a built kind, from being judged; empty: nothing."""
    match record.kind:
        case "canary":
            own = _canary(record, pointer)
        case "identity":
            own = _identity(record, pointer)
        case _:
            own = _measured(record, pointer)
    return (*_common(record, pointer), *own)


def _common(record: GateRecord, pointer: str) -> Iterator[LintFinding]:
    if record.claim != "sample":
        yield _finding(
            "E_SAMPLE_COMPARISON",
            f"{pointer}/claim",
            "This kind says something about exactly the planned units, not about the process.",
            '"sample"',
        )
    if record.population.unit not in ("slot", "stream", "boot"):
        yield _finding(
            "E_NO_UNIT",
            f"{pointer}/population/unit",
            "This kind observes slots, streams or boots.",
            '"slot"',
        )
    if record.population.phase != "measured":
        yield _finding(
            "E_AMBIGUOUS_METRIC",
            f"{pointer}/population/phase",
            "Warm-up is kept and never scored.",
            '"measured"',
        )
    if record.family_mode in ("any", "k_of_n"):
        yield _finding(
            "E_FAMILY_NOT_BUILT",
            f"{pointer}/family_mode",
            "Any-of families need p-values with Holm's correction, which this version has not.",
            '"all"',
        )


def _canary(record: GateRecord, pointer: str) -> Iterator[LintFinding]:
    rule = record.rule
    if rule is UNSET or rule.left is UNSET or rule.right is UNSET or rule.op is UNSET:
        yield _required(f"{pointer}/rule", "left, op and right: which event before which")
    elif (rule.left.stream_role, rule.right.stream_role) != (
        record.population.stream_role,
        record.population.against_role,
    ):
        yield _finding(
            "E_REFERENCE",
            f"{pointer}/population",
            "stream_role and against_role are the roles on the left and on the right of the rule.",
        )
    if record.statistic != "all":
        yield _finding(
            "E_STATISTIC",
            f"{pointer}/statistic",
            "A canary holds in all of its slots or it does not hold.",
            '"all"',
        )
    if record.population.unit == "stream":
        yield _finding(
            "E_NO_UNIT",
            f"{pointer}/population/unit",
            "A canary reads two streams of one slot, so its unit is the slot.",
            '"slot"',
        )
    if record.resolution_us is UNSET:
        yield _required(f"{pointer}/resolution_us", "how far one clock reading may be off")


def _identity(record: GateRecord, pointer: str) -> Iterator[LintFinding]:
    if record.role != "validity":
        yield _finding(
            "E_ROLE",
            f"{pointer}/role",
            "An identity gate says whether the others mean anything: its role is validity.",
            '"validity"',
        )
    if record.rule is not UNSET and record.rule.fields is not UNSET:
        unknown = [name for name in record.rule.fields if name not in _IDENTITY_FIELDS]
        if unknown:
            yield _finding(
                "E_REFERENCE",
                f"{pointer}/rule/fields",
                "Fields are among " + ", ".join(sorted(_IDENTITY_FIELDS)) + ".",
            )


def _measured(record: GateRecord, pointer: str) -> Iterator[LintFinding]:
    if record.metric is UNSET:
        yield _required(f"{pointer}/metric", "what is measured, its unit, direction and domain")
    else:
        yield from _metric(record, record.metric, pointer)
    if record.statistic not in _STATISTICS:
        yield _finding(
            "E_STATISTIC",
            f"{pointer}/statistic",
            "This version judges " + ", ".join(sorted(_STATISTICS)) + ".",
            '"max"',
        )
    if record.statistic == "kth" and record.k is UNSET:
        yield _required(f"{pointer}/k", "which of the ordered units")
    if record.slot_summary == "kth" and record.slot_k is UNSET:
        yield _required(f"{pointer}/slot_k", "which of the slot's ordered streams")
    if record.comparison is UNSET:
        yield _required(f"{pointer}/comparison", "what the statistic is held against")
    else:
        yield from _comparison(record.comparison, f"{pointer}/comparison")


def _metric(record: GateRecord, metric: Metric, pointer: str) -> Iterator[LintFinding]:
    place = f"{pointer}/metric"
    if record.kind == "progress" and metric.name != "max_content_gap":
        yield _finding(
            "E_AMBIGUOUS_METRIC",
            f"{place}/name",
            "A progress gate watches the longest time without content.",
            '"max_content_gap"',
        )
    if record.kind == "completeness" and (
        metric.name != "complete" or metric.accepted_bases is UNSET
    ):
        yield _required(f"{place}/accepted_bases", "which completion bases count as complete")
    if record.kind == "integrity" and source_kind(metric) not in ("counter", "container"):
        yield _finding(
            "E_AMBIGUOUS_METRIC",
            f"{place}/source",
            "An integrity gate reads a counter, or container_identity from container_inspect.",
            '"container_inspect"',
        )
    if source_kind(metric) is None:
        yield _finding(
            "E_AMBIGUOUS_METRIC",
            f"{place}/name",
            "The metric is none of " + ", ".join(sorted(STREAM_METRICS)) + ", and names no source "
            "among counter, container_inspect, sampled_max and true_peak.",
        )
    elif metric.name in STREAM_METRICS and metric.unit not in UNITS[STREAM_METRICS[metric.name]]:
        yield _finding(
            "E_AMBIGUOUS_METRIC",
            f"{place}/unit",
            "This metric is in " + " or ".join(UNITS[STREAM_METRICS[metric.name]]) + ".",
        )
    if _is_of_the_slot(metric) and record.population.unit == "stream":
        yield _finding(
            "E_NO_UNIT",
            f"{pointer}/population/unit",
            "A slot has one such value, whatever the number of its streams.",
            '"slot"',
        )
    if metric.domain[0] is None:
        yield _required(f"{place}/domain/0", "the least possible value")


def _is_of_the_slot(metric: Metric) -> bool:
    return metric.name in BY_SLOT or source_kind(metric) != "stream"


def _comparison(comparison: Comparison, pointer: str) -> Iterator[LintFinding]:
    match comparison.kind:
        case "absolute":
            if comparison.op is UNSET:
                yield _required(f"{pointer}/op", "<, <=, ==, >= or >")
            if comparison.limit is UNSET:
                yield _required(f"{pointer}/limit", "the limit, in the metric's unit")
        case "equality":
            if comparison.value is UNSET:
                yield _required(f"{pointer}/value", "the value, in the metric's unit")
        case _:
            yield _finding(
                "E_SAMPLE_COMPARISON",
                f"{pointer}/kind",
                "Comparisons with controls are a gate kind of their own, which is not built yet.",
                '"absolute"',
            )


def _required(pointer: str, what: str) -> LintFinding:
    return _finding("E_GATE_MEMBER_MISSING", pointer, f"This kind of gate must say {what}.")


def _finding(code: str, pointer: str, detail: str, change: str = "") -> LintFinding:
    return LintFinding(code, "error", pointer, detail, change=change)
