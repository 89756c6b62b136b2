# SPDX-License-Identifier: Apache-2.0
"""Which members gates about cells that contend demand, and which values of them can be judged."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from msgspec import UNSET

from app.core.protocol.finding import LintFinding
from app.core.protocol.gate_finding import finding, required
from app.core.protocol.gate_metric import metric_findings, op_towards_better
from app.core.protocol.metrics import BY_SLOT, STREAM_METRICS
from app.core.protocol.patch import put, remove
from app.core.statement.gate_record import Comparison, GateRecord, LaneRatio, Metric

_QUANTITIES: Final = ("time", "rate", "tokens")
_CONTROLS: Final = 2


def fairness_members(record: GateRecord, pointer: str) -> Iterator[LintFinding]:
    """Yield what keeps a fairness gate from being judged."""
    ratio = None if record.lane_ratio is UNSET else record.lane_ratio
    if record.metric is UNSET:
        yield required(f"{pointer}/metric", "what is measured, its unit, direction and domain")
    else:
        yield from metric_findings(record, record.metric, pointer)
        yield from _of_lanes(record.metric, f"{pointer}/metric/name")
        yield from _worst_lane(record, record.metric, ratio, pointer)
    wanted = "<=" if ratio is not None else None
    yield from _limit(record, f"{pointer}/comparison", wanted)


def contention_members(record: GateRecord, metric: Metric, pointer: str) -> Iterator[LintFinding]:
    """Yield what keeps an assay by contention from being judged."""
    if record.expect is not UNSET:
        yield finding(
            "E_COMPARISON",
            f"{pointer}/expect",
            "An assay reads what a control is expected to show, or how far its cell contends, "
            "and not both: make two of them.",
            remove(f"{pointer}/expect"),
        )
    if record.population.against_cell is UNSET:
        yield required(f"{pointer}/population/against_cell", "the solo cell it is held against")
    if record.slot_summary == "kth" and record.slot_k is UNSET:
        yield required(f"{pointer}/slot_k", "which of the slot's ordered streams")
    if record.statistic not in ("max", "min", "median", "all", "kth"):
        detail = "Contention is seen in every ratio, or in an order statistic of them."
        place = f"{pointer}/statistic"
        yield finding("E_STATISTIC", place, detail, put(place, "all"))
    if record.statistic == "kth" and record.k is UNSET:
        yield required(f"{pointer}/k", "which of the ordered ratios")
    yield from metric_findings(record, metric, pointer)
    wanted = ">=" if metric.direction == "lower_is_better" else "<="
    yield from _limit(record, f"{pointer}/comparison", wanted)


def envelope_members(record: GateRecord, pointer: str) -> Iterator[LintFinding]:
    """Yield what keeps an observed envelope from being judged."""
    if record.metric is UNSET:
        yield required(f"{pointer}/metric", "what is measured, its unit, direction and domain")
    else:
        yield from metric_findings(record, record.metric, pointer)
    if record.slot_summary == "kth" and record.slot_k is UNSET:
        yield required(f"{pointer}/slot_k", "which of the slot's ordered streams")
    if record.comparison is UNSET:
        yield required(f"{pointer}/comparison", "the controls, margin and spread")
    else:
        yield from _envelope(record.comparison, f"{pointer}/comparison")


def _of_lanes(metric: Metric, place: str) -> Iterator[LintFinding]:
    quantity = STREAM_METRICS.get(metric.name)
    if quantity not in _QUANTITIES or metric.name in BY_SLOT:
        detail = "Lanes differ in times, rates or tokens of their own streams."
        yield finding("E_AMBIGUOUS_METRIC", place, detail, put(place, "ttft"))


def _worst_lane(
    record: GateRecord, metric: Metric, ratio: LaneRatio | None, pointer: str
) -> Iterator[LintFinding]:
    """Yield how a gate would leave out the lane that fared worst."""
    low = metric.direction == "lower_is_better"
    if ratio is None:
        worst = "max" if low else "min"
        if record.statistic not in (worst, "all"):
            detail = "A fairness gate is about the worst lane of all slots."
            place = f"{pointer}/statistic"
            yield finding("E_DROPS_SLOTS", place, detail, put(place, worst))
        return
    if record.statistic not in ("max", "all"):
        detail = "The ratio of lanes holds in the worst slot or it does not hold."
        place = f"{pointer}/statistic"
        yield finding("E_DROPS_SLOTS", place, detail, put(place, "max"))
    if (ratio.highest if low else ratio.lowest) != 1:
        member = "highest" if low else "lowest"
        detail = (
            "Only a lane that fared better may be left out of the ratio: a lane that was served "
            "early is no starved one, and the worst lane always counts."
        )
        place = f"{pointer}/lane_ratio/{member}"
        yield finding("E_DROPS_SLOTS", place, detail, put(place, 1))


def _limit(record: GateRecord, pointer: str, wanted: str | None) -> Iterator[LintFinding]:
    """Yield what a limit lacks; ``wanted`` is the only operator that says something, if any."""
    comparison = record.comparison
    if comparison is UNSET or comparison.kind != "absolute":
        yield required(pointer, "absolute: op and limit")
        return
    if comparison.op is UNSET or (wanted is not None and comparison.op != wanted):
        change = put(f"{pointer}/op", wanted or op_towards_better(record))
        yield required(f"{pointer}/op", wanted or "<, <=, >= or >", change)
    if comparison.limit is UNSET:
        yield required(f"{pointer}/limit", "the limit, of a ratio without a unit")


def _envelope(comparison: Comparison, pointer: str) -> Iterator[LintFinding]:
    if comparison.kind != "non_inferiority":
        detail = "An observed envelope says that a candidate is not worse than both controls."
        place = f"{pointer}/kind"
        yield finding("E_COMPARISON", place, detail, put(place, "non_inferiority"))
    if comparison.vs is UNSET or len(comparison.vs) != _CONTROLS:
        detail = "The pooled values are of a control and of its return: decide which two."
        yield finding("E_NO_RETURN_CONTROL", f"{pointer}/vs", detail)
    for name in ("margin", "worse", "max_reference_spread"):
        if getattr(comparison, name) is UNSET:
            yield required(f"{pointer}/{name}", f"its {name}")
    if comparison.scale != "ratio":
        detail = "Margin and spread of an observed envelope are shares of the controls."
        place = f"{pointer}/scale"
        yield finding("E_COMPARISON", place, detail, put(place, "ratio"))
    for name in ("margin", "max_reference_spread"):
        value = getattr(comparison, name)
        least_of_rate = name == "margin" and comparison.worse == "lower"
        if value is not UNSET and (Fraction(value) < 0 or (least_of_rate and Fraction(value) >= 1)):
            detail = "Neither is below 0, and of a rate less than all of it may be lost."
            place = f"{pointer}/{name}"
            yield finding("E_MARGIN_SIGN", place, detail, put(place, "0.1"))
