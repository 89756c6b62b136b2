# SPDX-License-Identifier: Apache-2.0
"""What came of one check of ``fairtrial doctor``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from app.runner.failures import Document


@dataclass(frozen=True, slots=True)
class Examined:
    """One line of a report.

    Attributes:
        name: what was checked.
        told: what was found, without any secret in it.
        todo: what to do; None: nothing.
    """

    level: Literal["ok", "warn", "fail"]
    name: str
    told: str
    todo: str | None = None

    @property
    def document(self) -> Document:
        """The line as JSON."""
        return {"check": self.name, "level": self.level, "told": self.told, "todo": self.todo}


def ok(name: str, told: str) -> Examined:
    """Return a line that leaves nothing to do."""
    return Examined("ok", name, told)


def warn(name: str, told: str, todo: str) -> Examined:
    """Return a line about what works and should not stay so."""
    return Examined("warn", name, told, todo)


def fail(name: str, told: str, todo: str) -> Examined:
    """Return a line about what does not work."""
    return Examined("fail", name, told, todo)
