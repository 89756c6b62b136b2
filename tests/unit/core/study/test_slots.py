# SPDX-License-Identifier: Apache-2.0
"""The life of a slot: every edge of its state machine, at and around every deadline."""

import pytest

from app.core.reason import Reason
from app.core.study.slots import (
    attempt_state,
    has_retry_left,
    is_terminal,
    scored_attempt,
    scored_receipts,
)
from tests.documents import DAY_US
from tests.factories import Story, opened
from tests.facts import (
    capture,
    incumbent,
    interrupted,
    server_error,
    starved,
    warmup_failed,
)
from tests.unit.core.study.told import A2, A, B, reserved, state


def test_slot_that_nobody_reserved_is_open_until_the_study_closes() -> None:
    story = opened()
    closes = story.study().closes_at_us
    assert state(story, A) == ("OPEN", (Reason.NOT_STARTED,))
    assert state(story, A, closes)[0] == "OPEN"
    assert state(story, A, closes + 1) == ("MISSING", (Reason.MISSING,))


def test_open_slot_of_an_ended_study_is_missing_at_once() -> None:
    story = opened()
    story.end()
    assert state(story, A) == ("MISSING", (Reason.MISSING,))


def test_l04_reserved_slot_is_abandoned_when_log_time_is_past_its_deadline() -> None:
    story = reserved(A)
    deadline = story.now_us + DAY_US
    assert state(story, A)[0] == "RESERVED"
    assert state(story, A, deadline)[0] == "RESERVED"
    assert state(story, A, deadline + 1) == ("ABANDONED", (Reason.ABANDONED,))


def test_reservation_s_deadline_is_never_after_the_study_closes() -> None:
    story = opened()
    story.wait(int(1.5 * DAY_US))
    story.reserve(A)
    attempt = story.study().slots[A].attempts[0]
    assert attempt.deadline_us == story.study().closes_at_us
    assert state(story, A, attempt.deadline_us)[0] == "RESERVED"
    assert state(story, A, attempt.deadline_us + 1)[0] == "ABANDONED"


def test_reserved_slot_of_an_ended_study_keeps_its_deadline() -> None:
    story = reserved(A)
    deadline = story.now_us + DAY_US
    story.end()
    assert state(story, A, deadline)[0] == "RESERVED"
    assert state(story, A, deadline + 1)[0] == "ABANDONED"


def test_receipt_at_the_deadline_is_in_time_and_one_after_it_is_late() -> None:
    in_time, late = reserved(A), reserved(A)
    assert in_time.push(A, after_us=DAY_US).effect == "scored"
    assert state(in_time, A)[0] == "COMPLETE"
    assert late.push(A, after_us=DAY_US + 1).effect == "late"
    assert state(late, A) == ("ABANDONED", (Reason.ABANDONED, Reason.LATE))


@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        (capture(), "COMPLETE"),
        (starved(), "FAILED"),
        (server_error(), "FAILED"),
        (interrupted(), "PARTIAL"),
        (capture(incumbent()), "INVALID"),
        (warmup_failed(), "WARMUP_FAILED"),
    ],
)
def test_filled_slot_stands_where_its_capture_puts_it(seen: object, expected: str) -> None:
    story = reserved(A)
    story.push(A, seen)  # type: ignore[arg-type]  # a capture
    assert state(story, A)[0] == expected


def test_l03_later_receipt_of_a_reservation_abandons_what_was_left_out() -> None:
    story = reserved(A, B, A2)
    story.push(B)
    assert state(story, A) == ("ABANDONED", (Reason.ABANDONED,))
    assert state(story, A2)[0] == "RESERVED"
    assert story.push(A).effect == "late"
    assert state(story, A) == ("ABANDONED", (Reason.ABANDONED, Reason.LATE))


def test_slots_of_different_reservations_fill_in_any_order() -> None:
    story = opened()
    story.reserve(A)
    story.reserve(B)
    story.push(B)
    assert state(story, A)[0] == "RESERVED"
    story.push(A)
    assert state(story, A)[0] == "COMPLETE"


class TestConflict:
    """A second, different receipt for one attempt."""

    def test_second_receipt_makes_the_slot_invalid_and_keeps_both(self) -> None:
        story = reserved(A)
        story.push(A, starved())
        assert story.push(A).effect == "conflicting"
        assert state(story, A) == ("INVALID", (Reason.CONFLICTING_RECEIPTS,))
        assert len(scored_receipts(story.study().slots[A])) == 2

    def test_second_receipt_after_the_deadline_conflicts_and_is_not_scored(self) -> None:
        story = reserved(A)
        first = story.push(A, starved())
        assert story.push(A, after_us=2 * DAY_US).effect == "conflicting"
        assert [r.digest for r in scored_receipts(story.study().slots[A])] == [first.digest]

    def test_l29_second_receipt_that_came_late_lifts_no_failure(self) -> None:
        story = reserved(A)
        story.push(A, starved())
        story.push(A, after_us=2 * DAY_US)
        assert state(story, A) == (
            "FAILED",
            (Reason.SERVER_FAULT, Reason.CONFLICTING_RECEIPTS),
        )

    def test_second_receipt_that_came_late_spoils_everything_else(self) -> None:
        story = reserved(A)
        story.push(A)
        story.push(A, starved(), after_us=2 * DAY_US)
        assert state(story, A) == ("INVALID", (Reason.CONFLICTING_RECEIPTS,))

    def test_l29_receipt_into_a_closed_study_is_late_and_joins_nothing(self) -> None:
        story = reserved(A, B, A2)
        for name in (A, B, A2):
            story.push(name, starved() if name == B else None)
        assert story.push(B).effect == "conflicting"
        slot = story.study().slots[B]
        assert [receipt.late for receipt in slot.attempts[0].receipts] == [False, True]
        assert len(scored_receipts(slot)) == 1
        assert state(story, B)[0] == "FAILED"

    def test_receipt_that_never_measured_contradicts_but_is_not_scored(self) -> None:
        story = reserved(A)
        failing = story.push(A, starved())
        story.push(A, warmup_failed())
        assert state(story, A) == ("INVALID", (Reason.CONFLICTING_RECEIPTS,))
        assert [r.digest for r in scored_receipts(story.study().slots[A])] == [failing.digest]

    def test_two_late_receipts_leave_the_slot_abandoned(self) -> None:
        story = reserved(A)
        story.push(A, after_us=DAY_US + 1)
        assert story.push(A, starved()).effect == "late"
        assert state(story, A)[0] == "ABANDONED"
        assert scored_receipts(story.study().slots[A]) == ()

    def test_second_receipt_for_the_first_attempt_decides_over_a_retry(self) -> None:
        story = reserved(A)
        story.push(A, warmup_failed())
        story.reserve(A, attempt=2)
        story.push(A)
        assert state(story, A)[0] == "COMPLETE"
        story.push(A, attempt=1)
        assert state(story, A) == ("INVALID", (Reason.CONFLICTING_RECEIPTS,))
        first, second = story.study().slots[A].attempts
        assert attempt_state(first, story.now_us).reasons == (Reason.CONFLICTING_RECEIPTS,)
        assert attempt_state(second, story.now_us).state == "COMPLETE"


class TestRetry:
    """WARMUP_FAILED is not the end while a locked retry is left."""

    @staticmethod
    def failed() -> Story:
        story = reserved(A)
        story.push(A, warmup_failed())
        return story

    def test_warmup_that_failed_by_a_listed_code_is_not_terminal(self) -> None:
        story = self.failed()
        study = story.study()
        assert has_retry_left(study, study.slots[A], story.now_us)
        assert not is_terminal(study, study.slots[A], story.now_us)

    def test_retry_is_scored_and_the_first_attempt_stays(self) -> None:
        story = self.failed()
        story.reserve(A, attempt=2)
        assert state(story, A)[0] == "RESERVED"
        story.push(A)
        slot = story.study().slots[A]
        assert state(story, A)[0] == "COMPLETE"
        assert [a.number for a in slot.attempts] == [1, 2]
        scored = scored_attempt(slot)
        assert scored is not None
        assert scored.number == 2
        assert scored_receipts(slot) == scored.receipts

    def test_retry_that_fails_too_is_terminal(self) -> None:
        story = self.failed()
        story.reserve(A, attempt=2)
        story.push(A, warmup_failed())
        study = story.study()
        assert state(story, A)[0] == "WARMUP_FAILED"
        assert is_terminal(study, study.slots[A], story.now_us)
        assert scored_attempt(study.slots[A]) is None

    def test_retry_that_is_left_is_abandoned(self) -> None:
        story = self.failed()
        story.reserve(A, attempt=2)
        assert state(story, A, story.now_us + DAY_US + 1)[0] == "ABANDONED"

    def test_warmup_that_failed_by_another_code_is_terminal(self) -> None:
        story = reserved(A)
        story.push(A, warmup_failed(405))
        study = story.study()
        assert is_terminal(study, study.slots[A], story.now_us)

    def test_no_retry_is_left_once_the_study_is_ended_or_overdue(self) -> None:
        story = self.failed()
        study = story.study()
        assert has_retry_left(study, study.slots[A], study.closes_at_us)
        assert not has_retry_left(study, study.slots[A], study.closes_at_us + 1)
        story.end()
        assert is_terminal(story.study(), story.study().slots[A], story.now_us)
        assert state(story, A)[0] == "WARMUP_FAILED"
