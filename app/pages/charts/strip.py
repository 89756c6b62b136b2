# SPDX-License-Identifier: Apache-2.0
"""Every planned unit of one gate on its own row: value, interval, open arrow, or the rail.

What was not measured has no place on the value axis. It stands hollow on a rail of its own to the
right, so that no reader takes an absence for a zero, and nothing is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Literal

from app.pages.charts.axis import Axis, axis_over, margin_for
from app.pages.charts.svg import Element, drawing, element

Mark = Literal["value", "interval", "censored", "never", "none"]

_AXIS: Final = 450
_NEVER: Final = 500
_NONE: Final = 560
_WIDTH: Final = 610
"""Pixels right of the labels: the axis' length, the two rails, and the whole."""
_TOP: Final = 30
_NARROW: Final = 8
"""An interval of fewer pixels, a reading's resolution mostly, is drawn as a dot."""
_LABELLED: Final = 80
"""Up to so many rows are tall enough for a label; beyond, the table below names them."""


@dataclass(frozen=True, slots=True)
class Row:
    """One planned unit.

    Attributes:
        label: what it is.
        mark: how it is drawn.
        low: lower end, of ``value``, ``interval`` and ``censored``.
        high: upper end, of ``interval``.
        said: the whole in words, for its tooltip.
    """

    label: str
    mark: Mark
    low: Fraction | None
    high: Fraction | None
    said: str


@dataclass(frozen=True, slots=True)
class Strip:
    """A plot of a gate's units against its limit."""

    title: str
    unit: str
    limit: Fraction | None
    limit_text: str
    rows: Sequence[Row]


def draw_strip(strip: Strip) -> Element:
    """Return the plot."""
    step = 18 if len(strip.rows) <= _LABELLED else 6
    bottom = _TOP + step * len(strip.rows)
    left = margin_for(row.label for row in strip.rows)
    values = [v for row in strip.rows for v in (row.low, row.high) if v is not None]
    limit = [] if strip.limit is None else [strip.limit]
    axis = axis_over(values + limit, left=left, right=left + _AXIS)
    parts = [*axis.drawn(_TOP, bottom, unit=strip.unit), *_rails(left, bottom)]
    if strip.limit is not None:
        parts += _limit(axis.at(strip.limit), strip.limit_text, bottom)
    for number, row in enumerate(strip.rows):
        y = _TOP + step * number + step // 2
        if step >= 12:
            parts.append(element("text", row.label, x=left - 10, y=y + 4, class_="label"))
        parts.append(_mark(row, axis, y))
    return drawing(*parts, width=left + _WIDTH, height=bottom + 24, title=strip.title)


def _rails(left: int, bottom: int) -> list[Element]:
    parts = []
    for x, name in ((left + _NEVER, "never"), (left + _NONE, "no value")):
        parts += [
            element("line", x1=x, x2=x, y1=_TOP, y2=bottom, class_="rail"),
            element("text", name, x=x, y=_TOP - 8, class_="tick", text_anchor="middle"),
        ]
    return parts


def _limit(x: Fraction, text: str, bottom: int) -> list[Element]:
    return [
        element("line", x1=x, x2=x, y1=_TOP - 4, y2=bottom, class_="limit"),
        element(
            "text", f"limit {text}", x=x, y=_TOP - 8, class_="limit-text", text_anchor="middle"
        ),
    ]


def _mark(row: Row, axis: Axis, y: int) -> Element:
    said = element("title", f"{row.label}: {row.said}")
    low = axis.at(Fraction(0) if row.low is None else row.low)
    match row.mark:
        case "value":
            return element("circle", said, cx=low, cy=y, r=5, class_="dot")
        case "interval":
            high = axis.at(Fraction(0) if row.high is None else row.high)
            if high - low < _NARROW:
                return element("circle", said, cx=(low + high) / 2, cy=y, r=5, class_="dot")
            return element("line", said, x1=low, x2=high, y1=y, y2=y, class_="span")
        case "censored":
            # An open arrow: the value lies somewhere from here on, and the plot does not say where.
            tip = axis.right + 8
            shaft = (
                f"M {_rounded(low)} {y} H {tip} M {tip - 7} {y - 5} L {tip} {y} L {tip - 7} {y + 5}"
            )
            return element("path", said, d=shaft, class_="arrow")
        case "never":
            x = axis.left + _NEVER
            cross = f"M {x - 4} {y - 4} l 8 8 m -8 0 l 8 -8"
            return element("path", said, d=cross, class_="never")
        case "none":
            return element("circle", said, cx=axis.left + _NONE, cy=y, r=5, class_="hollow")


def _rounded(value: Fraction) -> int:
    return round(value)
