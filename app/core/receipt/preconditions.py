# SPDX-License-Identifier: Apache-2.0
"""Was the load the one that was declared? SCORING.md B1, "Preconditions".

A precondition is about what the harness did: it was submitted, in this order. One that is broken
makes the slot INVALID. A stream that waits for a server's event which does not come by the deadline
was not sent for the server's sake: that slot is FAILED, or starving everybody would be a way out.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Final, Literal

from msgspec import UNSET

from app.core.receipt.faults import reached
from app.core.receipt.streams import instant, measured, of_plan, of_role
from app.core.statement.capture import Stream, StreamsCapture
from app.core.statement.gate_record import EventOf, Operator
from app.core.statement.protocol_document import PlannedStream, Precondition, StreamsCell

Unsent = Literal["event_never_came", "not_sent", "explained"]

_HOLDS: Final[Mapping[Operator, Callable[[int, int], bool]]] = {
    "<": operator.lt,
    "<=": operator.le,
    "==": operator.eq,
    ">=": operator.ge,
    ">": operator.gt,
}


def is_broken(precondition: Precondition, streams: Sequence[Stream]) -> bool:
    """Tell whether some pair of its streams has instants in another order than demanded.

    An instant that was not observed breaks nothing here: what became of its stream decides.
    """
    holds = _HOLDS[precondition.op]
    lefts = _instants(precondition.left, streams)
    rights = _instants(precondition.right, streams)
    return any(not holds(left, right) for left in lefts for right in rights)


def unsent(planned: PlannedStream, capture: StreamsCapture, cell: StreamsCell) -> Unsent | None:
    """Return why a planned stream was never sent; None: it was, or it is not in the capture.

    ``event_never_came``: the server's doing. ``explained``: an error of its own or of the stream it
    waited for says why. ``not_sent``: the harness had every reason to send it and did not.
    """
    streams = measured(capture)
    stream = of_plan(streams, planned)
    if stream is None or stream.submitted_us is not None:
        return None
    if stream.error_class is not None:
        return "explained"
    after = planned.starts.after
    if after is UNSET:
        return "not_sent"
    awaited = of_role(streams, after.stream_role)
    if after.event == "submitted":
        # Sending is the harness's own event: only an error kept the other one from it.
        return "explained" if any(_never_left(other) for other in awaited) else "not_sent"
    if any(instant(other, after.event) is not None for other in awaited):
        return "not_sent"
    if any(_waited_out(other, capture, cell) for other in awaited):
        return "event_never_came"
    return "explained"


def demands_sending(cell: StreamsCell, role: str) -> bool:
    """Tell whether a precondition of the cell is about the submission of ``role``."""
    wanted = EventOf(stream_role=role, event="submitted")
    return any(wanted in (p.left, p.right) for p in cell.preconditions)


def _never_left(stream: Stream) -> bool:
    """Tell whether an error kept a stream from being sent."""
    return stream.submitted_us is None and stream.error_class is not None


def _waited_out(stream: Stream, capture: StreamsCapture, cell: StreamsCell) -> bool:
    """Tell whether a stream was sent and watched to its end or deadline without the event."""
    ended = stream.error_class is None and stream.settled_us is not None
    watched = reached(stream, cell.ends.slot_deadline_us, capture)
    return stream.submitted_us is not None and (ended or watched)


def _instants(event: EventOf, streams: Sequence[Stream]) -> list[int]:
    found = (instant(stream, event.event) for stream in of_role(streams, event.stream_role))
    return [at for at in found if at is not None]
