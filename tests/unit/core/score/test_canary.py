# SPDX-License-Identifier: Apache-2.0
"""Is one event before another, with the expected answer? HTTP status is no input."""

from fractions import Fraction

import pytest

from app.core.reason import Reason
from app.core.score.canary import answers_of, observe_canary, together
from app.core.score.interval import ANYTHING, Interval, Truth, finite, point
from app.core.score.observed import (
    Absence,
    Basis,
    Observed,
    above,
    absent,
    at_least,
    between,
    exact,
    never,
    unknown,
    zero_or_one,
)
from app.core.score.reading import Ending, Reading
from app.core.statement.capture import AnswerParts
from app.core.statement.gate_record import Operator
from tests import facts
from tests.documents import document, streams_cell


def canary(left: Observed, right: Observed, answer: Truth = Truth.TRUE) -> Observed:
    return observe_canary(left, right, op="<", answer=answer)


def outcome(observed: Observed) -> tuple[Truth, Reason | None]:
    assert observed.interval is not None
    return observed.interval.compared("==", finite(1)), observed.why


A = exact(21)
CENSORED = (Truth.OPEN, Reason.CENSORED_BEFORE_DECIDING_INSTANT)


@pytest.mark.parametrize(
    ("newcomer", "incumbent", "answer", "expected"),
    [
        (exact(9), A, Truth.TRUE, (Truth.TRUE, None)),
        (exact(21), A, Truth.TRUE, (Truth.FALSE, Reason.NOT_BEFORE)),
        (exact(22), A, Truth.FALSE, (Truth.FALSE, Reason.NOT_BEFORE)),
        (exact(9), A, Truth.FALSE, (Truth.FALSE, Reason.WRONG_ANSWER)),
        (exact(9), A, Truth.OPEN, (Truth.OPEN, Reason.ANSWER_UNKNOWN)),
        (above(21), A, Truth.OPEN, (Truth.FALSE, Reason.NOT_BEFORE)),
        (above(12), A, Truth.OPEN, CENSORED),
        (above(12), A, Truth.FALSE, CENSORED),
        (exact(21), above(21), Truth.TRUE, (Truth.TRUE, None)),
        (
            exact(21),
            at_least(21),
            Truth.TRUE,
            (Truth.OPEN, Reason.CENSORED_BEFORE_DECIDING_INSTANT),
        ),
        (never(), at_least(3), Truth.OPEN, (Truth.FALSE, Reason.NOT_BEFORE)),
        (exact(21, 1), A, Truth.TRUE, (Truth.OPEN, Reason.RESOLUTION_UNDECIDED)),
        (exact(21, 1), A, Truth.FALSE, (Truth.FALSE, Reason.WRONG_ANSWER)),
        (between(finite(20), finite(22)), A, Truth.TRUE, (Truth.OPEN, Reason.BOUNDS_UNDECIDED)),
        (exact(9), absent(Absence.UNSCORABLE), Truth.TRUE, (Truth.OPEN, Reason.MISSING_UNDECIDED)),
        (exact(9), unknown(), Truth.TRUE, (Truth.OPEN, Reason.MISSING_UNDECIDED)),
    ],
)
def test_l18_canary_looks_at_content_and_answers_only(
    newcomer: Observed, incumbent: Observed, answer: Truth, expected: tuple[Truth, Reason | None]
) -> None:
    assert outcome(canary(newcomer, incumbent, answer)) == expected


def test_canary_of_two_absent_streams_is_absent_as_the_attempt_is() -> None:
    attempt, idle = absent(Absence.UNSCORABLE), absent(Absence.NOT_STARTED)
    assert canary(idle, attempt) == attempt
    assert canary(attempt, idle) == attempt
    assert canary(idle, idle) == idle


def test_canary_shows_the_delay_and_of_a_failed_stream_how_long_it_was_watched() -> None:
    assert canary(exact(9), A).shown == Interval(finite(-12), finite(-12))
    shown = canary(never(Fraction("21.2")), A).shown
    assert shown is not None
    assert (shown.lo, shown.lo_open) == (finite(Fraction("0.2")), True)


@pytest.mark.parametrize(
    ("newcomer", "answer", "shown"),
    [
        (exact(9), Truth.TRUE, Interval(finite(-12), finite(-12))),
        (exact(22), Truth.TRUE, Interval(finite(1), finite(1))),
        (exact(9), Truth.FALSE, Interval(finite(-12), finite(-12))),
        (exact(9), Truth.OPEN, Interval(finite(-12), finite(-12))),
        (exact(21, 1), Truth.TRUE, Interval(finite(-1), finite(1))),
    ],
)
def test_delay_is_shown_whatever_is_said_of_it(
    newcomer: Observed, answer: Truth, shown: Interval
) -> None:
    assert canary(newcomer, A, answer).shown == shown


def test_answer_of_a_stream_that_was_cut_short_is_unknown_though_its_order_is_not() -> None:
    for cut in (above(30), unknown()):
        got = observe_canary(cut, exact(-1), op=">", answer=Truth.FALSE)
        assert outcome(got) == (Truth.OPEN, Reason.ANSWER_UNKNOWN)
        assert got.basis is Basis.UNKNOWN
    came = observe_canary(exact(30), A, op=">", answer=Truth.FALSE)
    assert outcome(came) == (Truth.FALSE, Reason.WRONG_ANSWER)


def test_slot_with_several_newcomers_is_as_good_as_its_worst() -> None:
    right, wrong = canary(exact(9), A), canary(exact(22), A)
    undecided = canary(above(12), A)
    assert together([right, undecided, wrong], op="<").why is Reason.NOT_BEFORE
    assert together([right, undecided], op="<").basis is Basis.CENSORED
    assert together([right], op="<").interval == zero_or_one(value=True).interval
    assert together([absent(Absence.UNSCORABLE)], op="<").absence is Absence.UNSCORABLE


def test_canary_that_nobody_saw_stands_before_an_undecided_one_and_behind_a_broken_one() -> None:
    wrong, undecided = canary(exact(22), A), canary(above(12), A)
    unseen = absent(Absence.UNSCORABLE)
    assert together([undecided, unseen], op="<").absence is Absence.UNSCORABLE
    assert together([unseen, wrong], op="<").why is Reason.NOT_BEFORE
    assert together([wrong, unseen], op="<").why is Reason.NOT_BEFORE


@pytest.mark.parametrize(
    ("op", "delay"),
    [
        ("<", point(1)),
        ("<=", point(1)),
        (">", point(-12)),
        (">=", point(-12)),
        ("==", Interval(finite(-12), finite(1))),
    ],
)
def test_slot_with_several_newcomers_shows_the_delay_that_each_must_hold(
    op: Operator, delay: Interval
) -> None:
    pairs = [canary(exact(9), A), canary(exact(22), A), absent(Absence.UNSCORABLE)]
    assert together(pairs, op=op).shown == delay
    assert together(pairs[::-1], op=op).shown == delay


def test_difference_of_unbounded_ends_is_unbounded() -> None:
    late = at_least(3).interval
    assert late is not None
    assert ANYTHING.minus(ANYTHING) == ANYTHING
    assert late.minus(late).compared("<", finite(0)) is Truth.OPEN
    assert late.minus(ANYTHING).compared("<", finite(0)) is Truth.OPEN


@pytest.mark.parametrize(("matched", "told"), [(True, []), (False, [False]), (None, [None])])
def test_canary_tells_which_answers_are_wrong_or_unknown_and_of_no_right_one(
    *, matched: bool | None, told: list[bool | None]
) -> None:
    planned = streams_cell(document()).streams[1]
    parts = AnswerParts(expected=3, matched=2)
    seen = facts.newcomer(answer_matched=matched, answer_parts=parts)
    answers = answers_of([Reading(planned, seen, Ending.COMPLETE, 0, deadline_passed=False)])
    assert [(each.stream_role, each.lane, each.parts) for each in answers] == [
        (planned.role, planned.lane, parts) for _ in told
    ]
    assert [each.matched for each in answers] == told
