# SPDX-License-Identifier: Apache-2.0
"""The fold refuses nothing: entries of a damaged log that name what is not there change nothing."""

from typing import Any

import pytest
from msgspec.structs import replace as changed

from app.core.statement.receipt import ReceiptPredicate
from app.core.statement.refusal import RefusalPredicate
from app.core.statement.reservation import ReservationPredicate
from app.core.study.control import control_of
from app.core.study.fold import Stamp, receive, refuse, reserve
from app.core.study.slots import slot_state
from tests.documents import document
from tests.factories import opened
from tests.facts import capture

A, B = "A/C2-canary/1", "B/C2-canary/1"
STAMP = Stamp("e" * 64, 99, 1)


def test_slot_that_is_not_planned_is_reserved_in_the_chain_and_nowhere_else() -> None:
    story = opened()
    study = story.study()
    predicate = story.make.reservation(study.digest, [A, "Z/C9/1", B]).parsed.predicate
    assert isinstance(predicate, ReservationPredicate)
    stamp = Stamp("e" * 64, 99, story.now_us)
    after = reserve(study, predicate, stamp, challenge="c" * 64)
    assert list(after.slots) == list(study.slots)
    assert after.reservations["e" * 64].slots == (A, "Z/C9/1", B)
    receipt = story.make.receipt(
        study.predicate,
        capture(),
        study_digest=study.digest,
        reservation="e" * 64,
        slot=B,
        challenge="c" * 64,
    ).parsed.predicate
    assert isinstance(receipt, ReceiptPredicate)
    filled = receive(after, receipt, stamp, capture())
    assert slot_state(filled, filled.slots[A], story.now_us).state == "ABANDONED"
    assert slot_state(filled, filled.slots[B], story.now_us).state == "COMPLETE"


@pytest.mark.parametrize(
    "change", [{"reservation": "9" * 64}, {"attempt": 2}, {"slot": B}, {"slot": "Z/C9/1"}]
)
def test_receipt_for_what_was_not_reserved_changes_nothing(change: dict[str, Any]) -> None:
    story = opened()
    story.reserve(A)
    predicate = story.receipt(A).parsed.predicate
    assert isinstance(predicate, ReceiptPredicate)
    study = story.study()
    assert receive(study, changed(predicate, **change), STAMP, capture()) is study


def test_receipt_for_a_slot_of_another_reservation_changes_nothing() -> None:
    story = opened()
    story.reserve(A)
    story.reserve(B)
    predicate = story.receipt(A).parsed.predicate
    assert isinstance(predicate, ReceiptPredicate)
    study = story.study()
    assert receive(study, changed(predicate, slot=B), STAMP, capture()) is study


def test_receipt_whose_capture_is_not_at_hand_is_undecided() -> None:
    story = opened()
    story.reserve(A)
    predicate = story.receipt(A).parsed.predicate
    assert isinstance(predicate, ReceiptPredicate)
    study = receive(story.study(), predicate, Stamp("e" * 64, 99, story.now_us), None)
    assert slot_state(study, study.slots[A], story.now_us).state == "PARTIAL"


def test_refusal_for_what_was_not_reserved_changes_nothing() -> None:
    story = opened()
    predicate = story.make.refusal(story.study().digest, "9" * 64, A).parsed.predicate
    assert isinstance(predicate, RefusalPredicate)
    assert refuse(story.study(), predicate) is story.study()


@pytest.mark.parametrize(
    ("arms", "arm", "control"),
    [
        (("A", "B", "A2"), "A2", "A"),
        (("A", "B", "A2"), "A", None),
        (("A", "B", "A2"), "B", None),
        (("A", "B", "A2"), "Z", None),
        (("B", "A2"), "A2", None),
    ],
)
def test_return_control_goes_back_to_the_control_of_its_letter(
    arms: tuple[str, ...], arm: str, control: str | None
) -> None:
    assert control_of(document(arms=arms), arm) == control


def test_return_control_without_a_control_of_its_letter_goes_back_to_the_first() -> None:
    arms = document().arms
    other = changed(document(), arms=[changed(arms[0], id="D"), arms[2]])
    assert control_of(other, "A2") == "D"
