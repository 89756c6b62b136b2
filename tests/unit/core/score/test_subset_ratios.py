# SPDX-License-Identifier: Apache-2.0
"""The k-th ratio of all subsets, against a list of every one of them."""

from fractions import Fraction
from itertools import combinations
from random import Random

import pytest

from app.core.score import subset_ratios
from app.core.score.subset_ratios import kth_ratio


def listed(tops: tuple[int, ...], bottoms: tuple[int, ...]) -> list[Fraction | None]:
    """Return every subset's ratio, the greatest first; None: beyond any."""
    places = range(len(tops))
    subsets = [each for size in places for each in combinations(places, size + 1)]
    pairs = [(sum(tops[i] for i in each), sum(bottoms[i] for i in each)) for each in subsets]
    ratios = sorted((Fraction(top, bottom) for top, bottom in pairs if bottom), reverse=True)
    return [None] * (len(subsets) - len(ratios)) + list(ratios)


def pairs_of(seed: int, n: int, *, least: int = 0) -> tuple[tuple[int, ...], tuple[int, ...]]:
    random = Random(seed)
    bottoms = tuple(random.randint(least, 4) for _ in range(n))
    return tuple(random.randint(1, 9) for _ in range(n)), bottoms


@pytest.mark.parametrize("halved", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_kth_ratio_is_that_of_the_list(
    monkeypatch: pytest.MonkeyPatch, seed: int, *, halved: bool
) -> None:
    monkeypatch.setattr(subset_ratios, "_ALL_LISTED", 0 if halved else 12)
    monkeypatch.setattr(subset_ratios, "_WINDOW", 3)
    tops, bottoms = pairs_of(seed, 6)
    assert [kth_ratio(tops, bottoms, k) for k in range(1, 64)] == listed(tops, bottoms)
    tops, bottoms = pairs_of(seed, 6, least=1)
    below_zero = tuple(top - 5 for top in tops)
    for each in (tops, below_zero):
        least_first = listed(each, bottoms)[::-1]
        assert [kth_ratio(each, bottoms, -k) for k in range(1, 64)] == least_first


def test_kth_ratio_of_more_terms_than_are_listed_is_found_between_counts() -> None:
    random = Random(1)
    tops = tuple(random.randint(10**6, 2 * 10**6) for _ in range(14))
    bottoms = tuple(random.randint(10**6, 2 * 10**6) for _ in range(14))
    keys = subset_ratios._keys(tops, bottoms)
    for k in (1, 819, 2**13, 2**14 - 1):
        assert kth_ratio(tops, bottoms, k) == subset_ratios._ratio_of(keys[-k], bottoms)
        assert kth_ratio(tops, bottoms, -k) == subset_ratios._ratio_of(keys[k - 1], bottoms)


def test_terms_of_one_ratio_have_no_other_however_many_they_are() -> None:
    tops, bottoms = tuple(range(3, 45, 3)), tuple(range(2, 30, 2))
    assert {kth_ratio(tops, bottoms, k) for k in (1, -1, 800, -800)} == {Fraction(3, 2)}


def test_ratio_is_found_whose_neighbour_is_as_near_as_any_can_be() -> None:
    assert kth_ratio((14,), (15,), 1) == Fraction(14, 15)


def test_greatest_ratio_of_one_term_above_zero_is_found_between_counts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(subset_ratios, "_ALL_LISTED", 0)
    assert kth_ratio((3, -1), (2, 3), 1) == Fraction(3, 2)
    assert kth_ratio((-3, 1), (2, 3), -1) == Fraction(-3, 2)
