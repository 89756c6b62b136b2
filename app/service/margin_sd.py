# SPDX-License-Identifier: Apache-2.0
"""A gate's margin as a distance in standard deviations of one unit, and back.

A ratio margin is a distance between logarithms. Above the control that is ``ln(1 + m)`` and below
it ``-ln(1 - m)``, which is more: a rate that may lose half lies farther away than a time that may
take half as long again. Numbers here are floats, because nothing is judged by them.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil, exp, expm1, inf, log, log1p
from typing import Final

from app.core.protocol.contrast import Contrast

_PLACES: Final = 10_000
_DOUBLE: Final = 2


def sd_to_margin(contrast: Contrast, spread: float) -> float:
    """Return how far the margin lies from the control; ``inf``: below anything that can be."""
    size = float(abs(contrast.margin.value))
    if contrast.margin.scale == "abs":
        return size / spread
    return _log(contrast, size) / spread


def sd_past_margin(contrast: Contrast, spread: float) -> float:
    """Return how far twice the margin lies beyond the margin."""
    size = float(abs(contrast.margin.value))
    if contrast.margin.scale == "abs":
        return size / spread
    twice = _log(contrast, 2 * size)
    return inf if twice == inf else (twice - _log(contrast, size)) / spread


def margin_to_sd(contrast: Contrast, sd: float, spread: float) -> Fraction | None:
    """Return the margin of a contrast's kind that lies so far from the control, rounded up.

    Of superiority, so far short of twice itself. None: no margin does.
    """
    distance = sd * spread
    if contrast.margin.scale == "abs":
        return _rounded_up(distance)
    better = contrast.claim == "superiority"
    if _is_above(contrast):
        if not better:
            return _rounded_up(expm1(distance))
        left = _DOUBLE - exp(distance)
        return _rounded_up(expm1(distance) / left) if left > 0 else None
    lost = -expm1(-distance)
    margin = _rounded_up(lost / (1 + lost) if better else lost)
    return margin if margin < 1 else None


def _is_above(contrast: Contrast) -> bool:
    """Tell whether the margin lies above the control; of an equivalence both sides are counted."""
    above = (contrast.margin.worse == "higher") == (contrast.margin.value > 0)
    return above or contrast.claim == "equivalence"


def _log(contrast: Contrast, size: float) -> float:
    if _is_above(contrast):
        return log1p(size)
    return -log(1 - size) if size < 1 else inf


def _rounded_up(value: float) -> Fraction:
    return Fraction(ceil(value * _PLACES), _PLACES)
