# SPDX-License-Identifier: Apache-2.0
"""The life of a study, its deadlines, and why it is closed."""

from msgspec.structs import replace

from app.core.study.slots import closing_reason, deadlines, next_deadline, study_phase
from tests.documents import DAY_US
from tests.factories import Story, opened
from tests.facts import warmup_failed

A, B, A2 = SLOTS = ("A/C2-canary/1", "B/C2-canary/1", "A2/C2-canary/1")


def filled(*slots: str) -> Story:
    story = opened()
    story.reserve(*SLOTS)
    for slot in slots:
        story.push(slot)
    return story


def test_study_is_open_until_it_is_overdue() -> None:
    study = opened().study()
    assert study_phase(study, study.closes_at_us) == "OPEN"
    assert study_phase(study, study.closes_at_us + 1) == "CLOSED"
    assert closing_reason(study) == "overdue"
    assert next_deadline(study) == study.closes_at_us
    assert deadlines(study) == (study.closes_at_us,)


def test_study_is_closed_by_its_last_receipt_and_not_before() -> None:
    story = filled(A, B)
    assert study_phase(story.study(), story.now_us) == "OPEN"
    story.push(A2)
    study = story.study()
    assert study_phase(study, story.now_us) == "CLOSED"
    assert closing_reason(study) == "terminal"
    assert next_deadline(study) is None
    assert deadlines(study) == ()


def test_study_whose_last_slots_are_abandoned_is_closed_after_their_deadline() -> None:
    story = filled(A)
    study = story.study()
    deadline = study.slots[A2].attempts[0].deadline_us
    assert next_deadline(study) == deadline
    assert deadlines(study) == (deadline,)
    assert study_phase(study, deadline) == "OPEN"
    assert study_phase(study, deadline + 1) == "CLOSED"
    assert closing_reason(study) == "terminal"


def test_one_slot_that_nobody_reserved_keeps_a_study_open() -> None:
    story = opened()
    story.reserve(A, B)
    study = story.study()
    deadline = study.slots[A].attempts[0].deadline_us
    assert study_phase(study, deadline + 1) == "OPEN"
    assert next_deadline(study) == study.closes_at_us
    assert deadlines(study) == (deadline, study.closes_at_us)


def test_ended_study_drains_and_is_closed_when_no_reserved_slot_is_left() -> None:
    story = opened()
    story.reserve(A)
    story.end()
    study = story.study()
    deadline = study.slots[A].attempts[0].deadline_us
    assert study_phase(study, story.now_us) == "DRAINING"
    assert next_deadline(study) == deadline
    assert study_phase(study, deadline + 1) == "CLOSED"
    story.push(A)
    assert study_phase(story.study(), story.now_us) == "CLOSED"
    assert closing_reason(story.study()) == "ended"


def test_ended_study_without_reserved_slots_is_closed_at_once() -> None:
    story = opened()
    story.end()
    assert study_phase(story.study(), story.now_us) == "CLOSED"
    assert closing_reason(story.study()) == "ended"


def test_first_deviation_that_ends_a_study_gives_its_time() -> None:
    story = opened()
    story.reserve(A)
    story.deviate(A)
    assert story.study().ended_at_us is None
    story.end()
    ended = story.now_us
    assert story.study().ended_at_us == ended
    assert len(story.study().deviations) == 2


def test_retry_that_is_left_keeps_a_study_open_until_it_is_overdue() -> None:
    story = filled(A, B)
    story.push(A2, warmup_failed())
    study = story.study()
    assert study_phase(study, story.now_us) == "OPEN"
    assert next_deadline(study) == study.closes_at_us
    assert study_phase(study, study.closes_at_us + 1) == "CLOSED"
    assert closing_reason(study) == "overdue"


def test_study_whose_closure_stands_waits_for_nothing() -> None:
    study = replace(opened().study(), closure_index=9)
    assert next_deadline(study) is None


def test_reservation_that_ends_with_the_study_is_overdue() -> None:
    story = opened()
    story.wait(2 * DAY_US - 5_000_000)
    story.reserve(*SLOTS)
    study = story.study()
    assert deadlines(study) == (study.closes_at_us,)
    assert closing_reason(study) == "overdue"
