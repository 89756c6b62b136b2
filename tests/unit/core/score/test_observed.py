# SPDX-License-Identifier: Apache-2.0
"""What one unit is known to be, at its ends; and whether retries chose the units."""

from dataclasses import replace

import pytest

from app.core.protocol.plan import plan
from app.core.reason import Reason
from app.core.score.interval import INFINITY, Interval, finite, point
from app.core.score.observed import (
    Absence,
    Basis,
    Observed,
    above,
    at_least,
    between,
    conflicting,
    exact,
    unknown,
    zero_or_one,
)
from app.core.score.retries import retry_caps
from app.core.score.scored_slot import ScoredSlot
from tests.claims import compared
from tests.scores import MISSING, protocol


def test_what_was_watched_until_a_time_lies_beyond_it_and_is_not_for_ever() -> None:
    assert above(2).interval == Interval(finite(2), INFINITY, lo_open=True, hi_open=True)
    assert at_least(2).interval == Interval(finite(2), INFINITY, hi_open=True)
    assert between(finite(2), INFINITY).interval == at_least(2).interval
    assert between(finite(2), finite(2)) == exact(2)
    assert between(finite(2), finite(3)).basis is Basis.BOUNDED
    assert exact(5, 1).interval == Interval(finite(4), finite(6))


def test_conflicting_receipts_give_a_reason_only_if_it_is_the_same() -> None:
    late = zero_or_one(value=False, why=Reason.NOT_BEFORE)
    wrong = zero_or_one(value=False, why=Reason.WRONG_ANSWER)
    assert conflicting([late, late]).why is Reason.NOT_BEFORE
    for pair in ([late, wrong], [wrong, late]):
        assert conflicting(pair).why is None
        assert conflicting(pair).interval == late.interval
    assert conflicting([exact(1), unknown()]).interval is None


@pytest.mark.parametrize(
    ("absence", "attempt", "against"),
    [
        (Absence.NOT_STARTED, False, False),
        (Absence.CAPTURE_MISSING, False, False),
        (Absence.NO_GATE, False, False),
        (Absence.UNSCORABLE, True, False),
        (Absence.ABANDONED, True, False),
        (Absence.CONFLICT, True, True),
        (Absence.DOUBTED, True, True),
    ],
)
def test_absence_is_an_attempt_or_not_and_counts_against_or_not(
    absence: Absence, *, attempt: bool, against: bool
) -> None:
    assert absence.is_attempt is attempt
    assert absence.counts_against is against


@pytest.mark.parametrize(("retries", "capped"), [(1, False), (2, True)])
def test_one_slot_in_five_may_be_retried_and_no_more(retries: int, *, capped: bool) -> None:
    slots = [ScoredSlot(each, *MISSING) for each in plan(protocol(compared(), repetitions=5))]
    again = [replace(each, retried=each.planned.repetition <= retries) for each in slots]
    assert bool(retry_caps(again)) is capped
    assert not retry_caps(slots)


def test_arms_that_were_not_retried_equally_often_are_capped() -> None:
    slots = [ScoredSlot(each, *MISSING) for each in plan(protocol(compared(), repetitions=5))]
    assert retry_caps([replace(slots[0], retried=True), *slots[1:]])


def test_what_contradicting_captures_show_is_all_between_if_each_shows_something() -> None:
    low, high = (Observed(point(0), Basis.EXACT, shown=point(at)) for at in (1, 3))
    assert conflicting([low, high]).shown == Interval(finite(1), finite(3))
    assert conflicting([low, exact(0)]).shown is None
    assert conflicting([exact(0), exact(1)]).shown is None
