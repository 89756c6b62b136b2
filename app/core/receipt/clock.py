# SPDX-License-Identifier: Apache-2.0
"""Do a receipt's times make sense, among themselves and beside the log's?

The log's time decides every order and deadline (DESIGN.md 4.1). What a client says about its own
clock is evidence only: where it contradicts the log by more than clocks may differ, the capture is
INVALID(CLOCK), kept and counted.
"""

from __future__ import annotations

from typing import Final

from app.core.identity import micros_of
from app.core.receipt.times import Times
from app.core.statement.capture import JobsCapture, Lane, Stream, StreamsCapture
from app.core.statement.receipt import ReceiptPredicate

SKEW_US: Final = 300_000_000
"""How far a client's clock may be off: five minutes, part of scoring rules number 1."""


def acquired_before_lock(*, acquired_us: int, locked_us: int, skew_us: int = 0) -> bool:
    """Tell whether an acquisition lies before the protocol's lock (SCORING.md B10)."""
    return acquired_us + skew_us < locked_us


def is_before_lock(receipt: ReceiptPredicate, times: Times) -> bool:
    """Tell whether the client's own instants place the run before the lock, past any skew."""
    said = [micros_of(i) for i in (receipt.started_at, receipt.finished_at) if i is not None]
    return any(
        acquired_before_lock(acquired_us=at, locked_us=times.locked_us, skew_us=SKEW_US)
        for at in said
    )


def contradicts_log(receipt: ReceiptPredicate, times: Times) -> bool:
    """Tell whether the client's instants are reversed or outside reservation to append."""
    said = [micros_of(i) for i in (receipt.started_at, receipt.finished_at) if i is not None]
    if said != sorted(said):
        return True
    earliest, latest = times.reserved_us - SKEW_US, times.appended_us + SKEW_US
    return any(not earliest <= at <= latest for at in said)


def is_disordered(capture: StreamsCapture | JobsCapture) -> bool:
    """Tell whether some stream's or lane's offsets and counts could not have come about."""
    if isinstance(capture, JobsCapture):
        return any(_lane_disordered(lane, capture.clock.resolution_us) for lane in capture.lanes)
    return any(_disordered(stream, capture.clock.resolution_us) for stream in capture.streams)


def _disordered(stream: Stream, resolution_us: int) -> bool:
    instants = (
        stream.submitted_us,
        stream.first_generated_us,
        stream.first_answer_us,
        stream.last_content_us,
        stream.settled_us,
        stream.observed_until_us,
    )
    known = [at for at in instants if at is not None]
    if known != sorted(known):
        return True
    first, last = stream.first_generated_us, stream.last_content_us
    if stream.submitted_us is None:
        # What was never sent has no content and no end.
        return not (first is None and last is None and stream.settled_us is None)
    if first is None or last is None:
        return False
    # Every gap is the difference of two readings, so each may add two half-widths.
    slack = 2 * resolution_us * (len(stream.content_gaps_us) + 1)
    return sum(stream.content_gaps_us) > last - first + slack


def _lane_disordered(lane: Lane, resolution_us: int) -> bool:
    instants = (lane.started_us, lane.ended_us, lane.observed_until_us)
    known = [at for at in instants if at is not None]
    if known != sorted(known):
        return True
    if lane.started_us is None:
        # What never started has no end, and nothing came of it.
        return lane.ended_us is not None or any((lane.completed, lane.validated, lane.failed))
    validated, completed = lane.validated, lane.completed
    if validated is not None and completed is not None and validated > completed:
        # A result that was checked and right is one of a job that came to its end.
        return True
    idle = 0 if lane.longest_idle_us is None else lane.longest_idle_us
    return idle > known[-1] - lane.started_us + 2 * resolution_us
