# SPDX-License-Identifier: Apache-2.0
"""Which members of a flat gate record each built kind demands, and which values it can judge."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from msgspec import UNSET

from app.core.canonical import JsonValue
from app.core.protocol.finding import LintFinding
from app.core.protocol.gate_finding import finding, required
from app.core.protocol.gate_members_claim import claim_members
from app.core.protocol.gate_members_contended import (
    contention_members,
    envelope_members,
    fairness_members,
)
from app.core.protocol.gate_members_results import (
    equality_members,
    parity_members,
    result_members,
)
from app.core.protocol.gate_metric import metric_findings, op_towards_better
from app.core.protocol.patch import put, remove
from app.core.protocol.units import ABOUT_PROCESS
from app.core.statement.gate_record import Comparison, GateKind, GateRecord

_STATISTICS: Final = frozenset(("max", "min", "median", "all", "any", "count", "sum", "kth"))
_IDENTITY_FIELDS: Final = frozenset(
    (
        *("arm_commit", "image", "models", "harness", "workload", "settings", "components"),
        *("topology", "ranks"),
    )
)


def missing_members(record: GateRecord, pointer: str) -> tuple[LintFinding, ...]:
    """Return what keeps ``record``, a gate of a built kind, from being judged; empty: nothing."""
    own = _OWN.get(record.kind, _measured)(record, pointer)
    return (*_common(record, pointer), *own)


def _common(record: GateRecord, pointer: str) -> Iterator[LintFinding]:
    about_process = record.kind in ABOUT_PROCESS
    if about_process is not (record.claim == "population"):
        right = "population" if about_process else "sample"
        yield finding(
            "E_SAMPLE_COMPARISON",
            f"{pointer}/claim",
            "Comparisons, quantiles and proportions say something about the process, all other "
            "kinds about exactly the planned units.",
            put(f"{pointer}/claim", right),
        )
    if record.population.phase != "measured":
        yield finding(
            "E_AMBIGUOUS_METRIC",
            f"{pointer}/population/phase",
            "Warm-up is kept and never scored.",
            put(f"{pointer}/population/phase", "measured"),
        )
    yield from _family(record, pointer)


def _family(record: GateRecord, pointer: str) -> Iterator[LintFinding]:
    if record.family_mode in ("any", "k_of_n") and record.family is UNSET:
        yield required(f"{pointer}/family", "which family it belongs to")
    if record.family_mode == "k_of_n" and record.family_k is UNSET:
        place = f"{pointer}/family_k"
        yield required(place, "how many of the family must pass", put(place, 1))


def _assay(record: GateRecord, pointer: str) -> Iterator[LintFinding]:
    if record.role != "validity":
        yield finding(
            "E_ROLE",
            f"{pointer}/role",
            "An assay says whether a PASS beside it means anything: its role is validity.",
            put(f"{pointer}/role", "validity"),
        )
    if record.metric is not UNSET:
        yield from contention_members(record, record.metric, pointer)
    elif record.expect is UNSET:
        yield required(f"{pointer}/expect", "what the control is expected to show")


def _canary(record: GateRecord, pointer: str) -> Iterator[LintFinding]:
    rule = record.rule
    if rule is UNSET or rule.left is UNSET or rule.right is UNSET or rule.op is UNSET:
        yield required(f"{pointer}/rule", "left, op and right: which event before which")
    elif (rule.left.stream_role, rule.right.stream_role) != (
        record.population.stream_role,
        record.population.against_role,
    ):
        yield finding(
            "E_REFERENCE",
            f"{pointer}/population",
            "stream_role and against_role are the roles on the left and on the right of the rule.",
            put(f"{pointer}/population/stream_role", rule.left.stream_role)
            + put(f"{pointer}/population/against_role", rule.right.stream_role),
        )
    if record.statistic != "all":
        yield finding(
            "E_STATISTIC",
            f"{pointer}/statistic",
            "A canary holds in all of its slots or it does not hold.",
            put(f"{pointer}/statistic", "all"),
        )
    if record.resolution_us is UNSET:
        yield required(f"{pointer}/resolution_us", "how far one clock reading may be off")


def _identity(record: GateRecord, pointer: str) -> Iterator[LintFinding]:
    if record.role != "validity":
        yield finding(
            "E_ROLE",
            f"{pointer}/role",
            "An identity gate says whether the others mean anything: its role is validity.",
            put(f"{pointer}/role", "validity"),
        )
    if record.rule is not UNSET and record.rule.fields is not UNSET:
        known: list[JsonValue] = [each for each in record.rule.fields if each in _IDENTITY_FIELDS]
        if len(known) < len(record.rule.fields):
            place = f"{pointer}/rule/fields"
            yield finding(
                "E_REFERENCE",
                place,
                "Fields are among " + ", ".join(sorted(_IDENTITY_FIELDS)) + ".",
                put(place, known) if known else remove(place),
            )


def _measured(record: GateRecord, pointer: str) -> Iterator[LintFinding]:
    if record.metric is UNSET:
        yield required(f"{pointer}/metric", "what is measured, its unit, direction and domain")
    else:
        yield from metric_findings(record, record.metric, pointer)
    if record.statistic in ("quantile", "proportion"):
        yield finding(
            "E_INTERPOLATED_QUANTILE",
            f"{pointer}/statistic",
            "A share of the planned units falls between two of them, and nothing is interpolated: "
            "take an order statistic, or make it a quantile gate about the process.",
            put(f"{pointer}/statistic", "max" if op_towards_better(record) == "<=" else "min"),
        )
    elif record.statistic not in _STATISTICS:
        yield finding(
            "E_STATISTIC",
            f"{pointer}/statistic",
            "This version judges " + ", ".join(sorted(_STATISTICS)) + ".",
            put(f"{pointer}/statistic", "all"),
        )
    if record.statistic == "kth" and record.k is UNSET:
        yield required(f"{pointer}/k", "which of the ordered units")
    if record.slot_summary == "kth" and record.slot_k is UNSET:
        yield required(f"{pointer}/slot_k", "which of the slot's ordered streams")
    if record.comparison is UNSET:
        yield required(f"{pointer}/comparison", "what the statistic is held against")
    else:
        yield from _comparison(record, record.comparison, f"{pointer}/comparison")


def _equality(record: GateRecord, pointer: str) -> Iterator[LintFinding]:
    yield from _measured(record, pointer)
    yield from equality_members(record, pointer)


def _comparison(record: GateRecord, comparison: Comparison, pointer: str) -> Iterator[LintFinding]:
    match comparison.kind:
        case "absolute":
            if comparison.op is UNSET:
                change = put(f"{pointer}/op", op_towards_better(record))
                yield required(f"{pointer}/op", "<, <=, ==, >= or >", change)
            if comparison.limit is UNSET:
                yield required(f"{pointer}/limit", "the limit, in the metric's unit")
        case "equality":
            if comparison.value is UNSET:
                yield required(f"{pointer}/value", "the value, in the metric's unit")
        case _:
            yield finding(
                "E_SAMPLE_COMPARISON",
                f"{pointer}/kind",
                "Comparisons with controls are a gate kind of their own.",
                put(f"{pointer}/kind", "equality" if record.kind == "equality" else "absolute"),
            )


def _review(record: GateRecord, pointer: str) -> Iterator[LintFinding]:
    yield from result_members(record, pointer)
    if record.rule is not UNSET and record.rule.accepted == 0:
        place = f"{pointer}/rule/accepted"
        yield finding("E_CANNOT_FAIL", place, "Nobody has to accept anything.", put(place, 1))


_OWN: Final[Mapping[GateKind, Callable[[GateRecord, str], Iterator[LintFinding]]]] = {
    "canary": _canary,
    "identity": _identity,
    "assay": _assay,
    "comparison": claim_members,
    "quantile": claim_members,
    "proportion": claim_members,
    "drift": claim_members,
    "fairness": fairness_members,
    "observed_envelope": envelope_members,
    "checks": result_members,
    "jobs": result_members,
    "artifact_registry": result_members,
    "claim": result_members,
    "review": _review,
    "equality": _equality,
    "parity": parity_members,
}
"""What each kind demands; the others are measured against a limit."""
