# SPDX-License-Identifier: Apache-2.0
"""Which members a gate on reported results demands: every limit is said, none is assumed."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from msgspec import UNSET

from app.core.protocol.finding import LintFinding
from app.core.protocol.gate_finding import finding, required
from app.core.protocol.gate_metric import metric_findings
from app.core.protocol.patch import put
from app.core.statement.gate_record import Comparison, GateRecord

_DEMANDED = {
    "checks": {
        "max_failed": "how many checks may fail",
        "allowed_skips": "how many may be skipped, which is how many stay untested",
    },
    "jobs": {
        "min_duration_us": "how long every lane lasts at least",
        "min_validated": "how many results of every lane are validated at least",
        "max_failed": "how many may fail in a lane",
    },
    "artifact_registry": {"artifacts": "the files: name, sha256 and size"},
    "claim": {
        "policy_sha256": "the digest of the policy that decided",
        "collector_sha256": "the digest of the collector",
        "workload_sha256": "the digest of the workload",
    },
    "review": {"accepted": "how many independent people must have accepted the head"},
}


def result_members(record: GateRecord, pointer: str) -> Iterator[LintFinding]:
    """Yield what keeps a gate on checks, jobs, files or a tool's decision from being judged."""
    for name, what in _DEMANDED[record.kind].items():
        if record.rule is UNSET or getattr(record.rule, name) is UNSET:
            yield required(f"{pointer}/rule/{name}", what)


def equality_members(record: GateRecord, pointer: str) -> Iterator[LintFinding]:
    """Yield what keeps an equality from being judged, beside what every measured gate says."""
    if record.comparison is not UNSET and record.comparison.kind != "equality":
        yield _not_equality(pointer)
    yield from _of_all(record, pointer)


def parity_members(record: GateRecord, pointer: str) -> Iterator[LintFinding]:
    """Yield what keeps a gate that holds two arms against each other from being judged."""
    if record.metric is UNSET:
        yield required(f"{pointer}/metric", "what is measured, its unit, direction and domain")
    else:
        yield from metric_findings(record, record.metric, pointer)
    yield from _of_all(record, pointer)
    if record.slot_summary == "kth" and record.slot_k is UNSET:
        yield required(f"{pointer}/slot_k", "which of the slot's ordered streams")
    if record.comparison is UNSET:
        yield required(f"{pointer}/comparison", "which arm it equals")
    else:
        yield from _against(record.comparison, pointer)


def _against(comparison: Comparison, pointer: str) -> Iterator[LintFinding]:
    if comparison.kind != "equality":
        yield _not_equality(pointer)
    if comparison.vs is UNSET or len(comparison.vs) != 1:
        yield required(f"{pointer}/comparison/vs", "the one arm that it equals")
    if comparison.margin is not UNSET and Fraction(comparison.margin) < 0:
        yield finding(
            "E_MARGIN_SIGN",
            f"{pointer}/comparison/margin",
            "Two numbers lie apart by nothing or by more.",
            put(f"{pointer}/comparison/margin", "0"),
        )


def _of_all(record: GateRecord, pointer: str) -> Iterator[LintFinding]:
    if record.statistic != "all":
        yield finding(
            "E_STATISTIC",
            f"{pointer}/statistic",
            "Equal means equal in every planned unit.",
            put(f"{pointer}/statistic", "all"),
        )


def _not_equality(pointer: str) -> LintFinding:
    return finding(
        "E_SAMPLE_COMPARISON",
        f"{pointer}/comparison/kind",
        "An equality is with one value, a parity with one arm; limits belong to a bound.",
        put(f"{pointer}/comparison/kind", "equality"),
    )
