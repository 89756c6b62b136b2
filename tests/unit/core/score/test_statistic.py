# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a demand is any value of it
"""Which unit a statistic is of: the number beside the state is that of the unit which decides."""

from fractions import Fraction
from typing import Any

import pytest

from app.core.protocol.gate import Demand, Domain
from app.core.score.interval import INFINITY, Interval, Truth, finite, point
from app.core.score.statistic import ranked, statistic_of, summary_of, total, truth_of

THREE = [point(2), point(1), point(3)]


def demand(statistic: Any, op: Any = "<=", **more: Any) -> Demand:
    return Demand("bound", statistic, op, Fraction(2), Domain(Fraction(0), None), **more)


@pytest.mark.parametrize(
    ("statistic", "op", "expected"),
    [
        ("all", "<=", 3),
        ("all", "<", 3),
        ("all", ">=", 1),
        ("all", ">", 1),
        ("any", "<=", 1),
        ("any", "<", 1),
        ("any", ">=", 3),
        ("any", ">", 3),
        ("max", "<=", 3),
        ("min", "<=", 1),
        ("median", "<=", 2),
        ("sum", "<=", 6),
        ("kth", "<=", 1),
    ],
)
def test_number_of_a_statistic_is_that_of_its_deciding_unit(
    statistic: str, op: str, expected: int
) -> None:
    assert statistic_of(demand(statistic, op), THREE) == point(expected)


@pytest.mark.parametrize("statistic", ["all", "any"])
def test_units_that_must_equal_the_limit_show_their_whole_range(statistic: str) -> None:
    assert statistic_of(demand(statistic, "=="), THREE) == Interval(point(1).lo, point(3).hi)


def test_kth_of_fewer_units_is_the_last_of_them_and_decides_nothing() -> None:
    assert statistic_of(demand("kth", k=2), THREE) == point(2)
    assert statistic_of(demand("kth", k=4), THREE) == point(3)
    assert truth_of(demand("kth", k=3), THREE) is Truth.FALSE
    assert truth_of(demand("kth", k=4), THREE) is Truth.OPEN
    assert truth_of(demand("kth"), THREE) is Truth.TRUE
    assert truth_of(demand("kth"), THREE[:1]) is Truth.TRUE


@pytest.mark.parametrize(
    ("op", "number", "truth"),
    [
        ("<=", point(2), Truth.TRUE),
        ("<", point(2), Truth.FALSE),
        (">=", point(1), Truth.FALSE),
        (">", point(1), Truth.FALSE),
        ("==", Interval(point(1).lo, point(2).hi), Truth.FALSE),
    ],
)
def test_median_of_an_even_number_is_the_middle_one_that_is_worse(
    op: str, number: Interval, truth: Truth
) -> None:
    four = [*THREE, point(0)]
    assert statistic_of(demand("median", op), four) == number
    assert truth_of(demand("median", op), four) is truth


@pytest.mark.parametrize(
    ("summary", "k", "higher_is_worse", "expected"),
    [
        ("max", None, True, 4),
        ("min", None, True, 1),
        ("median", None, True, 3),
        ("median", None, False, 2),
        ("kth", 3, True, 3),
        ("kth", 9, True, 4),
        ("kth", None, True, 1),
        ("sum", None, True, 10),
    ],
)
def test_slot_of_several_streams_is_summed_up_as_locked(
    summary: Any, k: int | None, expected: int, *, higher_is_worse: bool
) -> None:
    four = [*THREE, point(4)]
    assert summary_of(summary, k, four, higher_is_worse=higher_is_worse) == point(expected)


def test_only_of_several_streams_leaves_all_of_them_possible() -> None:
    got = summary_of("only", None, THREE, higher_is_worse=True)
    assert got == Interval(point(1).lo, point(3).hi)


def test_open_ends_keep_their_rank() -> None:
    closed = Interval(point(1).lo, point(3).hi)
    low_open = Interval(point(1).lo, point(3).hi, lo_open=True)
    high_open = Interval(point(1).lo, point(3).hi, hi_open=True)
    mixed = [low_open, high_open, closed]
    assert ranked(mixed, 1) == high_open
    assert ranked(mixed, 3) == low_open
    assert ranked(mixed, 2) == closed
    assert ranked([low_open, high_open], 1) == high_open
    assert ranked([low_open, high_open], 2) == low_open


def test_greatest_of_all_keeps_the_high_end_of_what_is_bounded() -> None:
    units = [Interval(finite(0), finite(10)), point(5), point(7)]
    assert ranked(units, 3) == Interval(finite(7), finite(10))
    assert ranked(units, 1) == Interval(finite(0), finite(5))


def test_sum_is_open_where_a_part_is_and_closed_where_one_never_ends() -> None:
    open_end = Interval(finite(1), finite(2), hi_open=True)
    unbounded = Interval(finite(0), INFINITY, hi_open=True)
    never = Interval(INFINITY, INFINITY)
    assert total([open_end, point(1)]) == Interval(finite(2), finite(3), hi_open=True)
    assert total([unbounded, point(1)]) == Interval(finite(1), INFINITY, hi_open=True)
    assert total([unbounded, never]) == never
    assert total([Interval(finite(1), finite(2), lo_open=True), point(1)]).lo_open
    assert total([point(1), point(2)]) == point(3)


def test_any_that_equals_the_limit_is_one_of_them_and_not_their_range() -> None:
    assert truth_of(demand("any", "=="), [point(1), point(3)]) is Truth.FALSE
    assert truth_of(demand("any", "=="), THREE) is Truth.TRUE


def test_middle_of_open_ends_is_open_on_their_side() -> None:
    above = Interval(finite(1), finite(2), hi_open=True)
    assert ranked([above] * 3, 2) == above
    below = Interval(finite(1), finite(2), lo_open=True)
    assert ranked([below] * 3, 2) == below
