# SPDX-License-Identifier: Apache-2.0
"""In which order may the slots of a study in blocks be taken?"""

import pytest

from app.core.errors import Conflict
from app.core.protocol.plan import plan
from app.core.study.order import next_slots
from app.core.study.slots import has_retry_left, is_terminal, slot_state, study_phase
from tests.claims import in_blocks
from tests.documents import CELL, DAY_US, document
from tests.factories import Story, opened
from tests.facts import warmup_failed
from tests.unit.core.admission.refused import refused

A1, B1, B2, A2 = f"A/{CELL}/1", f"B/{CELL}/1", f"B/{CELL}/2", f"A/{CELL}/2"


@pytest.fixture
def story() -> Story:
    return opened(in_blocks())


def test_slots_are_planned_and_handed_out_block_by_block(story: Story) -> None:
    assert next_slots(story.study())[:4] == (A1, B1, B2, A2)
    story.reserve(A1)
    story.reserve(B1, B2)
    assert next_slots(story.study())[0] == A2


@pytest.mark.parametrize("taken", [(B1,), (B1, A1), (A1, B2), (A1, A2), (A1, B1, A2)])
def test_slots_out_of_the_order_of_blocks_are_refused(story: Story, taken: tuple[str, ...]) -> None:
    with refused(story, Conflict, "out-of-order"):
        story.reserve(*taken)


def test_refusal_out_of_order_names_the_next_slot(story: Story) -> None:
    story.reserve(A1, B1)
    with pytest.raises(Conflict, match=f"the next is {B2}"):
        story.reserve(A2)


def test_slot_that_stands_taken_is_said_to_be_taken(story: Story) -> None:
    story.reserve(A1)
    with refused(story, Conflict, "slot-taken"):
        story.reserve(A1, B1)


def test_abandoned_slot_leaves_its_place_to_the_next(story: Story) -> None:
    story.reserve(A1)
    story.wait(DAY_US)
    story.reserve(B1)
    assert slot_state(story.study(), story.study().slots[A1], story.now_us).state == "ABANDONED"


def test_failed_warmup_is_tried_again_while_it_is_the_last_slot_taken(story: Story) -> None:
    story.reserve(A1)
    story.push(A1, warmup_failed())
    story.reserve(A1, attempt=2)
    story.push(A1)
    story.reserve(B1)


def test_retry_behind_the_other_half_of_its_block_is_refused(story: Story) -> None:
    story.reserve(A1)
    story.push(A1, warmup_failed())
    assert has_retry_left(story.study(), story.study().slots[A1], story.now_us)
    story.reserve(B1)
    study = story.study()
    assert not has_retry_left(study, study.slots[A1], story.now_us)
    assert is_terminal(study, study.slots[A1], story.now_us)
    with refused(story, Conflict, "slot-taken"):
        story.reserve(A1, attempt=2)


def test_retry_that_has_lapsed_keeps_no_study_open(story: Story) -> None:
    for slot in [slot.id for slot in plan(in_blocks())]:
        story.reserve(slot)
        story.push(slot, warmup_failed() if slot == A1 else None)
    assert study_phase(story.study(), story.now_us) == "CLOSED"


def test_arms_without_blocks_are_taken_in_any_order() -> None:
    story = opened(document(repetitions=2))
    story.reserve(B2)
    story.reserve(A2, A1)
    assert story.study().slots[B2].attempts
