# SPDX-License-Identifier: Apache-2.0
"""The metric of one gate record: something that captures hold, in a unit of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec import UNSET

from app.core.protocol.finding import LintFinding
from app.core.protocol.gate_finding import finding, required
from app.core.protocol.metrics import BY_SLOT, STREAM_METRICS, UNITS, source_kind
from app.core.protocol.patch import put, remove
from app.core.statement.gate_record import GateRecord, Metric, Operator

_BASES: Final = ("finish_reason",)
"""What usually counts as complete."""


def op_towards_better(record: GateRecord) -> Operator:
    """Return the operator that a limit on the gate's metric has, the limit included."""
    lower = record.metric is not UNSET and record.metric.direction == "lower_is_better"
    return "<=" if lower else ">="


def metric_findings(record: GateRecord, metric: Metric, pointer: str) -> Iterator[LintFinding]:
    """Yield what keeps the gate's metric from being read."""
    place = f"{pointer}/metric"
    yield from _of_kind(record, metric, place)
    yield from _named(metric, place)
    yield from _timed(metric, place)
    yield from _reported(record, metric, pointer)
    if _is_of_the_slot(metric) and record.population.unit == "stream":
        yield finding(
            "E_NO_UNIT",
            f"{pointer}/population/unit",
            "A slot has one such value, whatever the number of its streams.",
            put(f"{pointer}/population/unit", "slot"),
        )
    if metric.domain[0] is None:
        change = put(f"{place}/domain/0", "0")
        yield required(f"{place}/domain/0", "the least possible value", change)


def _of_kind(record: GateRecord, metric: Metric, place: str) -> Iterator[LintFinding]:
    if record.kind == "progress" and metric.name != "max_content_gap":
        yield finding(
            "E_AMBIGUOUS_METRIC",
            f"{place}/name",
            "A progress gate watches the longest time without content.",
            put(f"{place}/name", "max_content_gap"),
        )
    if record.kind == "completeness" and (
        metric.name != "complete" or metric.accepted_bases is UNSET
    ):
        change = put(f"{place}/name", "complete") + put(f"{place}/accepted_bases", [*_BASES])
        what = "which completion bases count as complete"
        yield required(f"{place}/accepted_bases", what, change)
    if record.kind == "integrity" and source_kind(metric) not in ("counter", "container"):
        of_streams = source_kind(metric) == "stream"
        detail = "An integrity gate reads a counter, or container_identity from container_inspect."
        yield finding(
            "E_AMBIGUOUS_METRIC",
            f"{place}/source",
            f"{detail} What streams show is none: decide which." if of_streams else detail,
            () if of_streams else put(f"{place}/source", "container_inspect"),
        )


def _named(metric: Metric, place: str) -> Iterator[LintFinding]:
    if source_kind(metric) is None:
        yield finding(
            "E_AMBIGUOUS_METRIC",
            f"{place}/name",
            "The metric is none of " + ", ".join(sorted(STREAM_METRICS)) + ", and names no source "
            "among counter, container_inspect, sampled_max, true_peak, events and reported: decide "
            "what is read.",
        )
    elif metric.name in STREAM_METRICS and metric.unit not in UNITS[STREAM_METRICS[metric.name]]:
        offered = [*UNITS[STREAM_METRICS[metric.name]]]
        yield finding(
            "E_AMBIGUOUS_METRIC",
            f"{place}/unit",
            "This metric is in " + " or ".join(offered) + ".",
            put(f"{place}/unit", offered[0]),
        )


def _timed(metric: Metric, place: str) -> Iterator[LintFinding]:
    if STREAM_METRICS.get(metric.name) == "time" and metric.clock is UNSET:
        yield finding(
            "E_AMBIGUOUS_METRIC",
            f"{place}/clock",
            "A time says which clock it is read from; its name says from which event to which.",
            put(f"{place}/clock", "monotonic"),
        )
    if metric.name == "throughput" and metric.source == "planned_window":
        yield finding(
            "E_WINDOW_DEGENERATE",
            f"{place}/source",
            "The planned window divides load that is offered all through it. Here the work is "
            "fixed, so throughput is its tokens over the time they took.",
            remove(f"{place}/source"),
        )


def _reported(record: GateRecord, metric: Metric, pointer: str) -> Iterator[LintFinding]:
    if source_kind(metric) == "reported" and record.statistic in ("sum", "count"):
        yield finding(
            "E_STATISTIC",
            f"{pointer}/statistic",
            "A tool may report what is no number, and no sum has such a part.",
            put(f"{pointer}/statistic", "all"),
        )


def _is_of_the_slot(metric: Metric) -> bool:
    return metric.name in BY_SLOT or source_kind(metric) != "stream"
