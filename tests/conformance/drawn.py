# SPDX-License-Identifier: Apache-2.0
"""Samples for a second computation: drawn from a seed, some of their units without an end."""

from collections.abc import Sequence
from fractions import Fraction
from math import inf
from random import Random

from app.core.protocol.gate import Domain
from app.core.score.interval import INFINITY, Interval, finite
from app.core.score.observed import Absence, Basis, Observed, absent
from app.core.score.sample import Sample
from tests.conformance.brute_force import (
    Ends,
)

FROM_ZERO = Domain(Fraction(0), None)
NEAR = 1e-9


def unit(ends: Ends) -> Observed:
    lo, hi = ends
    if (lo, hi) == (0, inf):
        return absent(Absence.CAPTURE_MISSING)
    top = INFINITY if isinstance(hi, float) else finite(hi)
    low = INFINITY if isinstance(lo, float) else finite(lo)
    basis = Basis.EXACT if lo == hi else Basis.CENSORED
    return Observed(Interval(low, top), basis)


def sample(units: Sequence[Ends]) -> Sample:
    return Sample(tuple(unit(each) for each in units), FROM_ZERO)


def drawn(random: Random, n: int, *, open_units: int) -> list[Ends]:
    """Draw a few numbers on a coarse grid, so that ties and values at the margin are common."""
    units: list[Ends] = []
    for index in range(n):
        value = Fraction(random.randint(80, 120), 10)
        kind = random.choice(("censored", "missing", "bounded", "never"))
        match kind if index < open_units else "exact":
            case "censored":
                units.append((value, inf))
            case "missing":
                units.append((Fraction(0), inf))
            case "bounded":
                units.append((value, value + 2))
            case "never":
                units.append((inf, inf))
            case _:
                units.append((value, value))
    random.shuffle(units)
    return units
