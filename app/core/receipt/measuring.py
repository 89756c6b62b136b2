# SPDX-License-Identifier: Apache-2.0
"""Whether an attempt measured anything: from then on it is the one that is scored."""

from __future__ import annotations

from app.core.receipt import streams
from app.core.receipt.outcome_checks import have_run
from app.core.receipt.outcome_jobs import have_started
from app.core.statement.capture import (
    Capture,
    ChecksCapture,
    ClaimCapture,
    JobsCapture,
    StreamsCapture,
)


def has_measured(capture: Capture) -> bool:
    """Tell whether anything was measured; another tool's decision is its own measurement."""
    match capture:
        case StreamsCapture():
            return streams.has_measured(capture)
        case ChecksCapture():
            return have_run(capture)
        case JobsCapture():
            return have_started(capture)
        case ClaimCapture():
            return True
