# SPDX-License-Identifier: Apache-2.0
"""Reading one stream's facts: which instant is which, whether it finished, was it planned."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from app.core.statement.capture import Stream, StreamsCapture
from app.core.statement.gate_record import StreamEvent
from app.core.statement.protocol_document import Cell, PlannedStream

_FIRST_ERROR_STATUS: Final = 400
_INSTANTS: Final[Mapping[StreamEvent, Callable[[Stream], int | None]]] = {
    "submitted": lambda stream: stream.submitted_us,
    "first_content": lambda stream: stream.first_generated_us,
    "first_answer": lambda stream: stream.first_answer_us,
    "last_content": lambda stream: stream.last_content_us,
    "settled": lambda stream: stream.settled_us,
}


def instant(stream: Stream, event: StreamEvent) -> int | None:
    """Return when ``event`` happened to ``stream``, in us from slot start; None: not observed."""
    return _INSTANTS[event](stream)


def measured(capture: StreamsCapture) -> tuple[Stream, ...]:
    """Return the streams of the measured phase."""
    return tuple(s for s in capture.streams if s.phase == "measured")


def warmup(capture: StreamsCapture) -> tuple[Stream, ...]:
    """Return the streams of the warm-up."""
    return tuple(s for s in capture.streams if s.phase == "warmup")


def has_measured(capture: StreamsCapture) -> bool:
    """Tell whether the measured phase started: by its own word or by a stream that was sent."""
    sent = any(s.submitted_us is not None for s in measured(capture))
    return sent or capture.phases.measured == "started"


def is_complete(stream: Stream) -> bool:
    """Tell whether a stream came to its end; how is a matter of each gate's accepted bases."""
    ended = stream.completion_basis != "none" and stream.error_class is None
    return ended and not is_refused(stream)


def is_refused(stream: Stream) -> bool:
    """Tell whether the server answered with an error status."""
    return stream.http_status is not None and stream.http_status >= _FIRST_ERROR_STATUS


def succeeded(stream: Stream) -> bool:
    """Tell whether the server answered with a 2xx status."""
    return stream.http_status is not None and 200 <= stream.http_status < 300


def of_role(streams: Sequence[Stream], role: str) -> tuple[Stream, ...]:
    """Return the streams with ``role``, in their order."""
    return tuple(s for s in streams if s.role == role)


def of_plan(streams: Sequence[Stream], planned: PlannedStream) -> Stream | None:
    """Return the stream that carries out ``planned``."""
    wanted = (planned.role, planned.lane)
    return next((s for s in streams if (s.role, s.lane) == wanted), None)


def are_planned(capture: StreamsCapture, cell: Cell) -> bool:
    """Tell whether the capture holds every planned stream once, and no other.

    A planned stream that was never sent stands in the capture with a null submission; leaving it
    out is how a starved newcomer would be made to disappear.
    """
    expected = sorted((p.role, p.lane) for p in cell.streams)
    found = sorted((s.role, s.lane) for s in measured(capture))
    if has_measured(capture) and found != expected:
        return False
    sent = warmup(capture)
    if cell.warmup is None:
        return not sent
    role = cell.warmup.role
    return len(sent) <= cell.warmup.requests and all(s.role == role for s in sent)


def is_short(stream: Stream, planned: PlannedStream) -> bool:
    """Tell whether a finished stream gave fewer tokens than its exact amount; unknown is not."""
    tokens = None if stream.usage is None else stream.usage.completion
    if not planned.exact_output or tokens is None or not is_complete(stream):
        return False
    return tokens < planned.max_output_tokens
