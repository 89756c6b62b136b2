# SPDX-License-Identifier: Apache-2.0
"""How many units a claim needs, if so many of them may exceed the limit."""

from __future__ import annotations

from fractions import Fraction

from app.core.score.binomial import at_most


def units_needed(p: Fraction, *, exceedances: int, confidence: Fraction) -> int:
    """Return the least n at which ``exceedances`` beyond the limit establish the ``p`` quantile."""
    alpha = 1 - confidence
    low, high = 0, exceedances + 1
    while at_most(high, exceedances, 1 - p) > alpha:
        low, high = high, 2 * high
    while low + 1 < high:
        middle = (low + high) // 2
        enough = at_most(middle, exceedances, 1 - p) <= alpha
        low, high = (low, middle) if enough else (middle, high)
    return high
