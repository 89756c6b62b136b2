# SPDX-License-Identifier: Apache-2.0
"""May this runner take these slots now?"""

import pytest

from app.core.errors import Conflict, NotAllowed, UnknownThing
from app.core.log.leaf import challenge_of
from app.core.statement.protocol_document import ReservationRule
from tests.documents import DAY_US, digest, document
from tests.factories import begun, opened
from tests.facts import capture, incumbent, starved, warmup_failed
from tests.unit.core.admission.refused import refused

A, B, A2 = SLOTS = ("A/C2-canary/1", "B/C2-canary/1", "A2/C2-canary/1")


def test_reservation_takes_its_slots_and_hands_out_the_first_challenge() -> None:
    story = opened()
    step = story.reserve(B, A)
    reservation = story.study().reservations[step.digest]
    assert reservation.slots == (B, A)
    assert reservation.challenge == challenge_of(step.entry.leaf)
    assert reservation.deadline_us == story.now_us + DAY_US


def test_reservation_of_a_study_on_another_head_is_refused() -> None:
    story = opened()
    with refused(story, UnknownThing, "unknown-study"):
        story.append(story.make.reservation(digest("a study"), [A]))


def test_reservation_on_a_head_without_any_study_is_refused() -> None:
    story = begun()
    with refused(story, UnknownThing, "unknown-study"):
        story.append(story.make.reservation(digest("a study"), [A]))


def test_reservation_by_a_maintainer_is_refused() -> None:
    story = opened()
    with refused(story, NotAllowed, "role"):
        story.reserve(A, signer="maintainer")


def test_l05_reservation_by_a_runner_the_study_does_not_name_is_refused() -> None:
    story = opened()
    story.register("runner-2")
    with refused(story, NotAllowed, "not-a-runner"):
        story.reserve(A, signer="runner-2")


def test_reservation_of_a_slot_that_is_not_planned_is_refused() -> None:
    story = opened()
    with refused(story, UnknownThing, "unknown-slot"):
        story.reserve(A, "A/C2-canary/2")


def test_reservation_takes_all_of_its_slots_or_none() -> None:
    story = opened()
    story.reserve(A)
    with refused(story, Conflict, "slot-taken") as told:
        story.reserve(B, A)
    assert told.value.detail.startswith(f"{A} is taken")


@pytest.mark.parametrize("seen", [None, capture(), starved()])
def test_slot_that_was_ever_reserved_is_not_open_again(seen: object) -> None:
    story = opened()
    story.reserve(A)
    if seen is not None:
        story.push(A, seen)  # type: ignore[arg-type]  # a capture
    with refused(story, Conflict, "slot-taken"):
        story.reserve(A)


def test_l04_abandoned_slot_is_not_reserved_again() -> None:
    story = opened()
    story.reserve(A)
    story.wait(DAY_US)
    for attempt in (1, 2):
        with refused(story, Conflict, "slot-taken"):
            story.reserve(A, attempt=attempt)


def test_reservation_at_the_closing_instant_is_taken_and_after_it_not() -> None:
    story = opened()
    closes = story.study().closes_at_us
    draft = story.make.reservation(story.study().digest, [A])
    with refused(story, Conflict, "study-closed"):
        story.append(draft, after_us=closes - story.now_us + 1)
    story.append(draft, after_us=closes - story.now_us)
    assert story.study().slots[A].attempts[0].deadline_us == closes


def test_ended_study_takes_no_reservation_while_it_drains() -> None:
    story = opened()
    story.reserve(A)
    story.end()
    with refused(story, Conflict, "study-closed"):
        story.reserve(B)


def test_study_that_its_stop_rule_stopped_takes_no_reservation() -> None:
    story = opened()
    story.reserve(A)
    story.push(A, capture(incumbent()))
    with refused(story, Conflict, "study-stopped"):
        story.reserve(B)


def test_not_more_slots_stand_reserved_than_the_protocol_allows() -> None:
    rule = ReservationRule(ahead_max=2, allowance_us=DAY_US)
    story = opened(
        document(reservation={"ahead_max": rule.ahead_max, "allowance_us": rule.allowance_us})
    )
    with refused(story, Conflict, "ahead-max"):
        story.reserve(*SLOTS)
    story.reserve(A, B)
    with refused(story, Conflict, "ahead-max"):
        story.reserve(A2)
    story.push(A)
    story.reserve(A2)


class TestRetry:
    """A second attempt needs the locked rule; there is no third."""

    def test_second_attempt_follows_a_warmup_that_failed_by_a_listed_code(self) -> None:
        story = opened()
        story.reserve(A)
        with refused(story, Conflict, "slot-taken"):
            story.reserve(A, attempt=2)
        story.push(A, warmup_failed())
        with refused(story, Conflict, "slot-taken"):
            story.reserve(A, attempt=1)
        story.reserve(A, attempt=2)
        story.push(A, warmup_failed())
        for attempt in (1, 2):
            # The retry that failed too has stopped the study before it is asked about a slot.
            with refused(story, Conflict, "study-stopped"):
                story.reserve(A, attempt=attempt)

    def test_third_attempt_is_refused_where_nothing_stops_the_study(self) -> None:
        story = opened(document(stop_rule={"on": []}))
        story.reserve(A)
        story.push(A, warmup_failed())
        story.reserve(A, attempt=2)
        story.push(A, warmup_failed())
        for attempt in (1, 2):
            with refused(story, Conflict, "slot-taken"):
                story.reserve(A, attempt=attempt)

    @pytest.mark.parametrize("seen", [warmup_failed(405), warmup_failed(503), starved()])
    def test_second_attempt_after_anything_else_is_refused(self, seen: object) -> None:
        story = opened(document(stop_rule={"on": []}))
        story.reserve(A)
        story.push(A, seen)  # type: ignore[arg-type]  # a capture
        with refused(story, Conflict, "slot-taken"):
            story.reserve(A, attempt=2)

    def test_second_attempt_at_an_open_slot_is_refused(self) -> None:
        story = opened()
        with refused(story, Conflict, "slot-taken"):
            story.reserve(B, attempt=2)
