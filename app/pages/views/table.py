# SPDX-License-Identifier: Apache-2.0
"""A table as a value: what stands in each cell, where it leads, and how it is set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

NO_ROWS: Final = "none"
_LONG: Final = 24
"""A longer text in the fixed-width face is broken anywhere and asks for some room."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell.

    Attributes:
        text: what it says; never empty, an absence is said in words.
        href: where it leads on this service.
        tone: class of its text: a state's, ``code``, ``number``.
        note: a second, smaller line.
        note_href: where the note leads.
        below: a last line that leads nowhere.
    """

    text: str
    href: str | None = None
    tone: str = ""
    note: str | None = None
    note_href: str | None = None
    below: str | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """A table with a caption, one header a column, and row headers in its first column.

    Attributes:
        empty: said instead of the table when it has no rows.
    """

    caption: str
    headers: tuple[str, ...]
    rows: Sequence[tuple[Cell, ...]]
    empty: str = NO_ROWS


def code(text: str, href: str | None = None, *, note: str | None = None) -> Cell:
    """Return a cell set in the fixed-width face."""
    tone = "code long" if len(text) > _LONG else "code"
    return Cell(text, href, tone, note)


def state(
    text: str,
    *,
    note: str | None = None,
    note_href: str | None = None,
    below: str | None = None,
) -> Cell:
    """Return a cell that holds a state, set in that state's own tone."""
    return Cell(text, None, f"state state-{text.lower()}", note, note_href, below)


def number(text: str, *, note: str | None = None) -> Cell:
    """Return a cell whose figures are set for comparing down the column."""
    return Cell(text, None, "number", note)
