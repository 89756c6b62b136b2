# SPDX-License-Identifier: Apache-2.0
"""Open and closed ends: what a margin moves, what a difference keeps, and what alpha takes in."""

from fractions import Fraction

import pytest

from app.core.protocol.margin import Margin
from app.core.score.drift import DriftState, certify, drift_of
from app.core.score.interval import INFINITY, Interval, finite, point
from app.core.score.margins import difference, moved, multiplied

DISTANCE = Margin(Fraction(10), "abs", "higher")
JUST = Fraction(1, 10**9)
ABOVE_ONE = Interval(finite(1), finite(2), lo_open=True)
BELOW_TWO = Interval(finite(1), finite(2), hi_open=True)


def test_margin_opens_and_closes_no_end() -> None:
    assert multiplied(ABOVE_ONE, Fraction(2)) == Interval(finite(2), finite(4), lo_open=True)
    assert multiplied(BELOW_TWO, Fraction(2)) == Interval(finite(2), finite(4), hi_open=True)
    assert moved(ABOVE_ONE, Fraction(2)) == Interval(finite(3), finite(4), lo_open=True)
    assert moved(BELOW_TWO, Fraction(2)) == Interval(finite(3), finite(4), hi_open=True)


def test_difference_is_closed_at_infinity_only() -> None:
    one = point(1)
    assert difference(ABOVE_ONE, one) == Interval(finite(0), finite(1), lo_open=True)
    assert difference(BELOW_TWO, one) == Interval(finite(0), finite(1), hi_open=True)
    assert difference(one, BELOW_TWO) == Interval(finite(-1), finite(0), lo_open=True)
    unbounded = Interval(finite(1), INFINITY, lo_open=True, hi_open=True)
    assert difference(unbounded, one) == Interval(finite(0), INFINITY, lo_open=True)


@pytest.mark.parametrize(
    ("alpha", "state"),
    [(Fraction(1, 20), DriftState.STABLE), (Fraction(1, 20) - JUST, DriftState.UNRESOLVED)],
)
def test_controls_are_stable_at_alpha_and_not_beyond(alpha: Fraction, state: DriftState) -> None:
    three = [point(each) for each in (1, 2, 3)]
    drift = drift_of(three, three, margin=DISTANCE, alpha=alpha)
    assert (drift.state, drift.p) == (state, Fraction(1, 20))
    certified = certify(three, three, margin=DISTANCE, alpha=alpha)
    assert certified is (state is DriftState.STABLE)


@pytest.mark.parametrize(
    ("alpha", "state"),
    [
        (Fraction(1, 20), DriftState.POSSIBLY_DRIFTED),
        (Fraction(1, 20) - JUST, DriftState.UNRESOLVED),
    ],
)
def test_drift_that_some_completion_shows_at_alpha_is_possible(
    alpha: Fraction, state: DriftState
) -> None:
    first = [point(each) for each in (1, 2, 3)]
    back = [point(100), point(101), Interval(finite(0), INFINITY, hi_open=True)]
    assert drift_of(first, back, margin=DISTANCE, alpha=alpha).state is state


@pytest.mark.parametrize(
    ("alpha", "state"),
    [(Fraction(1, 20), DriftState.DRIFTED), (Fraction(1, 20) - JUST, DriftState.UNRESOLVED)],
)
def test_drift_that_is_shown_at_alpha_is_drift(alpha: Fraction, state: DriftState) -> None:
    first, back = [point(each) for each in (1, 2, 3)], [point(each) for each in (20, 21, 22)]
    assert drift_of(first, back, margin=DISTANCE, alpha=alpha).state is state
    assert drift_of(back, first, margin=DISTANCE, alpha=alpha).state is state
