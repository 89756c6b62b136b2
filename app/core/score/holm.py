# SPDX-License-Identifier: Apache-2.0
"""Several claims of which any may hold, or any may fail: Holm's step-down (SCORING.md B8)."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction


def holm(p_values: Sequence[Fraction]) -> tuple[Fraction, ...]:
    """Return the adjusted p-values, in the order given; each is held against the whole alpha."""
    adjusted = [Fraction(1)] * len(p_values)
    so_far = Fraction(0)
    ranked = sorted(range(len(p_values)), key=p_values.__getitem__)
    for rank, index in enumerate(ranked):
        so_far = max(so_far, (len(p_values) - rank) * p_values[index])
        adjusted[index] = min(so_far, Fraction(1))
    return tuple(adjusted)


def rejected(adjusted: Sequence[Fraction], alpha: Fraction) -> tuple[bool, ...]:
    """Return which claims are established at ``alpha``."""
    return tuple(each <= alpha for each in adjusted)
