# SPDX-License-Identifier: Apache-2.0
"""Captures of kind ``jobs`` as tables: each lane of long work, from its start to its end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from app.core.statement.capture import JobsCapture, Lane
from app.core.statement.protocol_document import JobsCell
from app.core.verdict.numbers import NOT_RECORDED, count_text, hours, seconds
from app.pages.views.recorded import Recorded, Row, table_of
from app.pages.views.table import Cell, Table, number

_HEADERS = (
    "Receipt", "Lane", "Duration (h:min:s)", "Completed", "Validated", "Failed", "Longest idle",
    "Counters",
)  # fmt: skip


def jobs_tables(about: str, lines: Sequence[Recorded]) -> list[Table]:
    """Return the table of lanes.

    Args:
        about: what they are of, for the caption.
        lines: receipts and slots of cells of jobs.
    """
    return [
        table_of(
            lines,
            JobsCapture,
            _lane_rows,
            caption=f"{about}: lanes of long work, by the client's clock.",
            headers=_HEADERS,
        )
    ]


def _lane_rows(line: Recorded, capture: JobsCapture) -> Iterator[Row]:
    for lane in capture.lanes:
        counts = (lane.completed, lane.validated, lane.failed)
        yield (
            Cell(line.label),
            Cell(str(lane.lane)),
            _duration(lane),
            *(number(count_text(one)) for one in counts),
            number(seconds(lane.longest_idle_us)),
            Cell(_counters(lane)),
        )
    known = {lane.lane for lane in capture.lanes}
    planned = range(line.cell.lanes) if isinstance(line.cell, JobsCell) else ()
    for missing in planned:
        if missing not in known:
            absent = (Cell("planned, and not in it", tone="quiet") for _ in _HEADERS[2:])
            yield (Cell(line.label), Cell(str(missing)), *absent)


def _duration(lane: Lane) -> Cell:
    """Return how long a lane worked, as far as it is known."""
    if lane.started_us is None:
        return number("never started", note=f"watched until {hours(lane.observed_until_us)}")
    began = f"from {hours(lane.started_us)}"
    if lane.ended_us is None:
        note = f"{began}, watched until {hours(lane.observed_until_us)}"
        return number("no end seen", note=note)
    if lane.ended_us < lane.started_us:
        return number("ended before it started", note=f"{began} to {hours(lane.ended_us)}")
    return number(hours(lane.ended_us - lane.started_us), note=f"{began} to {hours(lane.ended_us)}")


def _counters(lane: Lane) -> str:
    return ", ".join(f"{one.name} {count_text(one.value)}" for one in lane.counters) or NOT_RECORDED
