# SPDX-License-Identifier: Apache-2.0
"""What a capture of streams says about its slot."""

from __future__ import annotations

from app.core.reason import Reason
from app.core.receipt.clock import is_disordered
from app.core.receipt.faults import Fault, stream_fault
from app.core.receipt.found import Found
from app.core.receipt.preconditions import demands_sending, is_broken, unsent
from app.core.receipt.starts import are_apart, is_off_start
from app.core.receipt.streams import (
    are_planned,
    has_measured,
    is_complete,
    is_of_size,
    is_short,
    measured,
    of_plan,
    plan_of,
    succeeded,
    warmup,
)
from app.core.statement.capture import StreamsCapture
from app.core.statement.protocol_document import ProtocolDocument, StreamsCell


def found_in_streams(
    capture: StreamsCapture,
    cell: StreamsCell,
    *,
    document: ProtocolDocument,
    replay: bool,
    timeout_us: int | None = None,
) -> Found:
    """Return what ``capture`` says.

    Args:
        capture: the facts.
        cell: what was to run.
        document: the locked protocol, for its fault table and retry rule.
        replay: of streams retold from a source nothing is asked that needs exact instants.
        timeout_us: how long the client waited for an answer; None: unknown.
    """
    faults = _faults(capture, cell, document, timeout_us)
    failed = capture.phases.warmup == "failed" or not all(map(is_complete, warmup(capture)))
    whole = all(is_complete(stream, plan_of(stream, cell)) for stream in measured(capture))
    return Found(
        complete=Reason.ALL_STREAMS_COMPLETE,
        started=has_measured(capture),
        faults=faults,
        failures=_failures(capture, cell, faults),
        not_started=Reason.WARMUP_NOT_COMPLETED if failed else Reason.NOT_STARTED,
        retryable=_is_retryable(capture, document),
        doubts=_doubts(capture, cell, replay=replay),
        unfinished=None if whole else Reason.UNFINISHED_STREAM,
    )


def _faults(
    capture: StreamsCapture,
    cell: StreamsCell,
    document: ProtocolDocument,
    timeout_us: int | None,
) -> tuple[Fault, ...]:
    table = document.fault_table
    found = (
        stream_fault(stream, capture, cell=cell, table=table, timeout_us=timeout_us)
        for stream in capture.streams
    )
    return tuple(fault for fault in found if fault is not None)


def _failures(
    capture: StreamsCapture, cell: StreamsCell, faults: tuple[Fault, ...]
) -> tuple[Reason, ...]:
    """Return what the capture establishes against the server."""
    reasons = []
    streams = measured(capture)
    if any(unsent(planned, capture, cell) == "event_never_came" for planned in cell.streams):
        reasons.append(Reason.EVENT_NEVER_CAME)
    if "sut" in faults:
        reasons.append(Reason.SERVER_FAULT)
    pairs = ((of_plan(streams, planned), planned) for planned in cell.streams)
    if any(stream is not None and is_short(stream, planned) for stream, planned in pairs):
        reasons.append(Reason.SHORT_OUTPUT)
    return tuple(reasons)


def _is_retryable(capture: StreamsCapture, document: ProtocolDocument) -> bool:
    """Tell whether every failed warm-up request has a locked code and no response had succeeded."""
    if document.retry.max_per_slot == 0 or any(map(succeeded, capture.streams)):
        return False
    listed = {code.http_status for code in document.retry.only}
    failed = [stream for stream in warmup(capture) if not is_complete(stream)]
    return bool(failed) and all(stream.http_status in listed for stream in failed)


def _is_as_planned(capture: StreamsCapture, cell: StreamsCell) -> bool:
    """Tell whether the locked load ran: every stream, no other, each with its prompt's length."""
    pairs = ((of_plan(measured(capture), planned), planned) for planned in cell.streams)
    sizes = [is_of_size(stream, planned) for stream, planned in pairs if stream is not None]
    return are_planned(capture, cell) and all(sizes)


def _doubts(capture: StreamsCapture, cell: StreamsCell, *, replay: bool) -> tuple[Reason, ...]:
    held_back = [p.role for p in cell.streams if unsent(p, capture, cell) == "not_sent"]
    demanded = any(demands_sending(cell, role) for role in held_back)
    broken = any(is_broken(p, measured(capture)) for p in cell.preconditions)
    warm = cell.warmup is None or cell.warmup.requests == 0 or _is_warm(capture)
    found = {
        Reason.STREAMS_NOT_AS_PLANNED: (
            not _is_as_planned(capture, cell) or (bool(held_back) and not demanded)
        ),
        Reason.CLOCK: is_disordered(capture),
        Reason.PRECONDITION_NOT_MET: demanded or broken,
        Reason.WARMUP_NOT_COMPLETED: not warm,
    }
    doubts = [reason for reason, is_so in found.items() if is_so]
    off = not replay and any(is_off_start(planned, capture) for planned in cell.streams)
    if off or are_apart(cell, capture):
        doubts.append(Reason.STREAMS_NOT_AS_PLANNED)
    return tuple(dict.fromkeys(doubts))


def _is_warm(capture: StreamsCapture) -> bool:
    return capture.phases.warmup == "complete" and all(map(is_complete, warmup(capture)))
