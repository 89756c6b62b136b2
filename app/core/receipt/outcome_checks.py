# SPDX-License-Identifier: Apache-2.0
"""What a capture of checks says about its slot: which of the planned results are there.

Whether they are good is asked by gates. A check that was skipped was reported; one that did not run
was not.
"""

from __future__ import annotations

from app.core.reason import Reason
from app.core.receipt.faults import container_fault
from app.core.receipt.found import Found
from app.core.statement.capture import ChecksCapture, Suite
from app.core.statement.protocol_document import ChecksCell, ProtocolDocument


def found_in_checks(
    capture: ChecksCapture, cell: ChecksCell, *, document: ProtocolDocument
) -> Found:
    """Return what ``capture`` says."""
    fault = container_fault(capture, document.fault_table)
    return Found(
        complete=Reason.ALL_CHECKS_REPORTED,
        started=have_run(capture),
        faults=() if fault is None else (fault,),
        failures=(Reason.SERVER_FAULT,) if fault == "sut" else (),
        unfinished=Reason.CHECKS_NOT_REPORTED if not_reported(capture, cell) else None,
    )


def have_run(capture: ChecksCapture) -> bool:
    """Tell whether any check came to a result, or any number was reported."""
    return (
        any(map(is_counted, capture.suites))
        or any(each.result != "not_run" for each in capture.named)
        or any(each.value is not None for each in capture.values)
    )


def not_reported(capture: ChecksCapture, cell: ChecksCell) -> frozenset[str]:
    """Return the planned suites and named results of which the capture says nothing."""
    suites = {each.name for each in capture.suites if is_counted(each)}
    named = {each.id for each in capture.named if each.result != "not_run"}
    return frozenset((set(cell.suites) - suites) | (set(cell.named) - named))


def is_counted(suite: Suite) -> bool:
    """Tell whether anything of a suite was counted."""
    return any(count is not None for count in (suite.passed, suite.failed, suite.skipped))
