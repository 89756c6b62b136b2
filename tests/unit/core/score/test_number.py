# SPDX-License-Identifier: Apache-2.0
"""Numbers leave scoring as they are: no end is lost, and only a chance is rounded, upwards."""

from fractions import Fraction

import pytest

from app.core.score.interval import INFINITY, NEGATIVE_INFINITY, Interval, finite, point
from app.core.score.number import _outwards, bounds_shape, chance_text, interval_shape, number_text


def test_interval_is_written_with_both_of_its_ends() -> None:
    written = interval_shape(Interval(finite(1), finite(2), hi_open=True))
    assert (written.lo, written.hi, written.lo_open, written.hi_open) == ("1", "2", False, True)
    written = interval_shape(Interval(finite(0), INFINITY, lo_open=True))
    assert (written.lo, written.hi, written.lo_open, written.hi_open) == ("0", "inf", True, False)
    written = interval_shape(point(3))
    assert (written.lo, written.hi) == ("3", "3")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(0), "0"),
        (Fraction(-7), "-7"),
        (Fraction(-1, 2), "-0.5"),
        (Fraction(5, 4), "1.25"),
        (Fraction(1, 1000), "0.001"),
        (Fraction(1, 250), "0.004"),
        (Fraction(1, 32), "0.03125"),
        (Fraction(1, 3), "1/3"),
        (Fraction(-1, 6), "-1/6"),
        (Fraction(1, 10**39), f"0.{1:039}"),
        (Fraction(1, 10**40), f"1/{10**40}"),
        (Fraction(1, 2**39), f"0.{5**39:039}"),
        (Fraction(1, 2**40), f"1/{2**40}"),
    ],
)
def test_number_is_a_decimal_only_where_that_is_exact(value: Fraction, text: str) -> None:
    assert number_text(finite(value)) == text


def test_infinities_have_their_sign() -> None:
    assert number_text(INFINITY) == "inf"
    assert number_text(NEGATIVE_INFINITY) == "-inf"


def test_chance_is_exact_up_to_forty_digits_and_then_rounded_up() -> None:
    most = 10**40 - 1
    assert chance_text(Fraction(1, most)) == f"1/{most}"
    assert chance_text(Fraction(1, 10**40)) == f"0.{1:030}"
    assert chance_text(Fraction(10**10 + 1, 10**40 + 7)) == f"0.{2:030}"
    assert chance_text(Fraction(1, 3)) == "1/3"


def test_bounds_of_too_many_digits_move_outwards_and_are_open() -> None:
    value = Fraction(10**40 + 1, 3 * 10**39)
    got = bounds_shape(Interval(finite(value), finite(value)))
    assert (got.lo_open, got.hi_open) == (True, True)
    assert Fraction(got.lo) < value < Fraction(got.hi)
    assert Fraction(got.hi) - Fraction(got.lo) == Fraction(1, 10**30)
    least = bounds_shape(Interval(finite(Fraction(1, 10**40 - 1)), INFINITY))
    assert (least.lo, least.hi) == (f"1/{10**40 - 1}", "inf")
    assert (least.lo_open, least.hi_open) == (False, False)


@pytest.mark.parametrize(("value", "moved"), [(10**40 - 1, False), (10**40, True)])
def test_bound_is_open_from_forty_one_digits_on(value: int, *, moved: bool) -> None:
    got = bounds_shape(point(value))
    assert (got.lo, got.lo_open, got.hi_open) == (str(value), moved, moved)


def test_end_that_moved_outwards_is_a_finite_one() -> None:
    value = Fraction(10**40 + 1, 10**40)
    for up, text in ((False, "1"), (True, f"1.{1:030}")):
        end, is_open = _outwards(finite(value), is_open=False, up=up)
        assert (end.rank, number_text(end), is_open) == (0, text, True)
