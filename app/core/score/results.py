# SPDX-License-Identifier: Apache-2.0
"""From a slot's capture to what a gate on reported results observes of it.

A capture of another kind says nothing. Where the server failed, what was not reported is its
failure; where it was not the same server any more, only failures are still evidence.
"""

from __future__ import annotations

from app.core.protocol.gate_results import (
    ChecksGate,
    DecisionGate,
    JobsGate,
    RegistryGate,
    ResultGate,
)
from app.core.score.checks import (
    failed_at_least,
    files_of,
    observe_checks,
    observe_registry,
    tally_of,
)
from app.core.score.decision import observe_decision
from app.core.score.interval import point
from app.core.score.jobs import failed_too_often, observe_jobs, work_of
from app.core.score.observed import Observed, unknown, zero_or_one
from app.core.statement.capture import Capture, ChecksCapture, ClaimCapture, JobsCapture
from app.core.statement.protocol_document import Cell, ChecksCell, JobsCell
from app.core.statement.tally import Told


def observe_result(
    gate: ResultGate, capture: Capture, cell: Cell, *, failed: bool, broken: bool
) -> Observed:
    """Return what ``gate`` observes of one capture.

    Args:
        gate: what is demanded.
        capture: of the slot.
        cell: what was planned.
        failed: the server failed in this slot.
        broken: an integrity gate found another server in it.
    """
    seen = _seen(gate, capture, cell, failed=failed)
    if broken and not _stays_failed(gate, capture, seen):
        return unknown()
    return seen


def told_of(gate: ResultGate, capture: Capture, cell: Cell) -> Told | None:
    """Return what the capture reported, as far as the gate is about it; None: nothing."""
    match gate, capture, cell:
        case ChecksGate(), ChecksCapture(), ChecksCell():
            return Told(checks=tally_of(gate, cell, capture))
        case RegistryGate(), ChecksCapture(), _:
            return Told(files=files_of(gate, capture))
        case JobsGate(), JobsCapture(), JobsCell():
            return Told(jobs=work_of(capture, cell))
        case DecisionGate(), ClaimCapture(decision=str(decision)), _:
            return Told(decision=decision)
        case _:
            return None


def _seen(gate: ResultGate, capture: Capture, cell: Cell, *, failed: bool) -> Observed:
    match gate, capture, cell:
        case ChecksGate(), ChecksCapture(), ChecksCell():
            return observe_checks(gate, capture, cell, failed=failed)
        case RegistryGate(), ChecksCapture(), ChecksCell():
            return observe_registry(gate, capture, failed=failed)
        case JobsGate(), JobsCapture(), JobsCell():
            return observe_jobs(gate, capture, cell, failed=failed)
        case DecisionGate(), ClaimCapture(), _:
            return observe_decision(gate, capture)
        case _:
            return zero_or_one(value=False) if failed else unknown()


def _stays_failed(gate: ResultGate, capture: Capture, seen: Observed) -> bool:
    """Tell whether the demand is broken by failures that are there, whoever served the rest."""
    if seen.interval != point(0):
        return False
    match gate, capture:
        case ChecksGate(), ChecksCapture():
            return failed_at_least(capture) > 0
        case JobsGate(), JobsCapture():
            return failed_too_often(gate, capture)
        case _:
            return True
