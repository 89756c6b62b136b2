# SPDX-License-Identifier: Apache-2.0
"""Which units of a sample are tried, at which end, and which of them are named."""

from collections.abc import Sequence
from fractions import Fraction

from app.core.protocol.gate import Domain
from app.core.reason import Reason
from app.core.score.interval import Interval, finite, point
from app.core.score.observed import Absence, Observed, above, absent, between, conflicting, exact
from app.core.score.sample import Sample, first_ignorance

DOMAIN = Domain(Fraction(0), None)
BOUNDED, CENSORED, GONE = between(finite(1), finite(3)), above(1), absent(Absence.ABANDONED)


def tried(*units: Observed, low_is_good: bool | None = True) -> tuple[Reason | None, list[str]]:
    """Return the reason where nothing decides until each unit was tried, and what was tried."""
    sample, seen = Sample(units, DOMAIN), list[str]()

    def decides(intervals: Sequence[Interval]) -> bool:
        seen.append(
            " ".join("." if not each.is_point else str(each.lo.value) for each in intervals)
        )
        return len(seen) > 1 and all(each.is_point for each in intervals)

    given = [low_is_good] * len(units)
    return first_ignorance(units, sample.cautious, low_is_good=given, decides=decides), seen


def test_only_open_units_are_tried_first_at_the_good_end_and_then_at_the_bad() -> None:
    assert tried(exact(2), exact(5)) == (None, [])
    assert tried(exact(2), BOUNDED) == (Reason.BOUNDS_UNDECIDED, ["2 1", "2 3", "2 1"])
    high = tried(exact(2), BOUNDED, low_is_good=False)
    assert high == (Reason.BOUNDS_UNDECIDED, ["2 3", "2 1", "2 3"])


def test_kind_that_does_not_decide_by_itself_is_named_only_if_it_is_the_first() -> None:
    reason, seen = tried(BOUNDED, CENSORED)
    assert reason is Reason.CENSORING_UNDECIDED
    assert seen[2:] == [". 1000000000001/1000000000000", ". 0", "1 .", "3 ."]
    assert tried(GONE, BOUNDED)[0] is Reason.MISSING_UNDECIDED


def test_unit_without_a_good_end_is_tried_near_the_value_given() -> None:
    units = (exact(2), BOUNDED)
    for near, expected in ((2, True), (3, False), (0, False)):
        found = first_ignorance(
            units,
            Sample(units, DOMAIN).cautious,
            low_is_good=[None, None],
            decides=lambda each: each[0] == each[1] == point(2),
            near=[Fraction(near)],
        )
        assert (found is Reason.BOUNDS_UNDECIDED) is expected


def test_sample_says_of_each_view_what_it_takes_in() -> None:
    twice = conflicting([exact(4), exact(6)])
    sample = Sample((exact(2), twice, GONE), DOMAIN)
    anything = Sample((GONE,), DOMAIN).cautious[0]
    hull = Interval(finite(4), finite(6))
    assert sample.cautious == (point(2), anything, anything)
    assert sample.trusting == (point(2), hull, anything)
    assert sample.alone == (point(2),)
    assert (sample.is_measured, sample.n_observed) == (True, 1)
    assert not Sample((twice, GONE), DOMAIN).is_measured


def test_observed_units_count_no_more_often_than_their_boots() -> None:
    three = (exact(1), exact(2), exact(3))
    assert [Sample(three, DOMAIN, boots).n_observed for boots in (None, 2, 5)] == [3, 2, 3]
    assert Sample((*three, GONE), DOMAIN).has(3)
    assert not Sample((*three, GONE), DOMAIN).has(4)
    assert not Sample((*three, GONE), DOMAIN).has(None)
    assert Sample(three, DOMAIN).has(None)
    assert Sample((GONE,), DOMAIN).has(0)
