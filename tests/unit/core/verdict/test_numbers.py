# SPDX-License-Identifier: Apache-2.0
"""Numbers in words: exact, marked, and never a zero where nothing is known."""

from fractions import Fraction

import pytest

from app.core.statement.interval import Interval
from app.core.verdict import numbers
from app.core.verdict.numbers import NEVER, NOT_RECORDED


def interval(lo: str, hi: str, *, lo_open: bool = False, hi_open: bool = False) -> Interval:
    return Interval(lo=lo, hi=hi, lo_open=lo_open, hi_open=hi_open)


@pytest.mark.parametrize(
    ("number", "unit", "text"),
    [
        (None, "us", NOT_RECORDED),
        ("0", "us", "0 s"),
        ("13014000", "us", "13.014 s"),
        ("-13014000", "us", "−13.014 s"),
        ("1", "us", "0.000001 s"),
        ("1/3", "1", "about 0.333333"),
        ("440200000", "us", "440.200 s"),
        ("999095", "1", "999,095"),
        ("33.80", "tokens_per_s", "33.8 tokens/s"),
        ("5", "bytes", "5 bytes"),
        ("5", None, "5"),
        ("inf", "us", NEVER),
        ("-inf", "us", "minus infinity"),
    ],
)
def test_number_is_written_exactly_or_marked(number: str | None, unit: str, text: str) -> None:
    assert numbers.number_text(number, unit) == text


@pytest.mark.parametrize(
    ("known", "text"),
    [
        (None, NOT_RECORDED),
        (interval("5", "5"), "5"),
        (interval("0", "inf", hi_open=True), "not known"),
        (interval("-inf", "inf", lo_open=True, hi_open=True), "not known"),
        (
            interval("5", "inf", lo_open=True, hi_open=True),
            "more than 5, how much more is not known",
        ),
        (interval("5", "inf", hi_open=True), "at least 5, how much more is not known"),
        (interval("5", "inf"), "at least 5, or never"),
        (interval("inf", "inf"), NEVER),
        (interval("-inf", "5", lo_open=True), "at most 5"),
        (interval("-inf", "5", lo_open=True, hi_open=True), "less than 5"),
        (interval("1", "2"), "between 1 and 2"),
    ],
)
def test_interval_is_said_with_what_is_not_known(known: Interval | None, text: str) -> None:
    assert numbers.interval_text(known, "1") == text


@pytest.mark.parametrize(
    ("margin", "text"),
    [
        (None, "no number"),
        ("0", "0, at the limit"),
        ("2", "2 inside"),
        ("-2", "2 outside"),
        ("inf", "inside, without bound"),
        ("-inf", "outside, without bound"),
    ],
)
def test_margin_says_on_which_side_of_the_limit(margin: str | None, text: str) -> None:
    assert numbers.margin_text(margin, "1") == text


def test_l17_no_absent_value_is_written_with_a_digit() -> None:
    absent = (
        numbers.number_text(None, "us"),
        numbers.seconds(None),
        numbers.interval_text(None, "us"),
        numbers.instant_text(None),
        numbers.margin_text(None, "us"),
    )
    assert not any(character.isdigit() for text in absent for character in text)


def test_plain_number_keeps_every_digit_it_can_show() -> None:
    assert numbers.plain(Fraction(1234567, 1000)) == "1,234.567"
    assert numbers.plain(Fraction(1, 10**7)) == "about 0"


def test_duration_has_hours_from_an_hour_on() -> None:
    assert numbers.duration(86_400_000_000) == "86,400 s (24 h)"
    assert numbers.duration(19_017_000_000) == "19,017 s (5 h 16 min)"
    assert numbers.duration(59_000_000) == "59 s"


def test_instant_is_utc_and_keeps_fractions_that_say_something() -> None:
    assert numbers.instant_text("2026-10-02T09:00:00.000000Z") == "2026-10-02 09:00:00 UTC"
    assert numbers.instant_text("2026-10-02T09:00:00.000001Z") == "2026-10-02 09:00:00.000001 UTC"


@pytest.mark.parametrize(
    ("micros", "text"),
    [
        (0, "0:00:00"),
        (59_999_999, "0:00:59.999999"),
        (60_000_000, "0:01:00"),
        (3_600_000_000, "1:00:00"),
        (19_017_000_000, "5:16:57"),
        (360_000_500_000, "100:00:00.5"),
    ],
)
def test_length_of_time_is_written_as_hours_minutes_and_seconds(micros: int, text: str) -> None:
    assert numbers.hours(micros) == text


@pytest.mark.parametrize(("count", "text"), [(None, NOT_RECORDED), (0, "0"), (999_095, "999,095")])
def test_count_that_nobody_gave_is_no_zero(count: int | None, text: str) -> None:
    assert numbers.count_text(count) == text
