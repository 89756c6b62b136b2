# SPDX-License-Identifier: Apache-2.0
"""The badge: seven characters of the commit and one word; green stands for QUALIFIED alone."""

from __future__ import annotations

from typing import Final

from app.pages.charts.svg import Element, element

GREEN: Final = "#1a7f37"
RED: Final = "#b42318"
AMBER: Final = "#9a6700"
_COLOURS: Final = {"QUALIFIED": GREEN, "NOT_QUALIFIED": RED}
_PER_CHARACTER: Final = 7
_PADDING: Final = 12


def colour_of(word: str) -> str:
    """Return the colour of a word; every word that is not known is amber."""
    return _COLOURS.get(word, AMBER)


def draw_badge(label: str, message: str, *, colour: str) -> Element:
    """Return a badge; looks stand in attributes, since it travels without a style sheet."""
    left = _PADDING + _PER_CHARACTER * len(label)
    right = _PADDING + _PER_CHARACTER * len(message)
    return element(
        "svg",
        element("title", f"{label}: {message}"),
        element("rect", width=left, height=20, fill="#57606a"),
        element("rect", x=left, width=right, height=20, fill=colour),
        _word(label, left // 2),
        _word(message, left + right // 2),
        xmlns="http://www.w3.org/2000/svg",
        width=left + right,
        height=20,
        role="img",
    )


def _word(text: str, x: int) -> Element:
    return element(
        "text",
        text,
        x=x,
        y=14,
        fill="#ffffff",
        font_family="Verdana,sans-serif",
        font_size=11,
        text_anchor="middle",
    )
