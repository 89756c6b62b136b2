# SPDX-License-Identifier: Apache-2.0
"""The least units for a margin, and the least margin for units, with which a claim decides.

Shares are searched exactly. Comparisons are simulated with one seed throughout, so that the same
draws meet every margin and a wider one never decides less often.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Final

from app.core.protocol.margin import MAX_UNITS, least_quantile_n, least_rank_sum_p
from app.core.protocol.margin import least_sign_flip_p as least_flip_p
from app.service.estimate_power import Comparing, chance_to_pass, share_chance

WANTED: Final = Fraction(4, 5)
"""The chance to PASS with which a claim is said to decide: that of W_UNDERPOWERED."""
SEARCH_RUNS: Final = 1000
_MOST_UNITS: Final = 1000
_WIDEST_SD: Final = 16.0
_STEPS: Final = 12


def least_units(of: Comparing, *, seed: int) -> int | None:
    """Return the fewest units, an arm or block, that decide.

    None: not even as many as exact inference is offered for.
    """
    least_p = least_flip_p if of.design == "blocks" else lambda n: least_rank_sum_p(n, n)
    too_few = max((n for n in range(1, MAX_UNITS + 1) if least_p(n) > of.alpha), default=0)
    enough = MAX_UNITS
    if too_few == MAX_UNITS or _chance(replace(of, n=enough), seed) < WANTED:
        return None
    while enough - too_few > 1:
        n = (too_few + enough) // 2
        if _chance(replace(of, n=n), seed) >= WANTED:
            enough = n
        else:
            too_few = n
    return enough


def least_margin_sd(of: Comparing, *, seed: int) -> float | None:
    """Return the least margin, in standard deviations of one unit, that so many units decide.

    None: no margin does; so few units never PASS.
    """
    low, high = 0.0, _WIDEST_SD
    if _chance(replace(of, margin_sd=high), seed) < WANTED:
        return None
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if _chance(replace(of, margin_sd=middle), seed) >= WANTED:
            high = middle
        else:
            low = middle
    return high


def least_share_units(*, share: Fraction, alpha: Fraction, good: Fraction) -> int | None:
    """Return, exactly, the fewest units that decide; None: no cell can plan as many."""
    n = least_quantile_n(share, alpha)
    while n <= _MOST_UNITS and good > share:
        if share_chance(n=n, share=share, alpha=alpha, good=good) >= WANTED:
            return n
        n += 1
    return None


def greatest_share(*, n: int, alpha: Fraction, good: Fraction) -> Fraction | None:
    """Return the greatest share, in thousandths, that so many units establish; None: none."""
    low, high = 0, 1000
    while high - low > 1:
        middle = (low + high) // 2
        share = Fraction(middle, 1000)
        if share_chance(n=n, share=share, alpha=alpha, good=good) >= WANTED:
            low = middle
        else:
            high = middle
    return Fraction(low, 1000) or None


def _chance(of: Comparing, seed: int) -> float:
    return chance_to_pass(of, seed=seed, runs=SEARCH_RUNS)
