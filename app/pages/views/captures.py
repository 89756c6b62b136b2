# SPDX-License-Identifier: Apache-2.0
"""What captures recorded, kind by kind, where no plot of streams can show it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from app.core.statement.capture import (
    Capture,
    ChecksCapture,
    ClaimCapture,
    JobsCapture,
    StreamsCapture,
)
from app.core.statement.protocol_document import Cell as PlannedCell
from app.core.statement.protocol_document import ChecksCell, ClaimCell, JobsCell, StreamsCell
from app.pages.facts import StudyFacts
from app.pages.views.checks import checks_tables
from app.pages.views.decisions import decisions_tables
from app.pages.views.jobs import jobs_tables
from app.pages.views.observed import observed_tables
from app.pages.views.recorded import Recorded, recorded_in
from app.pages.views.table import Table

_TablesOf = Callable[[str, Sequence[Recorded]], list[Table]]

_BY_CELL: Final[tuple[tuple[type[PlannedCell], _TablesOf], ...]] = (
    (ChecksCell, checks_tables),
    (JobsCell, jobs_tables),
    (ClaimCell, decisions_tables),
)


_KINDS: Final[Mapping[type[Capture], str]] = {
    StreamsCapture: "Streams, each drawn and listed.",
    ChecksCapture: "Checks, by suite and by name. What was skipped or did not run is not tested.",
    JobsCapture: "Jobs: lanes of long work.",
    ClaimCapture: "Another tool's decision: a claim, counted only where a locked gate names its "
    "digests.",
}


def kind_text(capture: Capture) -> str:
    """Return in a line what kind of capture it is."""
    return _KINDS[type(capture)]


def study_captures(study: StudyFacts, captures: Mapping[str, Capture]) -> list[Table]:
    """Return the tables of a closed study's captures, every planned slot in them."""
    tables: list[Table] = []
    every: list[Recorded] = recorded_in(study, captures, StreamsCell)
    for kind, tables_of in _BY_CELL:
        lines = recorded_in(study, captures, kind)
        tables += tables_of(study.name, lines) if lines else []
        every += lines
    return [*tables, *observed_tables(study.name, every)]


def capture_tables(label: str, cell: PlannedCell, capture: Capture) -> list[Table]:
    """Return the tables of one capture; its streams have a plot instead."""
    lines = [Recorded(label, cell, capture)]
    return [*_tables(label, lines, capture), *observed_tables(label, lines)]


def _tables(label: str, lines: Sequence[Recorded], capture: Capture) -> list[Table]:
    match capture:
        case ChecksCapture():
            return checks_tables(label, lines)
        case JobsCapture():
            return jobs_tables(label, lines)
        case ClaimCapture():
            return decisions_tables(label, lines)
        case StreamsCapture():
            return []
