# SPDX-License-Identifier: Apache-2.0
"""What a capture of long jobs says about its slot: the planned lanes, each to its end."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from app.core.reason import Reason
from app.core.receipt.clock import is_disordered
from app.core.receipt.faults import Fact, Fault, container_fault, container_state, fault_by_table
from app.core.receipt.found import Found
from app.core.statement.capture import ErrorClass, JobsCapture, Lane
from app.core.statement.protocol_document import JobsCell, ProtocolDocument

_AT_DEADLINE: Final[frozenset[ErrorClass]] = frozenset({"timeout", "deadline"})


def found_in_jobs(capture: JobsCapture, cell: JobsCell, *, document: ProtocolDocument) -> Found:
    """Return what ``capture`` says."""
    faults = tuple(_faults(capture, cell, document))
    doubts = {
        Reason.LANES_NOT_AS_PLANNED: not are_planned(capture, cell),
        Reason.CLOCK: is_disordered(capture),
    }
    return Found(
        complete=Reason.ALL_LANES_ENDED,
        started=have_started(capture),
        faults=faults,
        failures=(Reason.SERVER_FAULT,) if "sut" in faults else (),
        doubts=tuple(reason for reason, is_so in doubts.items() if is_so),
        unfinished=None if all(map(has_ended, capture.lanes)) else Reason.UNFINISHED_LANE,
    )


def have_started(capture: JobsCapture) -> bool:
    """Tell whether any lane began its work."""
    return any(lane.started_us is not None for lane in capture.lanes)


def has_ended(lane: Lane) -> bool:
    """Tell whether a lane's work is known to be over."""
    return lane.started_us is not None and lane.ended_us is not None


def are_planned(capture: JobsCapture, cell: JobsCell) -> bool:
    """Tell whether the capture holds every planned lane, and no other.

    A lane that never started stands there with a null; leaving it out is how a starved one would be
    made to disappear.
    """
    return sorted(lane.lane for lane in capture.lanes) == list(range(cell.lanes))


def _faults(capture: JobsCapture, cell: JobsCell, document: ProtocolDocument) -> Iterator[Fault]:
    table = document.fault_table
    stopped = container_fault(capture, table)
    if stopped is not None:
        yield stopped
    for lane in capture.lanes:
        if has_ended(lane):
            continue
        watched = lane.observed_until_us + capture.clock.resolution_us
        if watched >= cell.ends.slot_deadline_us:
            fact = Fact("measured", None, _AT_DEADLINE, container_state(capture))
            yield fault_by_table(fact, table)
