# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a demand is any value of it
"""Which completion is tried, which kind of ignorance is named, and what fewer units alone say."""

from fractions import Fraction
from typing import Any

import pytest

from app.core.protocol.gate import Demand, Domain
from app.core.reason import Reason
from app.core.score import sample
from app.core.score.decide import judge
from app.core.score.interval import INFINITY, Interval, finite, point
from app.core.score.observed import Absence, Observed, above, absent, between, exact
from app.core.score.undecided import highest, is_masked, lowest

GONE = absent(Absence.ABANDONED)
BOUNDED, READ = between(finite(1), finite(3)), exact(2, 1)


def demand(statistic: Any, op: Any = "<=", k: int | None = None) -> Demand:
    return Demand("bound", statistic, op, Fraction(2), Domain(Fraction(0), None), k=k)


def masked(of: Demand, measured: list[int], gone: int) -> bool:
    return is_masked(of, [*(exact(each) for each in measured), *[GONE] * gone])


@pytest.mark.parametrize(
    ("op", "k", "measured", "expected"),
    [
        ("<=", 4, [3, 3, 1], True),
        ("<=", 4, [3, 1, 1], False),
        ("<=", 6, [3, 1, 1], True),
        (">=", 3, [1, 1, 3], True),
        (">=", 3, [1, 3, 3], False),
        (">", 3, [2, 2, 3], True),
        (">=", 1, [1, 3, 3], True),
        (">=", 6, [1, 1, 3], False),
    ],
)
def test_rank_among_fewer_units_is_the_same_share_of_them(
    op: str, k: int, measured: list[int], *, expected: bool
) -> None:
    assert masked(demand("kth", op, k), measured, gone=3) is expected


def test_rank_that_nobody_named_is_the_first() -> None:
    assert not masked(demand("kth"), [1, 3, 3], gone=1)
    assert masked(demand("kth"), [3, 3, 3], gone=1)


def test_nothing_is_masked_where_every_unit_or_none_was_measured() -> None:
    assert not masked(demand("max"), [3, 3], gone=0)
    assert not masked(demand("max"), [], gone=2)
    assert masked(demand("max"), [3, 3], gone=1)


def test_completion_at_an_open_low_end_lies_inside_it() -> None:
    assert lowest(Interval(finite(1), finite(2))) == point(1)
    just_above = lowest(Interval(finite(1), finite(2), lo_open=True))
    assert finite(1) < just_above.lo < finite(Fraction(1001, 1000))
    assert just_above.is_point
    forever = Interval(INFINITY, INFINITY)
    assert lowest(forever) == highest(forever) == forever
    assert highest(Interval(finite(1), finite(2), hi_open=True)) == point(2)


def test_completion_nearest_to_a_value_is_it_or_an_end() -> None:
    span = Interval(finite(1), finite(3))
    assert sample._nearest(span, Fraction(2)) == point(2)
    assert sample._nearest(span, Fraction(0)) == point(1)
    assert sample._nearest(span, Fraction(1)) == point(1)
    assert sample._nearest(span, Fraction(3)) == point(3)
    assert sample._nearest(span, Fraction(4)) == point(3)
    opened = Interval(finite(1), finite(3), lo_open=True)
    assert sample._nearest(opened, Fraction(1)) == lowest(opened)


def reason(of: Demand, *units: Observed) -> Reason:
    return judge(of, units).reason


def test_kind_that_is_named_is_the_first_where_none_decides_by_itself() -> None:
    assert reason(demand("median"), above(1), BOUNDED, READ) is Reason.CENSORING_UNDECIDED
    assert reason(demand("median"), BOUNDED, READ, exact(2, 1)) is Reason.RESOLUTION_UNDECIDED
    assert reason(demand("median"), BOUNDED, BOUNDED, READ) is Reason.BOUNDS_UNDECIDED


def test_kind_that_can_reach_the_value_asked_for_decides() -> None:
    far = between(finite(5), finite(6))
    assert reason(demand("any", "=="), far, READ) is Reason.RESOLUTION_UNDECIDED
    assert reason(demand("any", "=="), far, BOUNDED) is Reason.BOUNDS_UNDECIDED
