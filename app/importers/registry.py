# SPDX-License-Identifier: Apache-2.0
"""The tools whose reports are read: a closed list, one file a tool."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from app.importers.junit import read_junit
from app.importers.report import Report


class ToolName(StrEnum):
    """Whose report it is."""

    JUNIT = "junit"


@dataclass(frozen=True, slots=True)
class Importer:
    """How one tool's reports are read.

    Attributes:
        reads: what it takes, in a line.
        read: from a file's bytes to the cases in it.
    """

    reads: str
    read: Callable[[bytes], Report]


IMPORTERS: Final[Mapping[ToolName, Importer]] = {
    ToolName.JUNIT: Importer(
        "JUnit XML, as pytest, Gradle, Surefire, CTest and googletest write it", read_junit
    ),
}
