# SPDX-License-Identifier: Apache-2.0
"""What each receipt's capture recorded, stream by stream, beside the slots that have none.

These are facts as sent, drawn and listed; what they establish is said by gates and nowhere else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from app.core.statement.capture import Capture, Stream, StreamsCapture, Usage
from app.core.statement.protocol_document import StreamsCell
from app.core.verdict.numbers import NOT_RECORDED, seconds
from app.pages.charts.timeline import Span, draw_timeline
from app.pages.facts import StudyFacts
from app.pages.views.recorded import Recorded, recorded_in
from app.pages.views.table import Cell, Table, number

_HEADERS = (
    "Stream", "Submitted", "First content", "First answer", "Last content", "Ended",
    "Watched until", "HTTP", "Finish reason", "Completion tokens", "Cached tokens",
    "Answer as expected", "Error class",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class StreamsPlot:
    """A plot of streams and the table of the same."""

    heading: str
    drawn: Markup
    data: Table


def study_streams(study: StudyFacts, captures: Mapping[str, Capture]) -> list[StreamsPlot]:
    """Return one plot per arm of a closed study, every slot that streams fill in it."""
    arms = (
        (arm, recorded_in(study, captures, StreamsCell, arm=arm))
        for arm in study.state.document.order
    )
    return [_plot(study, arm, list(_lines(recorded))) for arm, recorded in arms if recorded]


def capture_streams(label: str, capture: StreamsCapture) -> StreamsPlot:
    """Return the plot of one capture."""
    lines = [_Line(_named(label, one), one, "") for one in capture.streams]
    return _of_lines(label, lines)


@dataclass(frozen=True, slots=True)
class _Line:
    """A stream of a capture; or, without one, a slot or a receipt that has none."""

    label: str
    stream: Stream | None
    note: str


def _lines(recorded: Sequence[Recorded]) -> Iterator[_Line]:
    for one in recorded:
        if one.capture is None:
            yield _Line(one.label, None, one.note)
        elif not isinstance(one.capture, StreamsCapture) or not one.capture.streams:
            yield _Line(one.label, None, "no stream in it")
        else:
            for stream in one.capture.streams:
                yield _Line(_named(one.label, stream), stream, "")


def _plot(study: StudyFacts, arm: str, lines: list[_Line]) -> StreamsPlot:
    commit = study.state.predicate.arms[arm].commit
    tested = "a commit not published" if commit is None else commit[:12]
    return _of_lines(f"Study {study.record.ordinal}, arm {arm} ({tested})", lines)


def _of_lines(heading: str, lines: list[_Line]) -> StreamsPlot:
    title = f"{heading}: every stream of every receipt, from its slot's start"
    return StreamsPlot(
        heading=heading,
        drawn=draw_timeline(title, [_span(line) for line in lines]).to_markup(),
        data=Table(caption=f"{title}.", headers=_HEADERS, rows=[_row(line) for line in lines]),
    )


def _span(line: _Line) -> Span:
    stream = line.stream
    if stream is None:
        return Span(line.label, line.note, note=line.note)
    return Span(
        label=line.label,
        said=_said(stream),
        submitted=stream.submitted_us,
        first_content=stream.first_generated_us,
        last_content=stream.last_content_us,
        settled=stream.settled_us,
        observed_until=stream.observed_until_us,
    )


def _said(stream: Stream) -> str:
    ended = (
        f"unfinished, watched until {seconds(stream.observed_until_us)}"
        if stream.settled_us is None
        else f"ended at {seconds(stream.settled_us)}"
    )
    return f"first content {seconds(stream.first_generated_us)}; {ended}"


def _row(line: _Line) -> tuple[Cell, ...]:
    stream = line.stream
    if stream is None:
        nothing = (Cell("no value", tone="quiet") for _ in _HEADERS[1:])
        return (Cell(line.label, note=line.note), *nothing)
    return (
        Cell(line.label),
        number(seconds(stream.submitted_us)),
        number(seconds(stream.first_generated_us)),
        number(seconds(stream.first_answer_us)),
        number(seconds(stream.last_content_us)),
        number("unfinished" if stream.settled_us is None else seconds(stream.settled_us)),
        number(seconds(stream.observed_until_us)),
        number(_or_absent(stream.http_status)),
        Cell(_or_absent(stream.finish_reason)),
        number(_or_absent(_completion(stream.usage))),
        number(_or_absent(None if stream.usage is None else stream.usage.cached)),
        Cell({True: "yes", False: "no", None: NOT_RECORDED}[stream.answer_matched]),
        Cell(stream.error_class or "none recorded"),
    )


def _completion(usage: Usage | None) -> int | None:
    return None if usage is None else usage.completion


def _or_absent(value: str | int | None) -> str:
    return NOT_RECORDED if value is None else str(value)


def _named(label: str, stream: Stream) -> str:
    phase = ", warm-up" if stream.phase == "warmup" else ""
    return f"{label} {stream.role}{phase}"
