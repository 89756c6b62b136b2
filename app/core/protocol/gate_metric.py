# SPDX-License-Identifier: Apache-2.0
"""The metric of one gate record: something that captures hold, in a unit of it."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import UNSET

from app.core.protocol.finding import LintFinding
from app.core.protocol.gate_finding import finding, required
from app.core.protocol.metrics import BY_SLOT, STREAM_METRICS, UNITS, source_kind
from app.core.statement.gate_record import GateRecord, Metric


def metric_findings(record: GateRecord, metric: Metric, pointer: str) -> Iterator[LintFinding]:
    """Yield what keeps the gate's metric from being read."""
    place = f"{pointer}/metric"
    if record.kind == "progress" and metric.name != "max_content_gap":
        yield finding(
            "E_AMBIGUOUS_METRIC",
            f"{place}/name",
            "A progress gate watches the longest time without content.",
            '"max_content_gap"',
        )
    if record.kind == "completeness" and (
        metric.name != "complete" or metric.accepted_bases is UNSET
    ):
        yield required(f"{place}/accepted_bases", "which completion bases count as complete")
    if record.kind == "integrity" and source_kind(metric) not in ("counter", "container"):
        yield finding(
            "E_AMBIGUOUS_METRIC",
            f"{place}/source",
            "An integrity gate reads a counter, or container_identity from container_inspect.",
            '"container_inspect"',
        )
    if source_kind(metric) is None:
        yield finding(
            "E_AMBIGUOUS_METRIC",
            f"{place}/name",
            "The metric is none of " + ", ".join(sorted(STREAM_METRICS)) + ", and names no source "
            "among counter, container_inspect, sampled_max and true_peak.",
        )
    elif metric.name in STREAM_METRICS and metric.unit not in UNITS[STREAM_METRICS[metric.name]]:
        yield finding(
            "E_AMBIGUOUS_METRIC",
            f"{place}/unit",
            "This metric is in " + " or ".join(UNITS[STREAM_METRICS[metric.name]]) + ".",
        )
    if _is_of_the_slot(metric) and record.population.unit == "stream":
        yield finding(
            "E_NO_UNIT",
            f"{pointer}/population/unit",
            "A slot has one such value, whatever the number of its streams.",
            '"slot"',
        )
    if metric.domain[0] is None:
        yield required(f"{place}/domain/0", "the least possible value")


def _is_of_the_slot(metric: Metric) -> bool:
    return metric.name in BY_SLOT or source_kind(metric) != "stream"
