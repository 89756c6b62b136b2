# SPDX-License-Identifier: Apache-2.0
"""Receipts folded before their captures are read come to the same study once they are read."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from app.core.admission.apply import apply
from app.core.admission.line import head_of
from app.core.admission.state import HeadState
from app.core.admission.unread import can_wait, decides, is_unread
from app.core.identity import micros_of
from app.core.statement.receipt import ReceiptPredicate
from app.core.study.slots import next_deadline, study_phase
from app.core.study.state import NotRead
from app.core.study.unread import read_up, stays_open
from tests.documents import DAY_US
from tests.factories import Story, opened
from tests.facts import capture, warmup_failed

A, B, A2 = SLOTS = ("A/C2-canary/1", "B/C2-canary/1", "A2/C2-canary/1")


def told_in_time() -> Story:
    story = opened()
    story.reserve(*SLOTS)
    for slot in SLOTS:
        story.push(slot)
    return story


def told_with_a_retry() -> Story:
    story = opened()
    story.reserve(A, B)
    story.push(A, warmup_failed())
    story.push(B)
    story.reserve(A, attempt=2)
    story.push(A, attempt=2)
    return story


def told_twice() -> Story:
    story = told_in_time()
    story.push(A, capture(boot_id="boot-other"))
    return story


def told_to_an_end() -> Story:
    story = opened()
    story.reserve(A, B)
    story.push(B)
    story.push(A)
    story.end()
    return story


def told_late() -> Story:
    story = opened()
    story.reserve(A, B)
    story.push(A)
    story.wait(3 * DAY_US)
    story.push(B)
    return story


def read(head: HeadState, story: Story) -> HeadState:
    captures = story.captures.__getitem__
    return replace(head, studies=tuple(read_up(study, captures) for study in head.studies))


def folded_unread(story: Story) -> HeadState:
    """Fold a story as a process does that was not asked about its head in between."""
    story_of_it = story.copy()
    head = HeadState(repository=story.make.repository, head=story.make.head)
    for step in story.steps:
        if head_of(step.draft.parsed) is None:
            continue
        waits = can_wait(head, (step.draft.parsed,), micros_of(step.entry.leaf.at))
        if not waits:
            head = read(head, story)
        seen = NotRead.YET if waits else step.draft.capture
        standing = replace(story_of_it.standing(), head=head)
        head = apply(standing, step.entry, seen).head or head
    return head


@pytest.mark.parametrize(
    "tell", [told_in_time, told_with_a_retry, told_twice, told_to_an_end, told_late]
)
def test_what_is_read_afterwards_is_what_is_read_at_once(tell: Callable[[], Story]) -> None:
    story = tell()
    head = read(folded_unread(story), story)
    assert head == story.standing().head
    assert not is_unread(head)


def unread_study(story: Story) -> HeadState:
    head = folded_unread(story)
    assert is_unread(head)
    return head


def test_the_last_receipt_is_not_left_unread_where_it_decides_about_the_closure() -> None:
    story = opened()
    story.reserve(*SLOTS)
    story.push(A)
    story.push(B)
    head = unread_study(story)
    assert not decides(head, story.now_us)
    assert stays_open(head.studies[0], 0, story.now_us)
    assert not stays_open(head.studies[0], 1, story.now_us)
    deadline = head.studies[0].slots[A2].attempts[0].deadline_us
    assert stays_open(head.studies[0], 0, deadline)
    assert decides(head, deadline + 1)


def test_a_warm_up_that_failed_unread_keeps_its_study_from_being_closed_before_its_time() -> None:
    story = opened()
    story.reserve(*SLOTS)
    for slot in SLOTS:
        story.push(slot, warmup_failed() if slot == B else None)
    head = folded_unread(story)
    (study,) = head.studies
    assert study.unread
    assert study_phase(study, story.now_us) == "CLOSED"
    assert decides(head, story.now_us)
    assert next_deadline(study) == study.closes_at_us
    assert study_phase(read(head, story).studies[0], story.now_us) == "OPEN"


def test_a_deviation_is_folded_only_where_everything_before_is_read() -> None:
    story = told_to_an_end()
    deviation = story.steps[-1].draft.parsed
    assert not can_wait(unread_study(opened_with_one()), (deviation,), story.now_us)


def opened_with_one() -> Story:
    story = opened()
    story.reserve(A, B)
    story.push(A)
    return story


def test_an_unknown_entry_is_not_folded_past_what_is_unread() -> None:
    assert not can_wait(unread_study(opened_with_one()), (None,), 0)


def test_receipts_are_counted_for_their_own_study_alone() -> None:
    story = opened_with_one()
    head = unread_study(story)
    receipt = next(
        step.draft.parsed
        for step in story.steps
        if isinstance(step.draft.parsed.predicate, ReceiptPredicate)
    )
    left = len(head.studies[0].slots) - 1
    assert can_wait(head, [receipt] * left, story.now_us)
    assert not can_wait(head, [receipt] * (left + 1), story.now_us)
    assert can_wait(HeadState(), [receipt], story.now_us)


def test_a_second_receipt_left_unread_contradicts_the_first_once_it_is_read() -> None:
    story = opened_with_one()
    head = story.standing().head
    assert head is not None
    step = story.push(A, capture(boot_id="boot-other"))
    told = apply(replace(story.standing(), head=head), step.entry, NotRead.YET).head
    assert told is not None
    assert is_unread(told)
    assert read(told, story) == story.standing().head
