# SPDX-License-Identifier: Apache-2.0
"""How much worse than its control a candidate may be, and the least p that a design can reach."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from math import comb
from typing import Final, Literal

MAX_UNITS: Final = 32
"""The most blocks, or units an arm, for which exact inference is offered: 2**32 subsets, halved."""

_LOGS: Final = Context(prec=60)
_MOST_EXACT: Final = 10_000


@dataclass(frozen=True, slots=True)
class Margin:
    """The distance from a control at which a candidate becomes worse (below zero: better enough).

    Attributes:
        value: a share of the control for ``ratio``, in the metric's unit for ``abs``.
        worse: which way is worse.
    """

    value: Fraction
    scale: Literal["abs", "ratio"]
    worse: Literal["higher", "lower"]

    def at(self, value: Fraction) -> Margin:
        """Return a margin of another value."""
        return Margin(value, self.scale, self.worse)

    def unsigned(self, value: Fraction | None = None) -> Margin:
        """Return the same distance above a control: what controls are held against."""
        return Margin(abs(self.value) if value is None else value, self.scale, "higher")


def least_rank_sum_p(n: int, m: int) -> Fraction:
    """Return the p of complete separation of ``n`` from ``m``: one order among all."""
    return Fraction(1, comb(n + m, n))


def least_sign_flip_p(n: int) -> Fraction:
    """Return the p of ``n`` blocks that all agree."""
    return Fraction(1, 2**n)


def least_quantile_n(p: Fraction, alpha: Fraction) -> int:
    """Return how many units without an exceedance establish a ``p`` quantile at ``alpha``.

    Logarithms to sixty digits say how many, at once: whoever asks to lint a protocol may write a
    ``p`` for which it takes billions. Where units can be planned, exact powers say it again.
    """
    n = max(1, int(_LOGS.divide(_ln(alpha), _ln(p))))
    if n > _MOST_EXACT:
        return n + 1
    while p**n > alpha:
        n += 1
    return n


def _ln(value: Fraction) -> Decimal:
    return _LOGS.ln(_LOGS.divide(value.numerator, value.denominator))


def alpha_of_attempt(alpha: Fraction, attempt: int) -> Fraction:
    """Return the part of ``alpha`` that attempt 1, 2 ... may spend; all parts add up to it."""
    return alpha * Fraction(4, 5**attempt)
