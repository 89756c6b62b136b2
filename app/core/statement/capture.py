# SPDX-License-Identifier: Apache-2.0
"""What fills a slot, as facts: one room a kind, and their closed union.

There is no member for prompts, answers, endpoints, host names or environment: what cannot be
written cannot leak. Anything not observed is null; a zero time is never a measurement.
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias

from app.core.statement.capture_checks import (
    Artifact,
    ChecksCapture,
    NamedResult,
    ReportedValue,
    Suite,
)
from app.core.statement.capture_claim import ClaimCapture, ClaimTool
from app.core.statement.capture_jobs import JobsCapture, Lane, LaneCounter
from app.core.statement.capture_streams import (
    AnswerParts,
    ErrorClass,
    Phases,
    Stream,
    StreamsCapture,
    Usage,
)
from app.core.statement.observation import (
    Clock,
    ContainerIdentity,
    Counter,
    Event,
    Gauge,
    Observations,
)

__all__ = [
    "CAPTURE_SHAPES",
    "AnswerParts",
    "Artifact",
    "Capture",
    "ChecksCapture",
    "ClaimCapture",
    "ClaimTool",
    "Clock",
    "ContainerIdentity",
    "Counter",
    "ErrorClass",
    "Event",
    "Gauge",
    "JobsCapture",
    "Lane",
    "LaneCounter",
    "NamedResult",
    "Observations",
    "ObservedCapture",
    "Phases",
    "ReportedValue",
    "Stream",
    "StreamsCapture",
    "Suite",
    "Usage",
]

ObservedCapture: TypeAlias = StreamsCapture | ChecksCapture | JobsCapture
"""A capture of something that ran, with what was read beside it."""
Capture: TypeAlias = ObservedCapture | ClaimCapture
"""Any capture; its ``schema`` member says of which kind and version it is."""

CAPTURE_SHAPES: Final[dict[str, Any]] = {
    "urn:fairtrial:capture:streams:v1": StreamsCapture,
    "urn:fairtrial:capture:checks:v1": ChecksCapture,
    "urn:fairtrial:capture:jobs:v1": JobsCapture,
    "urn:fairtrial:capture:claim:v1": ClaimCapture,
}
"""The shapes that this version reads, by the schema that a receipt names."""
