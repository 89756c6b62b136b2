# SPDX-License-Identifier: Apache-2.0
"""What lanes of long work say: every one of them, for so long, with so many results validated.

A lane without an end may still have gone on: what it had counted is a least value. Where the server
failed it will not, so there a lane without an end has not done what was demanded.
"""

from __future__ import annotations

from fractions import Fraction

from app.core.protocol.gate_results import JobsGate
from app.core.reason import Reason
from app.core.receipt.outcome_jobs import has_ended
from app.core.score.interval import INFINITY, Interval, Truth, finite, point
from app.core.score.observed import Observed, unknown, zero_or_one
from app.core.statement.capture import JobsCapture, Lane
from app.core.statement.protocol_document import JobsCell
from app.core.statement.tally import JobsTally, LaneTally


def observe_jobs(gate: JobsGate, capture: JobsCapture, cell: JobsCell, *, failed: bool) -> Observed:
    """Return whether every lane of one capture did what is demanded.

    Args:
        gate: what is demanded.
        capture: the facts.
        cell: how many lanes there are.
        failed: the server failed in this slot.
    """
    lanes = {lane.lane: lane for lane in capture.lanes}
    answer = Truth.TRUE
    for number in range(cell.lanes):
        lane = lanes.get(number)
        resolution_us = capture.clock.resolution_us
        told = Truth.OPEN if lane is None else _lane(gate, lane, resolution_us)
        if failed and told is Truth.OPEN and (lane is None or not has_ended(lane)):
            told = Truth.FALSE
        answer = answer.both(told)
    if answer is Truth.OPEN:
        return unknown(Reason.LANE_UNKNOWN)
    return zero_or_one(value=answer is Truth.TRUE)


def failed_too_often(gate: JobsGate, capture: JobsCapture) -> bool:
    """Tell whether some lane has more failures than are allowed, whatever else is unknown."""
    return any((lane.failed or 0) > gate.max_failed for lane in capture.lanes)


def work_of(capture: JobsCapture, cell: JobsCell) -> JobsTally:
    """Return what each lane came to, in the order of the lanes."""
    lanes = [
        LaneTally(
            lane=lane.lane,
            ended=has_ended(lane),
            duration_us=_duration_us(lane),
            validated=lane.validated,
            failed=lane.failed,
        )
        for lane in sorted(capture.lanes, key=lambda each: each.lane)
    ]
    resolution_us = capture.clock.resolution_us
    return JobsTally(planned=cell.lanes, resolution_us=resolution_us, lanes=lanes)


def _lane(gate: JobsGate, lane: Lane, resolution_us: int) -> Truth:
    ended = has_ended(lane)
    duration_us = _duration_us(lane)
    lasted = Truth.OPEN
    if duration_us is not None:
        read = Interval(finite(duration_us - resolution_us), finite(duration_us + resolution_us))
        lasted = read.compared(">=", finite(gate.min_duration_us))
    validated = _count(lane.validated, ended=ended).compared(">=", finite(gate.min_validated))
    failed = _count(lane.failed, ended=ended).compared("<=", finite(gate.max_failed))
    return lasted.both(validated).both(failed)


def _count(value: int | None, *, ended: bool) -> Interval:
    if value is not None and ended:
        return point(value)
    return Interval(finite(Fraction(value or 0)), INFINITY, hi_open=True)


def _duration_us(lane: Lane) -> int | None:
    if lane.started_us is None or lane.ended_us is None:
        return None
    return lane.ended_us - lane.started_us
