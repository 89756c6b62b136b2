# SPDX-License-Identifier: Apache-2.0
"""From a report of checks to a ``checks`` capture: counts, and the results that a caller names.

The whole report becomes one suite under the caller's name, for a report's own names are free text
and a gate's are not. With cases that the report leaves unsaid that suite is not known: its counts
are null, and what is said stands beside it in a suite of its own, so that a failure is still a
failure and nothing unsaid can be taken for a pass. Of a report without a case nothing was counted,
so its counts are null too: no failure among no tests is not a good result.

Results by name are those that a caller lists; nothing derives an id from a test's name, so no two
names can meet in one id.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from app.core.errors import SchemaViolation
from app.core.statement.capture import (
    Artifact,
    ChecksCapture,
    Clock,
    NamedResult,
    Observations,
    Suite,
)
from app.importers.report import Case, Report

SAID: Final = "-said"
"""Ends the name of the suite of what is said, where not everything is."""

# Nothing in such a capture is timed; a report's own instants are seconds of a clock nobody names.
_CLOCK: Final = Clock(kind="wall", zero="slot_start", resolution_us=1_000_000)
_NOTHING_BESIDE: Final = Observations(counters=[], gauges=[], events=[], identities=[])


@dataclass(frozen=True, slots=True)
class Wanted:
    """A result that is taken by name.

    Attributes:
        id: the name that gates give it.
        case: ``classname::name`` of the case; None: the one case whose own name is ``id``.
        artifact: the file it is about.
    """

    id: str
    case: str | None
    artifact: Artifact | None

    def is_of(self, case: Case) -> bool:
        """Tell whether ``case`` is the one."""
        return case.name == self.id if self.case is None else case.id == self.case


@dataclass(frozen=True, slots=True)
class Imported:
    """A capture, and what a person should know before it is pushed."""

    capture: ChecksCapture
    remarks: tuple[str, ...]


def import_checks(report: Report, *, suite: str, named: Sequence[Wanted]) -> Imported:
    """Return the capture of a report.

    Args:
        report: what the tool says.
        suite: name of the suite that all its cases become.
        named: results to take by name, each id once.

    Raises:
        SchemaViolation: ``ambiguous-case``, several cases bear the name of one result.
    """
    results = [_named(one, report) for one in named]
    capture = ChecksCapture(
        schema="urn:fairtrial:capture:checks:v1",
        clock=_CLOCK,
        boot_id=None,
        suites=list(_suites(report, suite)),
        named=results,
        values=[],
        observations=_NOTHING_BESIDE,
    )
    return Imported(capture, tuple(_remarks(report, results)))


def _suites(report: Report, name: str) -> Iterator[Suite]:
    unsaid = report.count(None)
    if unsaid or not report.cases:
        yield Suite(name=name, passed=None, failed=None, skipped=None)
    if unsaid < len(report.cases):
        yield Suite(
            name=f"{name}{SAID}" if unsaid else name,
            passed=report.count("passed"),
            failed=report.count("failed"),
            skipped=report.count("skipped"),
        )


def _named(wanted: Wanted, report: Report) -> NamedResult:
    found = [case for case in report.cases if wanted.is_of(case)]
    if len(found) > 1:
        message = (
            f"{len(found)} test cases bear the name of {wanted.id}; name one as classname::name. "
            "Where the report repeats that too, the result is not one and is not taken."
        )
        raise SchemaViolation(message, code="ambiguous-case")
    result = found[0].result if found else None
    return NamedResult(id=wanted.id, result=result or "not_run", artifact=wanted.artifact)


def _remarks(report: Report, results: Sequence[NamedResult]) -> list[str]:
    remarks = []
    if not report.cases:
        remarks.append("The report has no test case: nothing was tested, and that is no pass.")
    elif report.count("skipped") == len(report.cases):
        remarks.append("Every test case was skipped: nothing was tested, and that is no pass.")
    if unsaid := report.count(None):
        remarks.append(
            f"{unsaid} test cases have a result in words that have no meaning here, so the counts "
            "of the suite are null."
        )
    remarks += [
        f"{one.id}: no case of the report gives a result; recorded as not_run."
        for one in results
        if one.result == "not_run"
    ]
    return remarks
