# SPDX-License-Identifier: Apache-2.0
"""Which members gates with a test of their own demand, and which values of them can be judged."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from msgspec import UNSET

from app.core.protocol.finding import LintFinding
from app.core.protocol.gate_finding import finding, required
from app.core.protocol.gate_metric import metric_findings, op_towards_better
from app.core.protocol.lint_changes import as_blocks
from app.core.protocol.patch import put
from app.core.statement.gate_record import Comparison, GateRecord

_DESIGNS: Final = ("non_inferiority", "superiority", "equivalence")
_INFERENCE: Final = {
    "comparison": ("signflip_blocks", "exact_ranksum"),
    "drift": ("exact_ranksum",),
    "quantile": ("binomial",),
    "proportion": ("binomial",),
}
_STATISTIC: Final = {
    "comparison": "shift",
    "drift": "shift",
    "quantile": "quantile",
    "proportion": "proportion",
}


def claim_members(record: GateRecord, pointer: str) -> Iterator[LintFinding]:
    """Yield what keeps ``record`` from being judged."""
    yield from _shared(record, pointer)
    if record.metric is UNSET:
        yield required(f"{pointer}/metric", "what is measured, its unit, direction and domain")
    else:
        yield from metric_findings(record, record.metric, pointer)
    if record.slot_summary == "kth" and record.slot_k is UNSET:
        yield required(f"{pointer}/slot_k", "which of the slot's ordered streams")
    if record.comparison is UNSET:
        yield required(f"{pointer}/comparison", "what the units are held against")
    elif record.kind in ("comparison", "drift"):
        yield from _against_controls(record, record.comparison, f"{pointer}/comparison")
    else:
        yield from _share(record, record.comparison, pointer)


def _shared(record: GateRecord, pointer: str) -> Iterator[LintFinding]:
    if record.inference is not UNSET and record.inference not in _INFERENCE[record.kind]:
        offered = _INFERENCE[record.kind]
        yield finding(
            "E_INFERENCE",
            f"{pointer}/inference",
            "This kind is judged by " + " or ".join(offered) + ".",
            put(f"{pointer}/inference", offered[0]),
        )
    if record.statistic not in (UNSET, _STATISTIC[record.kind]):
        yield finding(
            "E_STATISTIC",
            f"{pointer}/statistic",
            "The statistic of this kind follows from the kind.",
            put(f"{pointer}/statistic", _STATISTIC[record.kind]),
        )
    if record.alpha is not UNSET and not 0 < Fraction(record.alpha) < Fraction(1, 2):
        yield finding(
            "E_ALPHA",
            f"{pointer}/alpha",
            "The chance of a false claim lies above 0 and below one half.",
            put(f"{pointer}/alpha", "0.05"),
        )


def _against_controls(
    record: GateRecord, comparison: Comparison, pointer: str
) -> Iterator[LintFinding]:
    if comparison.kind not in _DESIGNS or (
        record.kind == "drift" and comparison.kind != "equivalence"
    ):
        yield finding(
            "E_COMPARISON",
            f"{pointer}/kind",
            "A comparison is non_inferiority, superiority or equivalence, a drift equivalence.",
            put(f"{pointer}/kind", "equivalence" if record.kind == "drift" else "non_inferiority"),
        )
        return
    lower = op_towards_better(record) == "<="
    usual = {"scale": "ratio", "worse": "higher" if lower else "lower"}
    for name in ("margin", "scale", "worse"):
        if getattr(comparison, name) is UNSET:
            place = f"{pointer}/{name}"
            change = put(place, usual[name]) if name in usual else ()
            yield required(place, f"its {name}", change)
    bracket = record.kind == "comparison" and record.inference == "exact_ranksum"
    controls = 0 if comparison.vs is UNSET else len(comparison.vs)
    if not controls:
        detail = "It is compared with no control: decide which arm is the yardstick."
        yield finding("E_NO_CONTROL", f"{pointer}/vs", detail)
    elif bracket and controls == 1:
        yield finding(
            "E_NO_RETURN_CONTROL",
            f"{pointer}/vs",
            "With one control a slow drift looks like the candidate: a bracket names the control "
            "and its return. Blocks need no return.",
            as_blocks(record, pointer.removesuffix("/comparison")),
        )
    elif not bracket and controls != 1:
        yield finding(
            "E_COMPARISON",
            f"{pointer}/vs",
            "Blocks and drifts are against one control.",
            put(f"{pointer}/vs", [*(comparison.vs or ())][:1]),
        )


def _share(record: GateRecord, comparison: Comparison, pointer: str) -> Iterator[LintFinding]:
    if record.p is UNSET or not 0 < Fraction(record.p) < 1:
        yield required(f"{pointer}/p", "which share, above 0 and below 1")
    match comparison.kind:
        case "absolute":
            if comparison.op is UNSET:
                change = put(f"{pointer}/comparison/op", op_towards_better(record))
                yield required(f"{pointer}/comparison/op", "<, <=, ==, >= or >", change)
            if comparison.limit is UNSET:
                yield required(f"{pointer}/comparison/limit", "the limit, in the metric's unit")
        case "equality":
            if comparison.value is UNSET:
                yield required(f"{pointer}/comparison/value", "the value, in the metric's unit")
        case _:
            yield finding(
                "E_COMPARISON",
                f"{pointer}/comparison/kind",
                "A share of units is held against a limit; controls are for comparison gates.",
                put(f"{pointer}/comparison/kind", "absolute"),
            )
