# SPDX-License-Identifier: Apache-2.0
"""What a capture must be in itself, beyond what its JSON Schema can say: names are distinct.

A name that stands twice would have two results, and a reader could choose. Streams are not asked:
whether those that ran are those that were planned is judged, like everything else they say.
"""

from __future__ import annotations

from collections.abc import Iterator

from app.core.errors import Finding
from app.core.statement.capture import (
    Capture,
    ChecksCapture,
    ClaimCapture,
    JobsCapture,
    StreamsCapture,
)
from app.core.statement.remarks import distinct


def capture_findings(capture: Capture) -> tuple[Finding, ...]:
    """Return what is wrong with ``capture``, with JSON pointers; empty when nothing is."""
    return tuple(_findings(capture))


def _findings(capture: Capture) -> Iterator[Finding]:
    match capture:
        case ChecksCapture():
            yield from distinct("/suites", (each.name for each in capture.suites))
            yield from distinct("/named", (each.id for each in capture.named))
            yield from distinct("/values", (each.name for each in capture.values))
        case JobsCapture():
            yield from distinct("/lanes", (str(each.lane) for each in capture.lanes))
            for index, lane in enumerate(capture.lanes):
                names = (each.name for each in lane.counters)
                yield from distinct(f"/lanes/{index}/counters", names)
        case StreamsCapture() | ClaimCapture():
            return
