# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  an operator is any of five
"""Ends and intervals where they touch: at a limit, at the edge of a domain, at infinity."""

from fractions import Fraction
from typing import Any

import pytest

from app.core.protocol.gate import Domain
from app.core.score.interval import (
    INFINITY,
    NEGATIVE_INFINITY,
    End,
    Interval,
    Truth,
    finite,
    hull,
    point,
    whole,
)

FOREVER = Interval(INFINITY, INFINITY)
UNBOUNDED = Interval(finite(0), INFINITY, hi_open=True)


def test_equal_ends_are_neither_above_nor_below() -> None:
    for end in (finite(2), INFINITY, NEGATIVE_INFINITY):
        same = End(end.rank, 2 * end.top, 2 * end.bottom)
        assert not end < same
        assert not end > same
        assert end <= same
        assert end >= same
    third, more = finite(Fraction(1, 3)), finite(Fraction(1, 3) + Fraction(1, 10**30))
    assert third < more
    assert more > third
    assert not more <= third
    assert not third >= more
    assert NEGATIVE_INFINITY < third < INFINITY


def test_end_equals_no_bare_number() -> None:
    others: list[object] = [Fraction(2), 2, "2"]
    assert finite(2) not in others
    assert finite(2) in [*others, End(0, 4, 2)]


@pytest.mark.parametrize(
    ("op", "at", "open_low", "open_high"),
    [
        ("<=", Truth.TRUE, Truth.FALSE, Truth.TRUE),
        ("<", Truth.FALSE, Truth.FALSE, Truth.TRUE),
        (">=", Truth.TRUE, Truth.TRUE, Truth.FALSE),
        (">", Truth.FALSE, Truth.TRUE, Truth.FALSE),
        ("==", Truth.TRUE, Truth.FALSE, Truth.FALSE),
    ],
)
def test_open_end_at_the_limit_is_not_the_limit(
    op: Any, at: Truth, open_low: Truth, open_high: Truth
) -> None:
    limit = finite(2)
    assert point(2).compared(op, limit) is at
    assert Interval(limit, finite(3), lo_open=True).compared(op, limit) is open_low
    assert Interval(finite(1), limit, hi_open=True).compared(op, limit) is open_high


@pytest.mark.parametrize("op", ["<=", "<", ">=", ">", "=="])
def test_interval_around_the_limit_is_open(op: Any) -> None:
    assert Interval(finite(1), finite(3)).compared(op, finite(2)) is Truth.OPEN


def test_closed_end_at_the_limit_leaves_it_open() -> None:
    limit = finite(2)
    above, under = Interval(limit, finite(3)), Interval(finite(1), limit)
    assert [above.compared(op, limit) for op in ("<=", "<", ">=", ">", "==")] == [
        Truth.OPEN,
        Truth.FALSE,
        Truth.TRUE,
        Truth.OPEN,
        Truth.OPEN,
    ]
    assert [under.compared(op, limit) for op in ("<=", "<", ">=", ">", "==")] == [
        Truth.TRUE,
        Truth.OPEN,
        Truth.OPEN,
        Truth.FALSE,
        Truth.OPEN,
    ]


def test_domain_without_an_end_is_open_and_one_with_an_end_is_closed() -> None:
    assert whole(Domain(Fraction(0), None)) == UNBOUNDED
    assert whole(Domain(Fraction(0), Fraction(1))) == Interval(finite(0), finite(1))


def test_what_lies_outside_a_domain_is_cut_and_what_never_reaches_it_is_kept() -> None:
    from_zero, five_to_nine = Domain(Fraction(0), None), Domain(Fraction(5), Fraction(9))
    wide = Interval(finite(-1), finite(3), lo_open=True)
    assert wide.within(from_zero) == Interval(finite(0), finite(3))
    assert FOREVER.within(from_zero) == FOREVER
    assert Interval(finite(0), finite(5)).within(five_to_nine) == point(5)
    assert Interval(finite(9), finite(12)).within(five_to_nine) == point(9)
    assert UNBOUNDED.within(five_to_nine) == Interval(finite(5), finite(9))
    assert point(12).within(five_to_nine) == point(12)
    assert point(4).within(five_to_nine) == point(4)


def test_what_never_happens_less_what_never_happens_is_anything() -> None:
    assert FOREVER.minus(FOREVER) == Interval(NEGATIVE_INFINITY, INFINITY)
    assert FOREVER.minus(UNBOUNDED) == Interval(INFINITY, INFINITY, lo_open=True)
    assert FOREVER.minus(point(3)) == FOREVER
    assert point(3).minus(FOREVER) == Interval(NEGATIVE_INFINITY, NEGATIVE_INFINITY)


def test_truths_hold_together_only_where_both_do() -> None:
    true, false, unsure = Truth.TRUE, Truth.FALSE, Truth.OPEN
    assert true.both(true) is true
    assert {true.both(unsure), unsure.both(true), unsure.both(unsure)} == {unsure}
    assert {each.both(false) for each in Truth} == {false}
    assert {false.both(each) for each in Truth} == {false}


def test_end_that_is_kept_stays_as_open_as_it_was() -> None:
    domain = Domain(Fraction(0), Fraction(20))
    low = Interval(finite(1), finite(30), lo_open=True)
    high = Interval(finite(-1), finite(9), hi_open=True)
    assert low.within(domain) == Interval(finite(1), finite(20), lo_open=True)
    assert high.within(domain) == Interval(finite(0), finite(9), hi_open=True)
    assert hull([low, point(2)]) == low
    assert hull([high, point(2)]) == high
    assert hull([low, high]) == Interval(finite(-1), finite(30))
