# SPDX-License-Identifier: Apache-2.0
"""What slots add up to: the stop rule, a control that changed, the accounting identity."""

import pytest
from msgspec.structs import replace
from msgspec.structs import replace as changed

from app.core.errors import IntegrityBroken
from app.core.reason import Reason
from app.core.statement.protocol_document import StopRule
from app.core.study.slots import (
    flow,
    is_stopped,
    slot_standings,
)
from app.core.study.state import StudyState
from tests.documents import DAY_US, document
from tests.factories import Story, opened
from tests.facts import (
    capture,
    incumbent,
    interrupted,
    newcomer,
    starved,
    topology,
    warmup_failed,
)
from tests.unit.core.study.told import A2, A, B, reserved, state


def with_stop_rule(study: StudyState, *on: str) -> StudyState:
    rule = StopRule(on=list(on))  # type: ignore[arg-type]  # the two words of the list
    locked = changed(study.document, stop_rule=rule)
    predicate = changed(study.lock.predicate, document=locked)
    return replace(study, lock=replace(study.lock, predicate=predicate))


class TestStopRule:
    """After which states nothing more is reserved."""

    def test_study_without_bad_slots_goes_on(self) -> None:
        story = reserved(A)
        story.push(A)
        study = with_stop_rule(story.study(), "slot_invalid", "slot_failed")
        assert not is_stopped(study, story.now_us)

    @pytest.mark.parametrize(("on", "stops"), [("slot_failed", True), ("slot_invalid", False)])
    def test_failed_slot_stops_where_the_rule_says_so(self, on: str, *, stops: bool) -> None:
        story = reserved(A)
        story.push(A, starved())
        assert is_stopped(with_stop_rule(story.study(), on), story.now_us) is stops

    @pytest.mark.parametrize(("on", "stops"), [("slot_failed", False), ("slot_invalid", True)])
    def test_invalid_slot_stops_where_the_rule_says_so(self, on: str, *, stops: bool) -> None:
        story = reserved(A)
        story.push(A, capture(incumbent()))
        assert is_stopped(with_stop_rule(story.study(), on), story.now_us) is stops

    def test_warmup_that_failed_stops_only_when_no_retry_is_left(self) -> None:
        story = reserved(A)
        story.push(A, warmup_failed())
        assert not is_stopped(story.study(), story.now_us)
        story.reserve(A, attempt=2)
        story.push(A, warmup_failed())
        assert is_stopped(story.study(), story.now_us)


class TestControl:
    """L08: a return control that ran with another driver than its control."""

    @staticmethod
    def with_driver(story: Story, slot: str, driver: str | None) -> None:
        pinned = story.study().predicate.arms[slot.partition("/")[0]]
        ranks = [changed(rank, driver=driver) for rank in topology(pinned).ranks]
        story.push(slot, topology=topology(pinned, ranks=ranks))

    @pytest.mark.parametrize("order", [(A, A2), (A2, A)])
    def test_l08_other_driver_is_a_changed_control_in_either_order(
        self, order: tuple[str, str]
    ) -> None:
        story = opened()
        for slot in order:
            story.reserve(slot)
        for slot in order:
            self.with_driver(story, slot, "580" if slot == A else "581")
        assert state(story, A)[0] == "COMPLETE"
        assert state(story, A2) == ("INVALID", (Reason.CONTROL_CHANGED,))

    @pytest.mark.parametrize(("first", "second"), [(None, "580"), ("580", None), ("580", "580")])
    def test_driver_that_is_equal_or_was_not_read_changes_nothing(
        self, first: str | None, second: str | None
    ) -> None:
        story = opened()
        story.reserve(A)
        story.reserve(A2)
        self.with_driver(story, A, first)
        self.with_driver(story, A2, second)
        assert state(story, A2)[0] == "COMPLETE"

    def test_late_receipt_says_nothing_about_the_control(self) -> None:
        story = opened()
        story.reserve(A)
        story.wait(DAY_US)
        self.with_driver(story, A, "581")
        story.reserve(A2)
        self.with_driver(story, A2, "580")
        assert state(story, A2)[0] == "COMPLETE"

    def test_candidate_may_run_with_its_own_driver(self) -> None:
        story = opened()
        story.reserve(A)
        story.reserve(B)
        self.with_driver(story, A, "580")
        self.with_driver(story, B, "581")
        assert state(story, B)[0] == "COMPLETE"


class TestFlow:
    """planned is the sum of the other nine, at every instant."""

    def test_counts_of_a_study_close_at_every_step(self) -> None:
        story = opened(document(repetitions=3))
        slots = list(story.study().slots)
        assert flow(story.study(), slot_standings(story.study(), story.now_us)).open == 9
        story.reserve(*slots[:3])
        story.push(slots[1])
        story.reserve(*slots[3:7])
        for slot, seen in zip(slots[3:], (starved(), interrupted(), warmup_failed()), strict=False):
            story.push(slot, seen)
        story.push(slots[6], capture(newcomer(), incumbent(first=700_000)))
        found = flow(story.study(), slot_standings(story.study(), story.now_us))
        assert (found.planned, found.open, found.reserved, found.abandoned) == (9, 2, 1, 1)
        assert (found.complete, found.failed, found.partial) == (1, 1, 1)
        assert (found.warmup_failed, found.invalid, found.missing) == (1, 1, 0)
        past = story.study().closes_at_us + 1
        overdue = flow(story.study(), slot_standings(story.study(), past))
        assert (overdue.open, overdue.missing, overdue.reserved, overdue.abandoned) == (0, 2, 0, 2)

    def test_study_that_lost_a_planned_slot_gives_no_flow(self) -> None:
        study = opened().study()
        less = replace(study, slots={n: slot for n, slot in study.slots.items() if n != A})
        with pytest.raises(IntegrityBroken) as caught:
            flow(less, slot_standings(less, study.opened_at_us))
        assert caught.value.code == "ledger-unbalanced"
