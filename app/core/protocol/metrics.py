# SPDX-License-Identifier: Apache-2.0
"""The metrics that gates can read, what they are measured in, and where other names come from."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Final, Literal

from app.core.statement.gate_record import Metric

Quantity = Literal["time", "rate", "tokens", "one"]
Source = Literal["stream", "counter", "container", "gauge", "event", "reported"]

STREAM_METRICS: Final[Mapping[str, Quantity]] = {
    "ttft": "time",
    "time_to_first_answer": "time",
    "settlement": "time",
    "max_content_gap": "time",
    "decode_rate": "rate",
    "throughput": "rate",
    "completion_tokens": "tokens",
    "complete": "one",
    "answer": "one",
    "answer_parts": "one",
}
"""What the facts of streams say, by the name a gate gives it."""

BY_SLOT: Final = frozenset(("throughput",))
"""Metrics of which a slot has one, made from all its streams."""

UNITS: Final[Mapping[Quantity, Mapping[str, Fraction]]] = {
    "time": {"us": Fraction(1), "ms": Fraction(1, 1000), "s": Fraction(1, 1_000_000)},
    "rate": {"tokens_per_s": Fraction(1_000_000)},
    "tokens": {"tokens": Fraction(1), "1": Fraction(1)},
    "one": {"1": Fraction(1)},
}
"""The units of a quantity, each with what one us, token per us, token or one is in it."""

_SOURCES: Final[Mapping[str, Source]] = {
    "counter": "counter",
    "container_inspect": "counter",
    "sampled_max": "gauge",
    "true_peak": "gauge",
    "events": "event",
    "reported": "reported",
}


def source_kind(metric: Metric) -> Source | None:
    """Return where the metric is read; None: nothing in a capture has that name and source."""
    if metric.name in STREAM_METRICS:
        return "stream"
    if metric.name == "container_identity":
        return "container"
    return _SOURCES.get(str(metric.source))


def scale_of(metric: Metric) -> Fraction:
    """Return how many of the metric's unit one of the capture's own units is."""
    quantity = STREAM_METRICS.get(metric.name)
    return Fraction(1) if quantity is None else UNITS[quantity][metric.unit]
