# SPDX-License-Identifier: Apache-2.0
"""Streams of slots on one clock: submitted, first and last content, end, or where looking stopped.

One row per stream; a planned slot without a capture has a row too, with its state in words. An
unfinished stream ends in an open arrow where it was last watched; an instant that was not recorded
is not drawn, and what was never submitted stands hollow on the rail.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from app.pages.charts.axis import Axis, axis_over, margin_for
from app.pages.charts.svg import Element, drawing, element

_AXIS: Final = 450
_RAIL: Final = 505
_WIDTH: Final = 560
"""Pixels right of the labels: the axis' length, the rail, and the whole."""
_TOP: Final = 26
_STEP: Final = 18
_MICRO: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Span:
    """One stream, or one slot that has none; instants in microseconds from the slot's start.

    Attributes:
        label: slot, attempt, role.
        note: stands in the row of a slot without a capture.
        observed_until: where looking stopped, for a stream that did not end.
    """

    label: str
    said: str
    note: str | None = None
    submitted: int | None = None
    first_content: int | None = None
    last_content: int | None = None
    settled: int | None = None
    observed_until: int | None = None


def draw_timeline(title: str, spans: Sequence[Span]) -> Element:
    """Return the plot."""
    bottom = _TOP + _STEP * len(spans)
    left = margin_for(span.label for span in spans)
    instants = [_s(v) for span in spans for v in _instants(span)]
    axis = axis_over(instants, left=left, right=left + _AXIS)
    rail = left + _RAIL
    parts = [
        *axis.drawn(_TOP, bottom, unit="s"),
        element("line", x1=rail, x2=rail, y1=_TOP, y2=bottom, class_="rail"),
        element("text", "no value", x=rail, y=_TOP - 8, class_="tick", text_anchor="middle"),
    ]
    for number, span in enumerate(spans):
        y = _TOP + _STEP * number + _STEP // 2
        parts.append(element("text", span.label, x=left - 10, y=y + 4, class_="label"))
        parts.append(
            element("g", element("title", f"{span.label}: {span.said}"), *_row(span, axis, y))
        )
    return drawing(*parts, width=left + _WIDTH, height=bottom + 24, title=title)


def _row(span: Span, axis: Axis, y: int) -> list[Element]:
    rail = axis.left + _RAIL
    if span.submitted is None:
        note = "not submitted" if span.note is None else span.note
        return [
            element("text", note, x=rail - 12, y=y + 4, class_="rail-text", text_anchor="end"),
            element("circle", cx=rail, cy=y, r=5, class_="hollow"),
        ]
    parts = []
    start = axis.at(_s(span.submitted))
    end = span.settled if span.settled is not None else span.observed_until
    if end is not None:
        parts.append(element("line", x1=start, x2=axis.at(_s(end)), y1=y, y2=y, class_="watched"))
    if span.first_content is not None and span.last_content is not None:
        first, last = axis.at(_s(span.first_content)), axis.at(_s(span.last_content))
        parts.append(
            element("rect", x=first, y=y - 4, width=max(last - first, Fraction(2)), height=8,
                    class_="content")
        )  # fmt: skip
    parts.append(element("line", x1=start, x2=start, y1=y - 6, y2=y + 6, class_="submitted"))
    if span.first_content is None:
        # Nothing came, or its instant was not recorded: no value, so the rail.
        parts.append(element("circle", cx=rail, cy=y, r=5, class_="hollow"))
    if span.settled is None and end is not None:
        tip = round(axis.at(_s(end))) + 9
        parts.append(
            element("path", d=f"M {tip - 9} {y} H {tip} M {tip - 6} {y - 5} L {tip} {y} "
                    f"L {tip - 6} {y + 5}", class_="arrow")
        )  # fmt: skip
    return parts


def _instants(span: Span) -> list[int]:
    every = (
        span.submitted,
        span.first_content,
        span.last_content,
        span.settled,
        span.observed_until,
    )
    return [instant for instant in every if instant is not None]


def _s(micros: int) -> Fraction:
    return Fraction(micros, _MICRO)
