# SPDX-License-Identifier: Apache-2.0
"""Pages that are a heading, lines, tables and texts: everything but the page of a head."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from starlette.responses import Response

from app.pages.render import page
from app.pages.views.streams import StreamsPlot
from app.pages.views.table import Table

Crumb = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Section:
    """A part of such a page.

    Attributes:
        text: set as it is, in the fixed-width face; None: nothing.
    """

    heading: str = ""
    lines: Sequence[str] = ()
    tables: Sequence[Table] = ()
    plots: Sequence[StreamsPlot] = ()
    text: str | None = None


@dataclass(frozen=True, slots=True)
class Sheet:
    """The whole page."""

    heading: str
    lines: Sequence[str] = ()
    sections: Sequence[Section] = ()
    crumbs: Sequence[Crumb] = field(default_factory=tuple)


def sheet_page(sheet: Sheet, *, headers: Mapping[str, str] | None = None) -> Response:
    """Return the page."""
    context = {
        "title": sheet.heading,
        "heading": sheet.heading,
        "lines": sheet.lines,
        "sections": sheet.sections,
        "crumbs": sheet.crumbs,
    }
    return page("tables.html.j2", context, headers=headers)
