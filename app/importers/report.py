# SPDX-License-Identifier: Apache-2.0
"""What a report of checks says, whatever tool wrote it: cases, each with the result it proves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Result = Literal["passed", "failed", "skipped"]


@dataclass(frozen=True, slots=True)
class Case:
    """One test case.

    Attributes:
        classname: what tells cases of one name apart; empty where the report gives none.
        name: its own name.
        result: None: the report does not say it in words that have a meaning.
    """

    classname: str
    name: str
    result: Result | None

    @property
    def id(self) -> str:
        """``classname::name``."""
        return f"{self.classname}::{self.name}"


@dataclass(frozen=True, slots=True)
class Report:
    """All cases in document order, those that stand twice included."""

    cases: tuple[Case, ...]

    def count(self, result: Result | None) -> int:
        """Return how many cases have ``result``."""
        return sum(case.result == result for case in self.cases)
