# SPDX-License-Identifier: Apache-2.0
"""The tests of SCORING.md computed once more, by definition and by other people's code.

Nothing here imports ``app.core.score``: units are pairs of ends, and every completion of a few open
ones is tried.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from math import inf

from scipy.stats import binomtest, mannwhitneyu

Ends = tuple[Fraction | float, Fraction | float]


def completions(units: Sequence[Ends]) -> Iterator[tuple[Fraction | float, ...]]:
    """Yield every completion at the ends of the units, and one in the middle where it is finite."""
    choices = []
    for lo, hi in units:
        middle = [] if inf in (lo, hi) else [(lo + hi) / 2]
        choices.append(list(dict.fromkeys([lo, *middle, hi])))
    return product(*choices)


def pairs_below(
    candidate: Sequence[Fraction | float], control: Sequence[Fraction | float], factor: Fraction
) -> tuple[int, int]:
    """Return how many pairs are strictly below and strictly above the moved control."""
    moved = [each if each == inf else each * factor for each in control]
    below = sum(one < other for one in candidate for other in moved)
    return below, sum(one > other for one in candidate for other in moved)


def u_chance(n: int, m: int, pairs: int) -> Fraction:
    """Return P(U >= pairs) from scipy, on made-up samples of that U without ties."""
    first = _sample_with(n, m, pairs)
    p = mannwhitneyu(first, list(range(m)), alternative="greater", method="exact").pvalue
    return Fraction(float(p))


def _sample_with(n: int, m: int, pairs: int) -> list[float]:
    """Return n values that beat the integers 0 to m-1 in so many pairs together."""
    full, rest = divmod(pairs, m)
    wins = [m] * full + ([rest] if full < n else []) + [0] * (n - full - 1)
    return [won - 0.5 + place / 1000 for place, won in enumerate(wins)]


def flip_chance(differences: Sequence[Fraction | float], *, up: bool) -> Fraction:
    """Return the share of all subsets whose sum is not below (not above) zero."""
    hits = 0
    for chosen in product((False, True), repeat=len(differences)):
        picked = [each for each, taken in zip(differences, chosen, strict=True) if taken]
        total = sum(picked, Fraction(0))
        hits += total >= 0 if up else total <= 0
    return Fraction(hits, 2 ** len(differences))


def share_chances(n: int, good: int, share: Fraction) -> tuple[float, float]:
    """Return P(Bin >= good) and P(Bin <= good) from scipy."""
    more = binomtest(good, n, float(share), alternative="greater").pvalue
    less = binomtest(good, n, float(share), alternative="less").pvalue
    return float(more), float(less)
