# SPDX-License-Identifier: Apache-2.0
"""How likely a design decides: shares exactly, comparisons by a simulation that names its seed.

A unit's value is taken as normal, or for ratio margins as log-normal, around its control's with the
spread of a pilot. That a candidate is as good as its control is what is simulated: the chance is
that of a PASS. Drift, censoring and missing units make it smaller. Nothing here scores anything.
"""

from __future__ import annotations

import random
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import comb, cos, pi, sin, sqrt
from typing import Final, Literal

from app.core.score.rank_sum import needed_pairs

RUNS: Final = 2000
"""Simulated studies; the standard error of a chance is at most 0.011."""
MOST_BLOCKS: Final = 16
"""Blocks up to which all subsets are counted; of more, Student's test stands for the count."""
_HALVINGS: Final = 60


@dataclass(frozen=True, slots=True)
class Comparing:
    """A comparison's numbers.

    Attributes:
        design: blocks, one control by ranks, or a control and its return by ranks.
        n: blocks, or units an arm.
        margin_sd: the margin in standard deviations of one unit.
        alpha: what the attempt may spend.
        two_sided: it must be neither worse nor better by the margin: an equivalence.
    """

    design: Literal["blocks", "single", "bracket"]
    n: int
    margin_sd: float
    alpha: Fraction
    two_sided: bool = False


def chance_to_pass(of: Comparing, *, seed: int, runs: int = RUNS) -> float:
    """Return the chance that a candidate equal to its control passes."""
    if of.design == "blocks":
        passes = sum(_blocks_pass(of, apart) for apart in _blocks(of.n, seed, runs))
    else:
        worst = most_unfavourable(of.n, of.alpha)
        draw = _seeded(seed)
        passes = 0 if worst is None else sum(_ranks_pass(of, draw, worst) for _ in range(runs))
    return passes / runs


def _seeded(seed: int) -> random.Random:
    return random.Random(seed)  # noqa: S311  a simulation that anybody can repeat, and no secret


def share_chance(*, n: int, share: Fraction, alpha: Fraction, good: Fraction) -> Fraction:
    """Return, exactly, the chance that a share gate passes where ``good`` of all units are good."""
    most_bad = -1
    claimed = share**n
    while claimed <= alpha:
        most_bad += 1
        bad = most_bad + 1
        claimed += comb(n, bad) * (1 - share) ** bad * share ** (n - bad)
    return sum(
        (comb(n, bad) * (1 - good) ** bad * good ** (n - bad) for bad in range(most_bad + 1)),
        Fraction(0),
    )


def most_unfavourable(n: int, alpha: Fraction) -> int | None:
    """Return how many of the n x n pairs may speak against a candidate; None: not even none."""
    wanted = needed_pairs(n, n, alpha)
    return None if wanted is None else n * n - wanted


def _ranks_pass(of: Comparing, draw: random.Random, worst: int) -> bool:
    candidate = [draw.gauss(0, 1) for _ in range(of.n)]
    controls = [
        [draw.gauss(0, 1) for _ in range(of.n)] for _ in range(1 if of.design == "single" else 2)
    ]
    sides = (1, -1) if of.two_sided else (1,)
    return all(
        _unfavourable(sorted(side * each - of.margin_sd for each in candidate), control, side)
        <= worst
        for control in controls
        for side in sides
    )


def _unfavourable(candidate: Sequence[float], control: Sequence[float], side: int) -> int:
    """Return how many pairs have the candidate, its margin taken off, above a control."""
    return sum(len(candidate) - bisect_left(candidate, side * each) for each in control)


@lru_cache(maxsize=2)
def _blocks(n: int, seed: int, runs: int) -> Sequence[Sequence[float]]:
    """Return by how much candidates stand above controls; a search asks for the same again."""
    draw = _seeded(seed)
    return [[draw.gauss(0, 1) - draw.gauss(0, 1) for _ in range(n)] for _ in range(runs)]


def _blocks_pass(of: Comparing, apart: Sequence[float]) -> bool:
    """Tell whether the exact sign-flip passes blocks of a candidate and a control slot."""
    sides = (1, -1) if of.two_sided else (1,)
    return all(_flips_pass([side * each - of.margin_sd for each in apart], of) for side in sides)


def _flips_pass(differences: Sequence[float], of: Comparing) -> bool:
    if of.n > MOST_BLOCKS:
        length = sqrt(sum(each**2 for each in differences))
        return sum(differences) <= -length * critical_sum(of.n, float(of.alpha))
    allowed = of.alpha * (1 << of.n)
    # Every subset of those that are not negative counts, the empty one too; often that decides.
    certain = 1 << sum(each >= 0 for each in differences)
    if certain == 1 or certain > allowed:
        return certain <= allowed
    half = of.n // 2
    left, right = _subset_sums(differences[:half]), sorted(_subset_sums(differences[half:]))
    above = sum(len(right) - bisect_left(right, -one) for one in left)
    return above <= allowed


@lru_cache(maxsize=64)
def critical_sum(n: int, alpha: float) -> float:
    """Return the sum of ``n`` differences over their length that is passed with chance ``alpha``.

    Of normal differences about 0 any direction is equally likely, so the sine of Student's angle is
    this sum over the root of ``n``; and the share of sign flips beyond it is ``alpha`` on average.
    """
    low, high = 0.0, pi / 2
    for _ in range(_HALVINGS):
        angle = (low + high) / 2
        if _beyond_angle(angle, n - 1) > alpha:
            low = angle
        else:
            high = angle
    return sqrt(n) * sin(high)


def _beyond_angle(angle: float, freedom: int) -> float:
    """Return the chance that Student's t is beyond ``tan(angle) * sqrt(freedom)``.

    Abramowitz and Stegun, 26.7.3 and 26.7.4: a finite sum in the cosine.
    """
    if freedom % 2:
        term, total, first = cos(angle), cos(angle), 3
    else:
        term, total, first = 1.0, 1.0, 2
    for step in range(first, freedom - 1, 2):
        factor = (step - 1) / step
        term *= factor * cos(angle) ** 2
        total += term
    inside = sin(angle) * total
    if freedom % 2:
        inside = 2 / pi * (angle + inside)
    return (1 - inside) / 2


def _subset_sums(values: Sequence[float]) -> list[float]:
    sums = [0.0]
    for value in values:
        sums += [each + value for each in sums]
    return sums
