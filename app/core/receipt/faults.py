# SPDX-License-Identifier: Apache-2.0
"""Whose fault an unfinished stream is, by the locked fault table (SCORING.md B1).

The table is keyed by facts. Three facts are fixed before it is asked, because a harness could
otherwise choose them: a stream given up before its locked deadline is the harness's own doing; one
given up by the locked cancel rule has met its deadline, or was merely no longer watched, as the
protocol says; and what no row matches is unknown, never excluded.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec
from msgspec import UNSET

from app.core.receipt.components import gives_up_early
from app.core.receipt.streams import instant, is_complete, is_refused, measured, of_role, plan_of
from app.core.statement.capture import ErrorClass, ObservedCapture, Stream, StreamsCapture
from app.core.statement.protocol_document import FaultRow, StreamsCell

Fault = Literal["sut", "harness", "environment", "identity", "unknown"]
Container = Literal["running", "restarted", "exited", "unobserved"]

_ENGINE = "engine"


class Fact(msgspec.Struct, frozen=True, gc=False):
    """What a row of the table may ask about.

    Attributes:
        errors: the error classes that are true of it; a timeout at the deadline is two.
    """

    phase: Literal["warmup", "measured"]
    http_status: int | None
    errors: frozenset[ErrorClass]
    container: Container


def container_state(capture: ObservedCapture) -> Container:
    """Return what the engine's containers did, the worst of them where there are several.

    A component ``engine`` or ``engine-<node>`` is an engine.
    """
    engines = [
        identity
        for identity in capture.observations.identities
        if identity.component == _ENGINE or identity.component.startswith(f"{_ENGINE}-")
    ]
    if any(engine.exited for engine in engines):
        return "exited"
    read = [engine for engine in engines if None not in (engine.before, engine.after)]
    if any(engine.before != engine.after for engine in read):
        return "restarted"
    return "running" if engines and len(read) == len(engines) else "unobserved"


def fault_by_table(fact: Fact, table: Sequence[FaultRow]) -> Fault:
    """Return the fault of the first row whose every given fact holds; ``unknown`` where none."""
    return next((row.fault for row in table if _matches(row, fact)), "unknown")


def container_fault(capture: ObservedCapture, table: Sequence[FaultRow]) -> Fault | None:
    """Return whose fault it is that an engine's container did not stay; None: it did, or unseen."""
    state = container_state(capture)
    if state not in ("exited", "restarted"):
        return None
    return fault_by_table(Fact("measured", None, frozenset(), state), table)


def stream_fault(
    stream: Stream,
    capture: StreamsCapture,
    *,
    cell: StreamsCell,
    table: Sequence[FaultRow],
    timeout_us: int | None = None,
) -> Fault | None:
    """Return whose fault it is that ``stream`` did not finish; None: it did.

    Args:
        stream: the facts of it.
        capture: the capture it is in.
        cell: what was to run.
        table: the locked fault table.
        timeout_us: how long the client waited for an answer; None: unknown.
    """
    if is_complete(stream, plan_of(stream, cell)):
        return None
    errors = _errors(stream, capture, cell, timeout_us)
    if not isinstance(errors, frozenset):
        return errors
    fact = Fact(stream.phase, stream.http_status, errors, container_state(capture))
    return fault_by_table(fact, table)


def _errors(
    stream: Stream, capture: StreamsCapture, cell: StreamsCell, timeout_us: int | None
) -> frozenset[ErrorClass] | Literal["harness", "unknown"]:
    """Return the error classes that are true of ``stream``, or the fault that follows at once."""
    if is_refused(stream):
        # The server has spoken: whatever the harness calls the end, its status stays a fact.
        return frozenset({"http_error"})
    match stream.error_class:
        case None:
            return frozenset()
        case "timeout" | "deadline":
            deadline = cell.ends.slot_deadline_us
            watched = reached(stream, deadline, capture)
            given_up_early = not watched or gives_up_early(stream, deadline, timeout_us)
            return "harness" if given_up_early else frozenset({"timeout", "deadline"})
        case "cancelled_by_rule":
            allowed = _cancel_instant(stream, capture, cell)
            if allowed is None or cell.ends.cancel_is == "censoring":
                return "unknown"
            given_up_early = not reached(stream, allowed, capture)
            return "harness" if given_up_early else frozenset({"deadline"})
        case other:
            return frozenset({other})


def reached(stream: Stream, instant_us: int, capture: StreamsCapture) -> bool:
    """Tell whether a stream was watched until ``instant_us``, give or take one clock reading."""
    return stream.observed_until_us + capture.clock.resolution_us >= instant_us


def _cancel_instant(stream: Stream, capture: StreamsCapture, cell: StreamsCell) -> int | None:
    """Return when a locked rule first allowed to give ``stream`` up; None: none was seen to."""
    streams = measured(capture)
    instants = [
        at + rule.grace_us
        for rule in cell.ends.cancels
        if rule.stream_role == stream.role
        for other in of_role(streams, rule.after.stream_role)
        if (at := instant(other, rule.after.event)) is not None
    ]
    return min(instants, default=None)


def _matches(row: FaultRow, fact: Fact) -> bool:
    if row.phase not in ("any", fact.phase):
        return False
    if row.http_status is not UNSET:
        status = fact.http_status
        if status is None or not row.http_status.first <= status <= row.http_status.last:
            return False
    if row.error is not UNSET and row.error not in fact.errors:
        return False
    return row.container is UNSET or row.container == fact.container
