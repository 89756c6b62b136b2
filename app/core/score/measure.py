# SPDX-License-Identifier: Apache-2.0
"""What a stream's facts say about one metric: the table of SCORING.md B3, row by row.

Times are in microseconds, rates in tokens a microsecond, until scaled to the gate's unit.
A count that is absent is unknown, and nothing here ever turns it into zero.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Final

from app.core.protocol.gate import ONE_OR_ZERO
from app.core.reason import Reason
from app.core.receipt.streams import instant
from app.core.score.interval import INFINITY, End, Interval, Truth, finite, whole
from app.core.score.observed import (
    Basis,
    Observed,
    above,
    at_least,
    between,
    exact,
    never,
    unknown,
    zero_or_one,
)
from app.core.score.progress import silence_of
from app.core.score.reading import Ending, Reading
from app.core.statement.capture import Stream
from app.core.statement.gate_record import Metric, StreamEvent
from app.core.statement.protocol_document import PlannedStream

_FINISHED = (Ending.COMPLETE, Ending.SHORT)
_FIRST: Final[Mapping[str, StreamEvent]] = {
    "ttft": "first_content",
    "time_to_first_answer": "first_answer",
}
"""Content that is only thought comes before an answer does; each time has a name of its own."""


def stream_metric(metric: Metric, reading: Reading, *, resolution: int | Fraction) -> Observed:
    """Return what is known of a stream's ``metric``, in microseconds or tokens."""
    match metric.name:
        case "ttft" | "time_to_first_answer":
            return _time_to(reading, _FIRST[metric.name], resolution)
        case "settlement":
            return _settlement(reading, resolution)
        case "max_content_gap":
            return _silence(reading, resolution)
        case "decode_rate":
            return _decode_rate(reading, metric, resolution)
        case "completion_tokens":
            return _tokens_made(reading, metric)
        case "answer":
            return _answer(reading)
        case "answer_parts":
            return _answer_parts(reading)
        case _:
            return complete(reading, tuple(metric.accepted_bases or ()))


def complete(reading: Reading, accepted: tuple[str, ...]) -> Observed:
    """Return whether the stream came to an end that counts; undecided until its deadline."""
    stream = reading.stream
    match reading.ending:
        case Ending.UNKNOWN:
            return unknown()
        case Ending.SHORT:
            return zero_or_one(value=False, why=Reason.SHORT_OUTPUT)
        case Ending.SERVER_FAILURE:
            return zero_or_one(value=False, why=Reason.SERVER_FAULT)
        case Ending.COMPLETE | Ending.UNFINISHED:
            counts = reading.ending is Ending.COMPLETE and stream is not None
            if counts and stream is not None and stream.completion_basis in accepted:
                return zero_or_one(value=True)
            if reading.deadline_passed:
                return zero_or_one(value=False, why=Reason.UNFINISHED_STREAM)
            return Observed(whole(ONE_OR_ZERO), Basis.CENSORED)


def tokens_of(reading: Reading, *, fallback: bool) -> Observed:
    """Return how many tokens a stream made: as reported, or between the bounds declared for it."""
    stream = reading.stream
    if stream is None:
        return unknown()
    if stream.usage is not None and stream.usage.completion is not None:
        return exact(stream.usage.completion)
    if not fallback:
        return unknown()
    events = len(stream.content_gaps_us) + (stream.first_generated_us is not None)
    return between(finite(events), finite(max(events, reading.planned.max_output_tokens)))


def event_time(
    reading: Reading, event: StreamEvent, *, resolution: Fraction, failure_is_late: bool
) -> Observed:
    """Return when an event of a stream happened, from slot start.

    Args:
        reading: the stream.
        event: which event.
        resolution: half-width of a reading.
        failure_is_late: what the worst is where the server failed: an event that never comes, or,
            for the stream that the other must precede, the last that was seen of it.
    """
    stream = reading.stream
    at = None if stream is None else instant(stream, event)
    final = event in ("last_content", "settled")
    if reading.ending is Ending.SERVER_FAILURE and (final or at is None):
        if failure_is_late:
            return never(None if stream is None else stream.observed_until_us)
        return exact(0) if at is None else exact(at, resolution)
    if reading.ending is Ending.UNKNOWN or stream is None:
        return unknown()
    if reading.ending in _FINISHED or not final:
        if at is not None:
            return exact(at, resolution)
        return unknown() if reading.ending in _FINISHED else above(stream.observed_until_us)
    return above(stream.observed_until_us) if at is None else at_least(at - resolution)


def answer_of(reading: Reading) -> Truth:
    """Return whether the stream gave the expected answer; only a finished one has answered."""
    stream = reading.stream
    if stream is None or reading.ending not in _FINISHED:
        return Truth.OPEN
    said = [_matched(reading.planned, stream), _parts_matched(reading.planned, stream)]
    asked = [each for each in said if each is not None]
    if Truth.FALSE in asked:
        return Truth.FALSE
    return Truth.TRUE if asked and Truth.OPEN not in asked else Truth.OPEN


def _matched(planned: PlannedStream, stream: Stream) -> Truth | None:
    """Return whether the whole answer was the expected one; None: nobody says, or asks for it."""
    if stream.answer_matched is None:
        asked = planned.expected_answer is not None and planned.answer_parts is None
        return Truth.OPEN if asked else None
    return Truth.TRUE if stream.answer_matched else Truth.FALSE


def _parts_matched(planned: PlannedStream, stream: Stream) -> Truth | None:
    """Return whether every expected part came; None: the plan expects none."""
    if planned.answer_parts is None:
        return None
    parts, wanted = stream.answer_parts, len(planned.answer_parts)
    if parts is None:
        return Truth.OPEN
    return Truth.TRUE if parts.matched >= wanted == parts.expected else Truth.FALSE


def scaled(observed: Observed, factor: Fraction) -> Observed:
    """Return the observation in another unit."""
    interval = observed.interval
    if interval is None or factor.numerator == factor.denominator:
        return observed
    lo = interval.lo.times(factor)
    hi = lo if interval.hi is interval.lo else interval.hi.times(factor)
    changed = Interval(lo, hi, interval.lo_open, interval.hi_open)
    return Observed(changed, observed.basis, observed.absence, observed.why)


def _time_to(reading: Reading, event: StreamEvent, resolution: int | Fraction) -> Observed:
    stream = reading.stream
    if reading.ending is Ending.SERVER_FAILURE:
        return never()
    if reading.ending is Ending.UNKNOWN or stream is None or stream.submitted_us is None:
        return unknown()
    at = instant(stream, event)
    if at is not None:
        return exact(at - stream.submitted_us, resolution)
    if reading.ending is Ending.UNFINISHED:
        return _still_waiting(stream, stream.submitted_us)
    nothing_came = stream.usage is not None and stream.usage.completion == 0
    return never() if nothing_came else unknown()


def _still_waiting(stream: Stream, submitted: int) -> Observed:
    return above(stream.observed_until_us - submitted)


def _settlement(reading: Reading, resolution: int | Fraction) -> Observed:
    stream = reading.stream
    if reading.ending in (Ending.SERVER_FAILURE, Ending.SHORT):
        return never()
    if reading.ending is Ending.UNKNOWN or stream is None or stream.submitted_us is None:
        return unknown()
    if reading.ending is Ending.UNFINISHED:
        return _still_waiting(stream, stream.submitted_us)
    if stream.settled_us is None:
        return unknown()
    return exact(stream.settled_us - stream.submitted_us, resolution)


def _silence(reading: Reading, resolution: int | Fraction) -> Observed:
    if reading.ending is Ending.SERVER_FAILURE:
        return never()
    if reading.ending is Ending.UNKNOWN or reading.stream is None:
        return unknown()
    ended = reading.ending in _FINISHED
    return silence_of(reading.stream, ended=ended, resolution=resolution)


def _decode_rate(reading: Reading, metric: Metric, resolution: int | Fraction) -> Observed:
    stream = reading.stream
    if reading.ending in (Ending.SERVER_FAILURE, Ending.SHORT):
        return exact(0)
    if reading.ending is Ending.UNKNOWN or stream is None:
        return unknown()
    if reading.ending is Ending.UNFINISHED:
        return Observed(Interval(finite(0), INFINITY, hi_open=True), Basis.CENSORED)
    tokens = tokens_of(reading, fallback=bool(metric.fallback_bounds))
    first, last = stream.first_generated_us, stream.last_content_us
    if tokens.interval is None or first is None or last is None or last <= first:
        return unknown()
    span = last - first
    lo = _rate(tokens.interval.lo, span + resolution)
    if span <= resolution:
        return between(lo, INFINITY)
    rate = between(lo, _rate(tokens.interval.hi, span - resolution))
    return Observed(rate.interval, tokens.basis)


def _rate(tokens: End, span: int | Fraction) -> End:
    """Return the tokens after the first over the time from first to last content, in us."""
    after_first = max(tokens.top - tokens.bottom, 0)
    return End(0, after_first * span.denominator, tokens.bottom * span.numerator)


def _tokens_made(reading: Reading, metric: Metric) -> Observed:
    match reading.ending:
        case Ending.SERVER_FAILURE:
            return exact(0)
        case Ending.UNKNOWN:
            return unknown()
        case Ending.COMPLETE | Ending.SHORT | Ending.UNFINISHED:
            return tokens_of(reading, fallback=bool(metric.fallback_bounds))


def _answer(reading: Reading) -> Observed:
    match answer_of(reading):
        case Truth.TRUE:
            return zero_or_one(value=True)
        case Truth.FALSE:
            return zero_or_one(value=False, why=Reason.WRONG_ANSWER)
        case Truth.OPEN:
            return unknown(Reason.ANSWER_UNKNOWN)


def _answer_parts(reading: Reading) -> Observed:
    """Return how many expected parts of the answer came; a server that failed gave none."""
    stream, planned = reading.stream, reading.planned.answer_parts
    if reading.ending is Ending.SERVER_FAILURE:
        return exact(0)
    if stream is None or reading.ending not in _FINISHED or planned is None:
        return unknown(Reason.ANSWER_UNKNOWN)
    parts = stream.answer_parts
    if parts is None or parts.expected > len(planned):
        return unknown(Reason.ANSWER_UNKNOWN)
    return exact(min(parts.matched, parts.expected))
