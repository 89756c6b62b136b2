# SPDX-License-Identifier: Apache-2.0
"""Plots place values exactly, and what has no value on its own rail, never at zero."""

from fractions import Fraction

import pytest

from app.pages.charts.axis import axis_over
from app.pages.charts.strip import Row, Strip, draw_strip
from app.pages.charts.svg import Element
from app.pages.charts.timeline import Span, draw_timeline


def below(drawn: Element) -> list[Element]:
    found: list[Element] = []
    for child in drawn.children:
        if isinstance(child, Element):
            found += [child, *below(child)]
    return found


def of_class(drawn: Element, name: str) -> list[dict[str, object]]:
    return [
        dict(each.attributes) for each in below(drawn) if dict(each.attributes).get("class") == name
    ]


def strip(*rows: Row, limit: Fraction | None = None) -> Element:
    return draw_strip(Strip("title", "s", limit, "10 s", rows))


def row(mark: str, low: int | None = None, high: int | None = None) -> Row:
    ends = [None if end is None else Fraction(end) for end in (low, high)]
    return Row("B/C/1", mark, ends[0], ends[1], "said")  # type: ignore[arg-type]  # marks of the test


def test_axis_holds_every_value_and_zero() -> None:
    axis = axis_over([Fraction(-3), Fraction(20)], left=0, right=100)
    assert axis.low < -3
    assert axis.high > 20
    assert axis.at(Fraction(-100)) == 0
    assert axis.at(Fraction(100)) == 100


@pytest.mark.parametrize("high", [1, 3, 7, 21, 440, 999_095, Fraction(1, 1000), Fraction(10**12)])
def test_axis_has_a_few_round_ticks(high: int | Fraction) -> None:
    ticks = axis_over([Fraction(high)], left=0, right=100).ticks()
    assert 2 <= len(ticks) <= 8
    assert ticks == sorted(set(ticks))


def test_axis_without_any_value_is_still_an_axis() -> None:
    assert axis_over([], left=0, right=100).ticks()


def test_l21_censored_value_is_an_open_arrow_and_not_a_dot() -> None:
    drawn = strip(row("censored", 21), row("value", 9), limit=Fraction(10))
    assert len(of_class(drawn, "arrow")) == 1
    assert len(of_class(drawn, "dot")) == 1
    assert len(of_class(drawn, "limit")) == 1


def test_unit_without_value_is_hollow_on_a_rail_beyond_the_axis() -> None:
    drawn = strip(row("none"), row("value", 0), row("value", 5))
    (hollow,) = of_class(drawn, "hollow")
    dots = of_class(drawn, "dot")
    assert all(hollow["cx"] > dot["cx"] for dot in dots)  # type: ignore[operator]  # numbers


def test_value_that_never_came_has_a_rail_of_its_own() -> None:
    assert len(of_class(strip(row("never")), "never")) == 1


def test_interval_is_a_bar_and_a_mere_resolution_a_dot() -> None:
    assert len(of_class(strip(row("interval", 1, 20)), "span")) == 1
    tiny = Row("B/C/1", "interval", Fraction(9), Fraction(9) + Fraction(1, 1000), "said")
    assert len(of_class(strip(tiny), "dot")) == 1


@pytest.mark.parametrize("n", [1, 80, 81, 1000])
def test_every_unit_is_drawn_however_many_there_are(n: int) -> None:
    marks = ["value", "none", "never", "censored"]
    rows = [
        row(marks[i % 4], i if marks[i % 4] in {"value", "censored"} else None) for i in range(n)
    ]
    drawn = strip(*rows)
    names = ("dot", "hollow", "never", "arrow")
    assert sum(len(of_class(drawn, name)) for name in names) == n


def test_finished_stream_is_drawn_from_submission_to_end() -> None:
    drawn = draw_timeline(
        "t", [Span("a", "s", None, 0, 430_000, 21_000_000, 21_010_000, 21_010_000)]
    )
    assert len(of_class(drawn, "content")) == 1
    assert not of_class(drawn, "arrow")
    assert not of_class(drawn, "hollow")


def test_l21_unfinished_stream_ends_in_an_arrow_and_is_hollow_without_content() -> None:
    drawn = draw_timeline("t", [Span("a", "s", None, 680_000, None, None, None, 21_210_000)])
    assert len(of_class(drawn, "arrow")) == 1
    assert len(of_class(drawn, "hollow")) == 1
    assert not of_class(drawn, "content")


def test_stream_never_submitted_is_hollow_and_said_so() -> None:
    drawn = draw_timeline("t", [Span("a", "s")])
    assert len(of_class(drawn, "hollow")) == 1
    assert "not submitted" in str(drawn.to_markup())


def test_slot_without_capture_is_hollow_with_its_state() -> None:
    drawn = draw_timeline("t", [Span("a", "s", note="MISSING, no receipt")])
    assert "MISSING, no receipt" in str(drawn.to_markup())
    assert not of_class(drawn, "watched")


def test_longest_label_has_room_beside_the_axis() -> None:
    label = "A2/a-cell-with-a-name-of-32-letters/1000 attempt 2, late incumbent, warm-up"
    drawn = draw_timeline("t", [Span(label, "s")])
    (text,) = of_class(drawn, "label")
    assert int(str(text["x"])) >= 6 * len(label)
