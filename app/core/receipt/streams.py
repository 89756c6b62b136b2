# SPDX-License-Identifier: Apache-2.0
"""Reading one stream's facts: which instant is which, whether it finished, was it planned."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from app.core.statement.capture import Stream, StreamsCapture
from app.core.statement.gate_record import StreamEvent
from app.core.statement.protocol_document import PlannedStream, StreamsCell

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
    return tuple([s for s in capture.streams if s.phase == "measured"])


def warmup(capture: StreamsCapture) -> tuple[Stream, ...]:
    """Return the streams of the warm-up."""
    return tuple([s for s in capture.streams if s.phase == "warmup"])


def has_measured(capture: StreamsCapture) -> bool:
    """Tell whether the measured phase started: by its own word or by a stream that was sent."""
    sent = any(s.submitted_us is not None for s in measured(capture))
    return sent or capture.phases.measured == "started"


def is_complete(stream: Stream, planned: PlannedStream | None = None) -> bool:
    """Tell whether a stream came to its end; how is a matter of each gate's accepted bases.

    The word for it counts only with its own fact beside it, and an exact amount is not assumed: it
    is reported, or the server stopped at the limit it was given. One that is known to be short has
    ended all the same.

    Args:
        stream: the facts.
        planned: what it carries out; None: a warm-up, which has no exact amount.
    """
    if planned is not None and is_short(stream, planned):
        return True
    return _ended(stream) and _basis_holds(stream, planned) and _amount_known(stream, planned)


def is_refused(stream: Stream) -> bool:
    """Tell whether the server answered with an error status."""
    return stream.http_status is not None and stream.http_status >= _FIRST_ERROR_STATUS


def succeeded(stream: Stream) -> bool:
    """Tell whether the server answered with a 2xx status."""
    return stream.http_status is not None and 200 <= stream.http_status < 300


def of_role(streams: Sequence[Stream], role: str) -> tuple[Stream, ...]:
    """Return the streams with ``role``, in their order."""
    return tuple([s for s in streams if s.role == role])


def of_plan(streams: Sequence[Stream], planned: PlannedStream) -> Stream | None:
    """Return the stream that carries out ``planned``."""
    for stream in streams:
        if stream.role == planned.role and stream.lane == planned.lane:
            return stream
    return None


def are_planned(capture: StreamsCapture, cell: StreamsCell) -> bool:
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
    """Tell whether a finished stream gave fewer tokens than its exact amount; unknown is not.

    Any sign of an end will do, so that no choice of words makes a short stream an unfinished one.
    """
    tokens = _tokens(stream)
    if not planned.exact_output or tokens is None or not _ended(stream):
        return False
    signs = (stream.finish_reason, stream.done_marker or None)
    ended = stream.completion_basis != "none" or any(sign is not None for sign in signs)
    return ended and tokens < planned.max_output_tokens


def plan_of(stream: Stream, cell: StreamsCell) -> PlannedStream | None:
    """Return the plan that a measured stream carries out; None: a warm-up, or none."""
    if stream.phase != "measured":
        return None
    for planned in cell.streams:
        if planned.role == stream.role and planned.lane == stream.lane:
            return planned
    return None


def is_of_size(stream: Stream, planned: PlannedStream) -> bool:
    """Tell whether a prompt had its locked length; one that nobody counted may have had it."""
    prompt = None if stream.usage is None else stream.usage.prompt
    size = planned.prompt_tokens
    return prompt is None or abs(prompt - size.target) <= size.tolerance


def _ended(stream: Stream) -> bool:
    """Tell whether the stream settled, and neither by an error nor by an error status."""
    return stream.settled_us is not None and stream.error_class is None and not is_refused(stream)


def _basis_holds(stream: Stream, planned: PlannedStream | None) -> bool:
    """Tell whether the fact is there that the stream's completion basis names."""
    match stream.completion_basis:
        case "finish_reason":
            return stream.finish_reason is not None
        case "done_marker":
            return stream.done_marker is True
        case "exact_usage_len":
            if planned is None or not planned.exact_output:
                return False
            return _tokens(stream) == planned.max_output_tokens
        case "tool_claim" | "none" as basis:
            return basis == "tool_claim"


def _amount_known(stream: Stream, planned: PlannedStream | None) -> bool:
    """Tell whether a stream of an exact amount is established to have given it."""
    if planned is None or not planned.exact_output:
        return True
    return _tokens(stream) is not None or stream.finish_reason == "length"


def _tokens(stream: Stream) -> int | None:
    return None if stream.usage is None else stream.usage.completion
