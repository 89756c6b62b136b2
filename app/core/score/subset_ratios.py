# SPDX-License-Identifier: Apache-2.0
"""The k-th greatest of the ratios of all subsets: sum of tops over sum of bottoms, exactly.

Few terms are listed. Of more, the margin is halved between two whose counts of subsets enclose k,
by the count of the test itself, until so few lie between that they are listed, or only one ratio.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Final

from app.core.score.sign_flip import count_reaching

_ALL_LISTED: Final = 12
_WINDOW: Final = 1024


def kth_ratio(tops: tuple[int, ...], bottoms: tuple[int, ...], k: int) -> Fraction | None:
    """Return the k-th greatest ratio of the subsets, the empty one left out, or -k the k-th least.

    Args:
        tops: whole numbers, above 0 where their bottom is 0.
        bottoms: whole numbers from 0 on; above 0 for a negative ``k``.
        k: from 1 to how many subsets there are.

    Returns:
        None: the bottoms of the k-th sum to 0, and its ratio is beyond any.
    """
    endless = 2 ** bottoms.count(0) - 1
    if k > 0 and k <= endless:
        return None
    if len(tops) <= _ALL_LISTED:
        keys = _keys(tops, bottoms)
        return _ratio_of(keys[endless - k if k > 0 else -k - 1], bottoms)
    if k > 0:
        return _between(tops, bottoms, k, endless)
    return -_between(tuple(-top for top in tops), bottoms, -k, 0)


def _bits(bottoms: Sequence[int]) -> int:
    """Return how many binary places tell any two of the ratios apart."""
    return 2 * sum(bottoms).bit_length() + 1


def _ratio_of(key: int, bottoms: Sequence[int]) -> Fraction:
    """Return the one ratio that begins with these binary places: no other is as near to them."""
    places = Fraction(2 * key + 1, 2 ** (_bits(bottoms) + 1))
    return places.limit_denominator(sum(bottoms))


@lru_cache(maxsize=64)
def _keys(tops: tuple[int, ...], bottoms: tuple[int, ...]) -> tuple[int, ...]:
    """Return all ratios in order, in binary places; those beyond any are left out."""
    bits = _bits(bottoms)
    sums = _sums(tops, bottoms)
    return tuple(sorted((top << bits) // bottom for top, bottom in sums if bottom))


def _sums(tops: Sequence[int], bottoms: Sequence[int]) -> list[tuple[int, int]]:
    sums = [(0, 0)]
    for top, bottom in zip(tops, bottoms, strict=True):
        sums += [(one + top, other + bottom) for one, other in sums]
    return sums


def _between(tops: tuple[int, ...], bottoms: tuple[int, ...], k: int, endless: int) -> Fraction:
    bits, whole = _bits(bottoms), [each for each in bottoms if each]
    keys = [(top << bits) // bottom for top, bottom in zip(tops, bottoms, strict=True) if bottom]
    low = min(keys)
    high = (sum(max(top, 0) for top in tops) << bits) // min(whole) + 1
    n_low, n_high = 2 ** len(tops) - 1, endless
    while high - low > 1 and n_low - n_high > _WINDOW:
        middle = (low + high) // 2
        n = _reached(tops, bottoms, middle, bits)
        if n >= k:
            low, n_low = middle, n
        else:
            high, n_high = middle, n
    if high - low == 1:
        return _ratio_of(low, bottoms)
    found = sorted(_window(tops, bottoms, low, high))
    return _ratio_of(found[n_high - k], bottoms)


def _reached(tops: Sequence[int], bottoms: Sequence[int], key: int, bits: int) -> int:
    """Return how many subsets have a ratio of at least these binary places."""
    pairs = zip(tops, bottoms, strict=True)
    return count_reaching(tuple((top << bits) - key * bottom for top, bottom in pairs)) - 1


def _window(tops: Sequence[int], bottoms: Sequence[int], low: int, high: int) -> Iterator[int]:
    """Yield the ratio, in binary places from ``low`` to below ``high``, of every subset in there.

    What a subset's tops exceed ``low`` times its bottoms by is below ``high - low`` times all
    bottoms; so each sum of one half meets only a stretch of the other's, in order.
    """
    bits, half = _bits(bottoms), len(tops) // 2
    beyond = (high - low) * sum(bottoms)
    right = sorted(
        ((top << bits) - low * bottom, top, bottom)
        for top, bottom in _sums(tops[half:], bottoms[half:])
    )
    for top, bottom in _sums(tops[:half], bottoms[:half]):
        over = (top << bits) - low * bottom
        for place in range(bisect_left(right, (-over,)), bisect_left(right, (beyond - over,))):
            _, other_top, other_bottom = right[place]
            if bottom + other_bottom:
                key = (top + other_top << bits) // (bottom + other_bottom)
                if key < high:
                    yield key
