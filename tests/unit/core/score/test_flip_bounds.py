# SPDX-License-Identifier: Apache-2.0
"""Where the sign-flip test turns, worked by hand, and where there is no such number."""

from fractions import Fraction

import pytest

from app.core.protocol.margin import Margin
from app.core.score.flip_bounds import MOST_BOUNDED, Scale, limit_of, undecided_margins
from app.core.score.interval import INFINITY, NEGATIVE_INFINITY, End, Interval, finite, point

ALPHAS = (Fraction(1, 20), Fraction(1, 20))


def bounds(
    worse: list[Interval],
    better: list[Interval],
    scale: Scale = "ratio",
    *,
    alpha: Fraction = ALPHAS[0],
) -> Interval:
    pairs = list(zip(worse, better, strict=True))
    got = undecided_margins(pairs, pairs, scale=scale, alphas=(alpha, alpha))
    assert got is not None
    return got


def five(value: int) -> list[Interval]:
    return [point(value)] * 5


def test_five_blocks_turn_at_their_greatest_and_their_least_ratio() -> None:
    """Of 32 subsets alpha .05 allows one, the empty one: so the first of the others decides."""
    worse = [point(each) for each in (8, 9, 10, 11, 12)]
    got = bounds(worse, five(10))
    assert (got.lo, got.hi) == (finite(Fraction(4, 5)), finite(Fraction(6, 5)))
    assert not got.lo_open
    assert not got.hi_open


def test_distance_turns_at_a_mean_of_differences() -> None:
    worse = [point(each) for each in (8, 9, 10, 11, 12)]
    got = bounds(worse, five(10), "abs")
    assert (got.lo, got.hi) == (finite(-2), finite(2))


def test_four_blocks_leave_every_margin_undecided() -> None:
    assert bounds(five(1)[:4], five(1)[:4]) == Interval(finite(0), INFINITY)
    assert bounds(five(1)[:4], five(1)[:4], "abs") == Interval(NEGATIVE_INFINITY, INFINITY)


def test_an_open_end_is_decided_at_itself() -> None:
    censored = Interval(finite(30), INFINITY, lo_open=True, hi_open=True)
    got = bounds([censored] * 5, five(10))
    assert (got.lo, got.lo_open, got.hi) == (finite(3), True, INFINITY)
    got = bounds(five(30), [censored] * 5)
    assert (got.hi, got.hi_open, got.lo) == (finite(1), True, finite(0))


def test_one_failure_among_five_blocks_leaves_no_upper_bound() -> None:
    never = Interval(INFINITY, INFINITY)
    assert bounds([*five(1)[:4], never], five(1)).hi == INFINITY
    assert bounds([*five(1)[:4], never], five(1)).lo == finite(1)
    assert bounds([never] * 5, five(1)).lo == INFINITY
    assert bounds(five(1), [never] * 5).hi == finite(0)
    assert bounds(five(1), [never] * 5, "abs").hi == NEGATIVE_INFINITY


def test_a_control_that_may_be_nothing_leaves_no_upper_bound() -> None:
    unknown = Interval(finite(0), finite(1))
    got = bounds(five(1), [*five(1)[:4], unknown])
    assert (got.hi, got.hi_open) == (INFINITY, False)


def test_values_between_whole_numbers_turn_at_their_own_ratio() -> None:
    worse = [point(Fraction(each, 2)) for each in (8, 9, 10, 11, 12)]
    got = bounds(worse, [point(Fraction(10, 3))] * 5)
    assert (got.lo, got.hi) == (finite(Fraction(6, 5)), finite(Fraction(9, 5)))
    got = bounds(worse, [point(Fraction(10, 3))] * 5, "abs")
    assert (got.lo, got.hi) == (finite(Fraction(2, 3)), finite(Fraction(8, 3)))


def test_a_failure_counts_as_a_block_where_alpha_allows_its_subsets() -> None:
    never = Interval(INFINITY, INFINITY)
    got = bounds([point(3), never], [point(2)] * 2, alpha=Fraction(3, 4))
    assert (got.hi, got.hi_open) == (finite(Fraction(3, 2)), False)


def test_half_of_all_subsets_turn_at_the_ratio_in_the_middle() -> None:
    got = bounds([point(each) for each in (1, 2, 4, 8)], five(1)[:4], alpha=Fraction(1, 2))
    assert got == point(Fraction(15, 4))


def test_alpha_that_allows_every_subset_of_numbers_decides_every_margin() -> None:
    never = Interval(INFINITY, INFINITY)
    got = bounds(five(1), [*five(1)[:4], never], alpha=Fraction(1, 2))
    assert got.hi == finite(0)
    assert not got.hi_open
    got = bounds([*five(1)[:4], never], five(1), alpha=Fraction(1, 2))
    assert got.lo == INFINITY
    assert not got.lo_open


def test_an_open_end_among_others_is_decided_at_itself_on_its_own_side() -> None:
    opens = [
        Interval(finite(each), finite(each + 2), lo_open=True, hi_open=True)
        for each in (8, 9, 10, 11, 12)
    ]
    got = bounds(opens, five(10))
    assert (got.lo, got.lo_open) == (finite(Fraction(4, 5)), True)
    assert (got.hi, got.hi_open) == (finite(Fraction(7, 5)), True)


def test_an_open_end_just_beyond_a_closed_one_is_still_reached_there() -> None:
    top = Interval(finite(1), finite(2), hi_open=True)
    low = Interval(finite(1), finite(2), lo_open=True)
    got = bounds([top, point(1)], [point(1)] * 2, alpha=Fraction(3, 4))
    assert (got.hi, got.hi_open) == (finite(1), False)
    got = bounds([low, point(2)], [point(1)] * 2, alpha=Fraction(3, 4))
    assert (got.lo, got.lo_open) == (finite(2), False)


@pytest.mark.parametrize(
    ("worse", "better"),
    [(point(1), point(0)), (point(0), Interval(finite(0), finite(1)))],
)
def test_nothing_gives_no_ratio_and_many_blocks_no_number(
    worse: Interval, better: Interval
) -> None:
    pairs = [(point(1), point(1))] * 5
    odd = [*pairs, (worse, better)]
    assert undecided_margins(odd, pairs, scale="ratio", alphas=ALPHAS) is None
    assert undecided_margins(pairs, odd, scale="ratio", alphas=ALPHAS) is None
    assert undecided_margins(odd, odd, scale="abs", alphas=ALPHAS) is not None
    many = [pairs[0]] * (MOST_BOUNDED + 1)
    assert undecided_margins(many, many, scale="ratio", alphas=ALPHAS) is None
    assert undecided_margins(many[1:], many[1:], scale="ratio", alphas=ALPHAS) is not None


@pytest.mark.parametrize(
    ("margin", "limit"),
    [
        (Margin(Fraction(1, 10), "ratio", "higher"), finite(Fraction(11, 10))),
        (Margin(Fraction(-1, 10), "ratio", "higher"), finite(Fraction(9, 10))),
        (Margin(Fraction(-2), "ratio", "higher"), finite(0)),
        (Margin(Fraction(1, 5), "ratio", "lower"), finite(Fraction(5, 4))),
        (Margin(Fraction(1), "ratio", "lower"), INFINITY),
        (Margin(Fraction(-3), "abs", "lower"), finite(-3)),
    ],
)
def test_limit_is_the_shift_that_a_margin_allows(margin: Margin, limit: End) -> None:
    assert limit_of(margin) == limit
