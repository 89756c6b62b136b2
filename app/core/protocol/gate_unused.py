# SPDX-License-Identifier: Apache-2.0
"""Members of a flat gate record that its kind does not read.

A record can name every member of every kind. One that is written and not read would let a reader
believe in a demand that nobody judges, so no new protocol is locked with it; what was locked before
this rule is still judged.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from msgspec import UNSET, Struct

from app.core.protocol.finding import LintFinding
from app.core.protocol.patch import remove
from app.core.statement.gate_record import Comparison, GateKind, GateRecord
from app.core.statement.protocol_document import ProtocolDocument

_ALWAYS: Final = frozenset(
    ("id", "kind", "role", "claim", "scope", "population", "expect", "family", "family_mode")
)
_MEASURED: Final = frozenset(("metric", "comparison", "required_n", "on_server_failure"))
_FOLDED: Final = _MEASURED | {"slot_summary", "statistic"}
_RULED: Final = frozenset(("rule", "required_n", "on_server_failure"))
_SHARE: Final = _FOLDED | {"p", "alpha", "inference"}

USED: Final[Mapping[GateKind, frozenset[str]]] = {
    "canary": frozenset(("rule", "statistic", "resolution_us", "required_n", "on_server_failure")),
    "progress": _FOLDED,
    "bound": _FOLDED,
    "completeness": _FOLDED,
    "integrity": _MEASURED | {"statistic"},
    "identity": frozenset(("rule",)),
    "comparison": _FOLDED | {"inference", "alpha"},
    "quantile": _SHARE,
    "proportion": _SHARE,
    "drift": (_FOLDED | {"inference", "alpha"}) - {"required_n"},
    "assay": _FOLDED,
    "equality": _FOLDED,
    "parity": _FOLDED,
    "checks": _RULED,
    "jobs": _RULED,
    "artifact_registry": _RULED,
    "claim": _RULED,
    "review": frozenset(("rule",)),
    "fairness": _MEASURED | {"statistic", "lane_ratio"},
    "observed_envelope": _MEASURED | {"slot_summary"},
}
"""What each kind reads, beside what every gate has."""

_RULE: Final[Mapping[str, frozenset[str]]] = {
    "canary": frozenset(("left", "op", "right", "and_")),
    "identity": frozenset(("fields",)),
    "checks": frozenset(("max_failed", "allowed_skips", "named")),
    "jobs": frozenset(("min_duration_us", "min_validated", "max_failed")),
    "artifact_registry": frozenset(("artifacts",)),
    "review": frozenset(("accepted",)),
    "claim": frozenset(("policy_sha256", "collector_sha256", "workload_sha256")),
}
_AGAINST: Final[Mapping[GateKind, str]] = {
    "canary": "against_role",
    "comparison": "against_cell",
    "assay": "against_cell",
}
"""What else of a population a kind reads."""
_COMPARED: Final[Mapping[str, frozenset[str]]] = {
    "absolute": frozenset(("kind", "op", "limit")),
    "equality": frozenset(("kind", "value")),
}
_PARITY: Final = frozenset(("kind", "vs", "margin"))
_DESIGN: Final = frozenset(("kind", "vs", "margin", "scale", "worse"))


def unused(document: ProtocolDocument) -> Iterator[LintFinding]:
    """Yield what gates say and nobody reads."""
    for index, record in enumerate(document.gates):
        yield from unused_members(record, f"/gates/{index}")


def unused_members(record: GateRecord, pointer: str) -> Iterator[LintFinding]:
    """Yield every member of ``record`` that nothing reads."""
    used = frozenset() if _is_plain_assay(record) else USED[record.kind]
    for name in sorted(_set_in(record) - _ALWAYS - used - _conditional(record)):
        yield _unused(record, f"{pointer}/{name}")
    places = _set_in(record.population) & {"against_role", "against_cell"}
    read = None if _is_plain_assay(record) else _AGAINST.get(record.kind)
    for name in sorted(places - {read}):
        yield _unused(record, f"{pointer}/population/{name}")
    if record.rule is not UNSET and "rule" in used:
        for name in sorted(_set_in(record.rule) - _RULE[record.kind]):
            yield _unused(record, f"{pointer}/rule/{name.rstrip('_')}")
    if record.comparison is not UNSET and "comparison" in used:
        for name in sorted(_set_in(record.comparison) - _compared(record.kind, record.comparison)):
            yield _unused(record, f"{pointer}/comparison/{name}")


def _compared(kind: GateKind, comparison: Comparison) -> frozenset[str]:
    if kind == "parity":
        return _PARITY
    known = _COMPARED.get(comparison.kind, _DESIGN)
    return known | {"max_reference_spread"} if kind == "observed_envelope" else known


def _is_plain_assay(record: GateRecord) -> bool:
    """Tell whether an assay reads what other gates say, and not a metric of its own."""
    return record.kind == "assay" and record.metric is UNSET


def _conditional(record: GateRecord) -> set[str]:
    """Return the members that other members of this record make it read."""
    conditions = {
        "k": record.statistic == "kth",
        "slot_k": record.slot_summary == "kth",
        "family_k": record.family_mode == "k_of_n",
        "drift_margin": record.kind == "comparison" and record.inference == "exact_ranksum",
        "drift_policy": record.kind == "comparison" and record.inference == "exact_ranksum",
    }
    return {name for name, holds in conditions.items() if holds}


def _set_in(struct: Struct) -> set[str]:
    return {name for name in struct.__struct_fields__ if getattr(struct, name) is not UNSET}


def _unused(record: GateRecord, pointer: str) -> LintFinding:
    name = pointer.rpartition("/")[2]
    return LintFinding(
        "E_UNUSED_MEMBER",
        "error",
        pointer,
        f"A {record.kind} gate as written here does not read {name}: remove it, or nobody judges "
        "what it says.",
        change=remove(pointer),
    )
