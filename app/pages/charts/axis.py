# SPDX-License-Identifier: Apache-2.0
"""A horizontal axis: exact positions of exact values, and ticks that a person can read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from app.core.verdict.numbers import plain
from app.pages.charts.svg import Element, element

_STEPS: Final = (1, 2, 5, 10)
_MOST_TICKS: Final = 7
_PER_CHARACTER: Final = 6
"""Pixels of one character of a label, rather more than less."""
_LABEL_ENDS: Final = 20


@dataclass(frozen=True, slots=True)
class Axis:
    """Values ``low`` to ``high`` over pixels ``left`` to ``right``."""

    low: Fraction
    high: Fraction
    left: int
    right: int

    def at(self, value: Fraction) -> Fraction:
        """Return where ``value`` lies, in pixels; what lies beyond an end is drawn at that end."""
        inside = min(max(value, self.low), self.high)
        return self.left + (inside - self.low) * (self.right - self.left) / (self.high - self.low)

    def ticks(self) -> list[Fraction]:
        """Return at most seven round values."""
        span = self.high - self.low
        power = Fraction(1)
        while power * 10 * _MOST_TICKS < span:
            power *= 10
        while power > span:
            power /= 10
        step = next((power * s for s in _STEPS if span <= power * s * _MOST_TICKS), power * 10)
        first = -(-self.low // step)
        return [step * n for n in range(first, int(self.high // step) + 1)]

    def drawn(self, top: int, bottom: int, *, unit: str) -> list[Element]:
        """Return grid lines and their numbers below ``bottom``."""
        parts: list[Element] = []
        for tick in self.ticks():
            x = self.at(tick)
            parts += [
                element("line", x1=x, x2=x, y1=top, y2=bottom, class_="grid"),
                element(
                    "text",
                    f"{plain(tick)} {unit}".strip(),
                    x=x, y=bottom + 14, class_="tick", text_anchor="middle",
                ),
            ]  # fmt: skip
        return parts


def margin_for(labels: Iterable[str]) -> int:
    """Return how many pixels the longest of ``labels`` needs beside the axis."""
    return _LABEL_ENDS + _PER_CHARACTER * max((len(label) for label in labels), default=0)


def axis_over(values: Iterable[Fraction], *, left: int, right: int) -> Axis:
    """Return an axis that holds all ``values`` and zero, with room at the upper end."""
    every = [Fraction(0), *values]
    low, high = min(every), max(every)
    if low == high:
        high = low + 1
    room = (high - low) / 20
    return Axis(low - room if low < 0 else low, high + room, left, right)
