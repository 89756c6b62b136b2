# SPDX-License-Identifier: Apache-2.0
"""What reported checks say (SCORING.md B5.13): what was skipped or left out was not tested.

Counts are those of the suites, and never fewer failures or skips than stand there by name. A suite
in which nothing passed or failed establishes nothing, whatever the exit status of its tool was.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from app.core.protocol.gate_results import ChecksGate, RegistryGate
from app.core.reason import Reason
from app.core.receipt.outcome_checks import is_counted
from app.core.score.interval import Truth
from app.core.score.observed import Observed, unknown, zero_or_one
from app.core.statement.capture import ChecksCapture, NamedResult, Suite
from app.core.statement.gate_record import RegisteredArtifact
from app.core.statement.protocol_document import ChecksCell
from app.core.statement.tally import CheckTally, FileTally, NotPassed


def observe_checks(
    gate: ChecksGate, capture: ChecksCapture, cell: ChecksCell, *, failed: bool
) -> Observed:
    """Return whether the checks of one capture are as demanded.

    Args:
        gate: what is demanded.
        capture: the facts.
        cell: which suites were planned.
        failed: the server failed in this slot, so that what did not run is its failure.
    """
    absent = Truth.FALSE if failed else Truth.OPEN
    truths = [
        _failures(gate, capture),
        _skips(gate, capture, cell),
        *(_tested(_suite(capture, name), absent) for name in cell.suites),
        *(_named(capture, name, absent) for name in gate.named),
    ]
    if not cell.suites and not gate.named:
        truths.append(Truth.OPEN)
    return _all_of(truths, Reason.NOT_TESTED)


def observe_registry(gate: RegistryGate, capture: ChecksCapture, *, failed: bool) -> Observed:
    """Return whether every registered file has the bytes that its registry says."""
    named = {each.id: each for each in capture.named}
    absent = Truth.FALSE if failed else Truth.OPEN
    truths = [_artifact(named.get(each.name), each, absent) for each in gate.artifacts]
    return _all_of(truths, Reason.NOT_TESTED)


def tally_of(gate: ChecksGate, cell: ChecksCell, capture: ChecksCapture) -> CheckTally:
    """Return the capture's counts; those of its names where it has no suites."""
    results = [each.result for each in capture.named]
    passed, failed = results.count("passed"), results.count("failed")
    counted: tuple[int | None, ...] = (passed, failed, len(results) - passed - failed)
    if capture.suites:
        counted = (
            _sum(suite.passed for suite in capture.suites),
            _sum(suite.failed for suite in capture.suites),
            _sum(suite.skipped for suite in capture.suites),
        )
    return CheckTally(
        passed=counted[0],
        failed=counted[1],
        not_tested=counted[2],
        suites=list(capture.suites),
        not_passed=list(_not_passed(gate, capture, cell)),
    )


def files_of(gate: RegistryGate, capture: ChecksCapture) -> list[FileTally]:
    """Return what was found under the name of each registered file."""
    named = {each.id: each for each in capture.named}
    found = ((each.name, named.get(each.name)) for each in gate.artifacts)
    return [
        FileTally(name=name, result=None, artifact=None)
        if one is None
        else FileTally(name=name, result=one.result, artifact=one.artifact)
        for name, one in found
    ]


def failed_at_least(capture: ChecksCapture) -> int:
    """Return how many checks are known to have failed."""
    counted = sum(suite.failed or 0 for suite in capture.suites)
    return max(counted, sum(each.result == "failed" for each in capture.named))


def _not_passed(gate: ChecksGate, capture: ChecksCapture, cell: ChecksCell) -> Iterator[NotPassed]:
    """Yield every name that did not pass, in the order of the names."""
    results = {each.id: each.result for each in capture.named}
    for name in sorted({*cell.named, *gate.named, *results}):
        result = results.get(name, "not_run")
        if result != "passed":
            yield NotPassed(id=name, result=result)


def _failures(gate: ChecksGate, capture: ChecksCapture) -> Truth:
    if failed_at_least(capture) > gate.max_failed:
        return Truth.FALSE
    unknown_count = any(suite.failed is None for suite in capture.suites)
    return Truth.OPEN if unknown_count else Truth.TRUE


def _skips(gate: ChecksGate, capture: ChecksCapture, cell: ChecksCell) -> Truth:
    """Return whether enough was tested; too many skips are no failure, and no success."""
    skipped = _sum(suite.skipped for suite in capture.suites)
    if skipped is None or max(skipped, _untested_names(capture, cell)) > gate.allowed_skips:
        return Truth.OPEN
    return Truth.TRUE


def _untested_names(capture: ChecksCapture, cell: ChecksCell) -> int:
    """Return how many names, reported or only planned, have neither passed nor failed."""
    tested = {each.id for each in capture.named if each.result in ("passed", "failed")}
    return len({*cell.named, *(each.id for each in capture.named)} - tested)


def _suite(capture: ChecksCapture, name: str) -> Suite | None:
    return next((each for each in capture.suites if each.name == name), None)


def _tested(suite: Suite | None, absent: Truth) -> Truth:
    if suite is None or not is_counted(suite):
        return absent
    if suite.passed is None or suite.failed is None:
        return Truth.OPEN
    return Truth.TRUE if suite.passed + suite.failed else Truth.OPEN


def _named(capture: ChecksCapture, name: str, absent: Truth) -> Truth:
    result = next((each.result for each in capture.named if each.id == name), "not_run")
    return {"passed": Truth.TRUE, "failed": Truth.FALSE, "not_run": absent}.get(result, Truth.OPEN)


def _artifact(result: NamedResult | None, registered: RegisteredArtifact, absent: Truth) -> Truth:
    """Return whether a file is the registered one; a check without a result has not looked."""
    if result is None or result.result == "not_run" or result.artifact is None:
        return absent
    if result.result == "skipped":
        return Truth.OPEN
    found = (result.artifact.sha256, result.artifact.size)
    is_registered = found == (registered.sha256, registered.size)
    return Truth.TRUE if is_registered and result.result == "passed" else Truth.FALSE


def _all_of(truths: Iterable[Truth], why: Reason) -> Observed:
    answer = Truth.TRUE
    for truth in truths:
        answer = answer.both(truth)
    return unknown(why) if answer is Truth.OPEN else zero_or_one(value=answer is Truth.TRUE)


def _sum(counts: Iterator[int | None]) -> int | None:
    known = list(counts)
    return None if None in known else sum(count or 0 for count in known)
