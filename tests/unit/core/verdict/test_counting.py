# SPDX-License-Identifier: Apache-2.0
"""Which studies count, which were attempts, and whose gates moved."""

from msgspec.structs import replace

from app.core.reason import Reason
from app.core.receipt.outcome import Outcome
from app.core.study.attempts import attempts
from app.core.study.settling import settled_anew
from app.core.verdict.counting import countings, measured_slots, moved_gates
from tests.unit.core.verdict.make import (
    COMPLETE,
    DAY,
    P1,
    P2,
    RANK_MISMATCH,
    T0,
    WARMUP_404,
    WARMUP_500,
    complete,
    document,
    filled,
    lock,
    reserved,
    study,
)

LONG_AFTER = T0 + 9 * DAY


def test_a_study_counts_unless_it_says_otherwise() -> None:
    studies = (study(1), study(2, exploratory=True), study(3, replay=True))
    found = countings(studies, T0)
    assert list(found.values()) == ["counts", "exploratory", "replay"]


def test_an_exploratory_replay_is_exploratory() -> None:
    assert list(countings((study(exploratory=True, replay=True),), T0).values()) == ["exploratory"]


def test_l16_a_closed_study_with_zero_measured_slots_is_void() -> None:
    tried = filled(study(), "A/C1/1", WARMUP_404)
    assert list(countings((tried,), T0 + 3).values()) == ["counts"]
    assert list(countings((tried,), LONG_AFTER).values()) == ["void"]


def test_no_more_studies_are_void_than_the_protocol_allows() -> None:
    studies = tuple(filled(study(n), "A/C1/1", WARMUP_404) for n in (1, 2, 3))
    assert list(countings(studies, LONG_AFTER).values()) == ["void", "counts", "counts"]


def test_another_protocol_begins_no_new_allowance_of_void_studies() -> None:
    """Whoever locks the same protocol as another version draws from the same number."""
    other = lock(P2, of=document(max_void=2))
    studies = (study(1), study(2), study(3, protocol=other), study(4, protocol=other), study(5))
    found = list(countings(studies, LONG_AFTER).values())
    assert found == ["void", "counts", "void", "counts", "counts"]


def test_a_study_that_the_server_failed_in_a_warm_up_is_not_void() -> None:
    failed = filled(study(), "A/C1/1", WARMUP_500)
    assert list(countings((failed,), LONG_AFTER).values()) == ["counts"]


def test_a_server_failure_of_an_earlier_attempt_keeps_a_study_from_being_void() -> None:
    late = filled(study(), "A/C1/1", WARMUP_404)
    (attempt,) = late.slots["A/C1/1"].attempts
    (receipt,) = attempt.receipts
    failed = replace(receipt, late=True, outcome=WARMUP_500)
    behind = replace(attempt, number=2, receipts=(replace(receipt, outcome=WARMUP_404),))
    first = replace(attempt, receipts=(failed,))
    slot = replace(late.slots["A/C1/1"], attempts=(first, behind))
    told = settled_anew(replace(late, slots={**late.slots, "A/C1/1": slot}))
    assert list(countings((told,), LONG_AFTER).values()) == ["counts"]


def test_where_no_void_study_is_allowed_every_study_counts() -> None:
    strict = lock(of=document(max_void=0))
    assert list(countings((study(protocol=strict),), LONG_AFTER).values()) == ["counts"]


def test_a_study_that_measured_one_slot_counts_even_if_it_is_invalid() -> None:
    measured = filled(study(), "B/C1/1", RANK_MISMATCH)
    assert measured_slots(measured) == 1
    assert list(countings((measured,), LONG_AFTER).values()) == ["counts"]


def test_l04_an_abandoned_slot_makes_a_study_count() -> None:
    left = reserved(study(), "B/C1/1")
    assert list(countings((left,), LONG_AFTER).values()) == ["counts"]


def test_conflicting_receipts_make_a_study_count() -> None:
    twice = filled(study(), "A/C1/1", WARMUP_404, receipts=2)
    assert list(countings((twice,), LONG_AFTER).values()) == ["counts"]


def test_a_late_measured_receipt_keeps_a_study_from_being_void() -> None:
    late = filled(study(), "A/C1/1", COMPLETE, late=True)
    assert measured_slots(late) == 1
    assert list(countings((late,), LONG_AFTER).values()) == ["counts"]


def test_attempts_are_numbered_by_the_first_candidate_reservation() -> None:
    first = reserved(study(1), "B/C1/1", at_index=90)
    second = reserved(study(2), "B/C1/1", at_index=80)
    control_only = reserved(study(3), "A/C1/1", at_index=70)
    assert attempts((first, second, control_only)) == {second.digest: 1, first.digest: 2}


def test_l27_gates_locked_after_another_study_began_in_the_same_scope_have_moved() -> None:
    before = complete(study(1, protocol=lock(P1, index=2)))
    loosened = study(2, protocol=lock(P2, index=50), index=60)
    counting = countings((before, loosened), T0 + 3)
    (moved,) = moved_gates((before, loosened), counting)
    assert (moved.study, moved.lock_index) == (loosened.digest, 50)


def test_gates_locked_before_the_other_study_reserved_have_not_moved() -> None:
    before = reserved(study(1), "B/C1/1", at_index=55)
    after = study(2, protocol=lock(P2, index=50), index=60)
    opened_only = study(3)
    counting = countings((before, after, opened_only), T0 + 3)
    assert moved_gates((before, after, opened_only), counting) == ()


def test_gates_of_another_scope_have_not_moved() -> None:
    before = complete(study(1))
    other = study(2, protocol=lock(P2, index=50, of=document(scopes=("performance",))), index=60)
    assert moved_gates((before, other), countings((before, other), T0 + 3)) == ()


def test_an_exploratory_study_moves_no_gates() -> None:
    looked = complete(study(1, exploratory=True))
    after = study(2, protocol=lock(P2, index=50), index=60)
    assert moved_gates((looked, after), countings((looked, after), T0 + 3)) == ()


def test_a_slot_without_a_measured_phase_is_not_measured() -> None:
    failed = Outcome("FAILED", "sut", (Reason.SERVER_FAULT,), measured=False)
    assert measured_slots(filled(study(), "B/C1/1", failed)) == 0
