# SPDX-License-Identifier: Apache-2.0
"""Captures of kind ``checks`` as tables: suites, results by name with their files, and numbers.

A check that was skipped is called not tested here: it has no result, whatever a report's totals
make of it. No result has a colour; what a capture establishes is said by gates and nowhere else.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from app.core.statement.capture import ChecksCapture, NamedResult, ReportedValue
from app.core.statement.protocol_document import ChecksCell
from app.core.verdict.numbers import NOT_RECORDED, count_text
from app.pages.views.recorded import Recorded, Row, table_of
from app.pages.views.table import Cell, Table, code, number

_RESULTS: Final = {
    "passed": "passed",
    "failed": "failed",
    "skipped": "not tested (skipped)",
    "not_run": "not tested (not run)",
}
NOT_REPORTED: Final = "planned, and not reported"


def checks_tables(about: str, lines: Sequence[Recorded]) -> list[Table]:
    """Return the tables of what checks came to.

    Args:
        about: what they are of, for the captions.
        lines: receipts and slots of cells of checks.
    """
    tables = [
        table_of(
            lines,
            ChecksCapture,
            _suite_rows,
            caption=f"{about}: suites of checks, as counted in each capture.",
            headers=("Receipt", "Suite", "Passed", "Failed", "Not tested (skipped)"),
        )
    ]
    if any(_names(line) for line in lines):
        tables.append(
            table_of(
                lines,
                ChecksCapture,
                _named_rows,
                caption=f"{about}: results by name, each with the file it is about.",
                headers=("Receipt", "Check", "Result", "File, SHA-256", "File, size"),
            )
        )
    if any(isinstance(one.capture, ChecksCapture) and one.capture.values for one in lines):
        tables.append(
            table_of(
                lines,
                ChecksCapture,
                _value_rows,
                caption=f"{about}: numbers by name, as the tool reports them.",
                headers=("Receipt", "Number", "Unit", "Value"),
            )
        )
    return tables


def _names(line: Recorded) -> bool:
    planned = isinstance(line.cell, ChecksCell) and bool(line.cell.named)
    return planned or (isinstance(line.capture, ChecksCapture) and bool(line.capture.named))


def _suite_rows(line: Recorded, capture: ChecksCapture) -> Iterator[Row]:
    for suite in capture.suites:
        counts = (suite.passed, suite.failed, suite.skipped)
        yield (Cell(line.label), code(suite.name), *(number(count_text(one)) for one in counts))
    known = {suite.name for suite in capture.suites}
    for name in _planned(line, "suites"):
        if name not in known:
            missing = (Cell(NOT_REPORTED, tone="quiet") for _ in range(3))
            yield (Cell(line.label), code(name), *missing)


def _named_rows(line: Recorded, capture: ChecksCapture) -> Iterator[Row]:
    for one in capture.named:
        yield (Cell(line.label), code(one.id), Cell(_RESULTS[one.result]), *_file(one))
    known = {one.id for one in capture.named}
    for name in _planned(line, "named"):
        if name not in known:
            missing = (Cell(NOT_REPORTED, tone="quiet") for _ in range(3))
            yield (Cell(line.label), code(name), *missing)


def _file(result: NamedResult) -> tuple[Cell, Cell]:
    if result.artifact is None:
        return (Cell("none", tone="quiet"), Cell("none", tone="quiet"))
    return (code(result.artifact.sha256), number(f"{result.artifact.size:,} bytes"))


def _value_rows(line: Recorded, capture: ChecksCapture) -> Iterator[Row]:
    return ((Cell(line.label), *_value(one)) for one in capture.values)


def _value(one: ReportedValue) -> tuple[Cell, Cell, Cell]:
    said = NOT_RECORDED if one.value is None else one.value
    return (code(one.name), Cell(one.unit), number(said))


def _planned(line: Recorded, member: str) -> list[str]:
    """Return what the plan names; a cell of another kind names nothing of checks."""
    if not isinstance(line.cell, ChecksCell):
        return []
    return line.cell.suites if member == "suites" else line.cell.named
