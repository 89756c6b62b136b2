# SPDX-License-Identifier: Apache-2.0
"""A planned stream beside what a capture says of it, and how it ended by the fault table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import Final, TypeAlias

from app.core.protocol.cells import streams_of
from app.core.reason import Reason
from app.core.receipt.faults import Fault, reached, stream_fault
from app.core.receipt.preconditions import unsent
from app.core.receipt.streams import (
    has_measured,
    is_refused,
    is_short,
    measured,
    of_plan,
    warmup,
)
from app.core.statement.capture import Capture, Clock, Observations, Phases, Stream, StreamsCapture
from app.core.statement.protocol_document import Cell, PlannedStream, ProtocolDocument, StreamsCell

_Whose: TypeAlias = Callable[[Stream], Fault | None]
"""Whose fault it is that a stream of one capture did not finish."""

_LOST: Final[Mapping[Fault | None, Reason]] = {
    "harness": Reason.HARNESS_FAULT,
    "environment": Reason.ENVIRONMENT_FAULT,
    "identity": Reason.IDENTITY_MISMATCH,
}
"""What made the end of a stream unknown, by whose fault it was."""

NOTHING_CAPTURED: Final = StreamsCapture(
    schema="urn:fairtrial:capture:streams:v1",
    clock=Clock(kind="monotonic", zero="slot_start", resolution_us=0),
    boot_id=None,
    phases=Phases(warmup="failed", measured="not_started"),
    streams=[],
    observations=Observations(counters=[], gauges=[], events=[], identities=[]),
)
"""A capture without a fact."""


class Ending(Enum):
    """How a stream ended, as far as scoring cares.

    ``SHORT`` finished with fewer tokens than its locked amount. ``UNFINISHED`` was merely no longer
    watched: what it would have done lies beyond. ``UNKNOWN`` has facts that no row of the fault
    table turns into the server's fault, or none at all.
    """

    COMPLETE = "complete"
    SHORT = "short"
    UNFINISHED = "unfinished"
    SERVER_FAILURE = "server_failure"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Reading:
    """One planned stream of one capture.

    Attributes:
        stream: what was captured of it; None: nothing.
        resolution_us: how far a reading of the capture's clock may be off.
        deadline_passed: it was watched until the slot's locked deadline.
        lost: what is known of why its end is unknown; decides nothing.
    """

    planned: PlannedStream
    stream: Stream | None
    ending: Ending
    resolution_us: int
    deadline_passed: bool
    lost: Reason | None = None


def readings_of(
    document: ProtocolDocument, cell: Cell, capture: Capture, *, timeout_us: int | None = None
) -> tuple[Reading, ...]:
    """Return every planned stream of ``cell`` as ``capture`` shows it, in the cell's order.

    There are none where something else than streams fills the slots of the cell.

    Args:
        document: the locked protocol.
        cell: what was to run.
        capture: the facts.
        timeout_us: how long the client waited for an answer; None: unknown.
    """
    if not isinstance(cell, StreamsCell) or not isinstance(capture, StreamsCapture):
        return ()

    def whose(stream: Stream) -> Fault | None:
        table = document.fault_table
        return stream_fault(stream, capture, cell=cell, table=table, timeout_us=timeout_us)

    ready = _warmed_up(capture, whose)
    return tuple(_reading(cell, capture, planned, ready, whose) for planned in cell.streams)


def all_failed(cell: Cell) -> tuple[Reading, ...]:
    """Return every planned stream of a slot that the server failed before it was measured."""
    return tuple(
        Reading(planned, None, Ending.SERVER_FAILURE, 0, deadline_passed=False)
        for planned in streams_of(cell)
    )


def after_event(reading: Reading, at_us: int) -> Reading:
    """Return the reading with what follows ``at_us`` unknown: the server was not the same since.

    A failed request stays the server's failure, and a stream that was over by then stays as it is.
    """
    over = reading.stream is not None and reading.stream.observed_until_us < at_us
    if over or reading.ending is Ending.SERVER_FAILURE:
        return reading
    return replace(reading, ending=Ending.UNKNOWN, lost=Reason.SERVER_REPLACED)


def _reading(
    cell: StreamsCell,
    capture: StreamsCapture,
    planned: PlannedStream,
    ready: Ending | None,
    whose: _Whose,
) -> Reading:
    stream = of_plan(measured(capture), planned)
    passed = stream is not None and reached(stream, cell.ends.slot_deadline_us, capture)
    fault = whose(stream) if stream is not None and ready is None else None
    ending = ready or _ending(cell, capture, planned, stream, fault)
    resolution_us = capture.clock.resolution_us
    return Reading(planned, stream, ending, resolution_us, passed, _LOST.get(fault))


def _warmed_up(capture: StreamsCapture, whose: _Whose) -> Ending | None:
    """Return how every stream of a slot ended whose measured phase never started; None: it did."""
    if has_measured(capture):
        return None
    faults = [whose(each) for each in warmup(capture)]
    return Ending.SERVER_FAILURE if "sut" in faults else Ending.UNKNOWN


def _ending(
    cell: StreamsCell,
    capture: StreamsCapture,
    planned: PlannedStream,
    stream: Stream | None,
    fault: Fault | None,
) -> Ending:
    if stream is None:
        return Ending.UNKNOWN
    match fault:
        case None:
            return Ending.SHORT if is_short(stream, planned) else Ending.COMPLETE
        case "sut":
            return Ending.SERVER_FAILURE
        case "unknown":
            return _undecided(stream, capture, cell, planned)
        case "harness" | "environment" | "identity":
            return Ending.UNKNOWN


def _undecided(
    stream: Stream, capture: StreamsCapture, cell: StreamsCell, planned: PlannedStream
) -> Ending:
    """Return what an unfinished stream is whose facts decide no fault.

    That it was sent and gave nothing until the observation stopped is seen, whatever the harness
    calls the end of it. Only a status by which the server refused it leaves nothing to watch.
    """
    if stream.submitted_us is None:
        never_came = unsent(planned, capture, cell) == "event_never_came"
        return Ending.SERVER_FAILURE if never_came else Ending.UNKNOWN
    return Ending.UNKNOWN if is_refused(stream) else Ending.UNFINISHED
