# SPDX-License-Identifier: Apache-2.0
"""Was each stream sent when the protocol says: at slot start, together, or after an event?

A stream that is sent early has not waited for what it is about, and one of two that should contend
from their first byte has a head start if it goes first. How much later than planned is too late is
the protocol's to lock, as ``tolerance_us``; a clock's resolution is granted to every reading.
"""

from __future__ import annotations

from msgspec import UNSET, UnsetType

from app.core.receipt.streams import instant, measured, of_plan, of_role
from app.core.statement.capture import StreamsCapture
from app.core.statement.protocol_document import PlannedStream, StreamsCell


def is_off_start(planned: PlannedStream, capture: StreamsCapture) -> bool:
    """Tell whether a stream was sent before its planned instant, or later than it may be.

    Nothing is known of one that was not sent, or whose event nobody saw. Without a tolerance none
    is late: what has to overlap is what the preconditions say. ``are_apart`` asks of those that
    start together.
    """
    stream = of_plan(measured(capture), planned)
    due = _due(planned, capture)
    if stream is None or stream.submitted_us is None or due is None:
        return False
    # Slot start is the clock's own zero; an event is read as the submission is.
    readings = 1 if planned.starts.after is UNSET else 2
    slack = readings * capture.clock.resolution_us
    behind, tolerance = stream.submitted_us - due, planned.starts.tolerance_us
    return behind < -slack or (tolerance is not UNSET and behind > tolerance + slack)


def are_apart(cell: StreamsCell, capture: StreamsCapture) -> bool:
    """Tell whether streams that start together were sent further apart than they may be.

    Each one's own delay is taken off first. The smallest tolerance of them all decides.
    """
    together = [planned for planned in cell.streams if planned.starts.at == "together"]
    streams = [(of_plan(measured(capture), planned), planned) for planned in together]
    sent = [
        stream.submitted_us - _or_zero(planned.starts.delay_us)
        for stream, planned in streams
        if stream is not None and stream.submitted_us is not None
    ]
    if len(sent) < 2:
        return False
    tolerance = min(_or_zero(planned.starts.tolerance_us) for planned in together)
    return max(sent) - min(sent) > tolerance + 2 * capture.clock.resolution_us


def _due(planned: PlannedStream, capture: StreamsCapture) -> int | None:
    """Return when the stream should have been sent; None: no instant of its own says."""
    starts = planned.starts
    if starts.at == "together":
        return None
    if starts.after is UNSET:
        return _or_zero(starts.delay_us)
    awaited = of_role(measured(capture), starts.after.stream_role)
    seen = [at for one in awaited if (at := instant(one, starts.after.event)) is not None]
    return min(seen) + _or_zero(starts.delay_us) if seen else None


def _or_zero(micros: int | UnsetType) -> int:
    return 0 if micros is UNSET else micros
