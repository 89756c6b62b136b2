# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a record is any value of it
"""What a gate on reviews says of the reviews that stand."""

from typing import Any

import pytest
from msgspec import to_builtins

from app.core.identity import Scope, instant_of
from app.core.protocol.plan import plan
from app.core.score.judge import ScoredSlot, StudyScore, judge_study
from app.core.statement.people_records import ReviewRecord, SaidBy
from tests.documents import document
from tests.factories import START_US
from tests.people import NO_TIE
from tests.reviews import READ, review_document, review_gate
from tests.scores import COMPLETE, FAILED, MISSING, only, said, scope


def said_by(holder: str = "rita", *, suspect: bool = False) -> SaidBy:
    return SaidBy(
        statement="0" * 64,
        entry=9,
        at=instant_of(START_US),
        key="1" * 64,
        holder=holder,
        role="reviewer",
        suspect=suspect,
    )


def review(
    outcome: Any = "accepted", holder: str = "rita", *, suspect: bool = False, **changes: Any
) -> ReviewRecord:
    given: dict[str, Any] = {
        "said": said_by(holder, suspect=suspect),
        "base": None,
        "scope": Scope.SOURCE,
        "outcome": outcome,
        "did": ["read it"],
        "did_not": [],
        "evidence": [],
        "relation": NO_TIE,
        "independent": True,
        "superseded": False,
    }
    return ReviewRecord(**(given | changes))


REMY = review(holder="remy")


def judged(accepted: int, *reviews: ReviewRecord) -> StudyScore:
    return judge_study(review_document(accepted), (), reviews=reviews)


def state(accepted: int, *reviews: ReviewRecord) -> tuple[str, str]:
    score = judged(accepted, *reviews)
    found = said(only(score, "reviewed-source"))
    assert scope(score).state == found[0]
    return found


PASS = ("PASS", "REVIEWS_ACCEPTED")
FAIL = ("FAIL", "CHANGES_REQUESTED")
SHORT = ("INCONCLUSIVE", "INSUFFICIENT_N")
NONE = ("NOT_RUN", "NO_REVIEW")


@pytest.mark.parametrize(
    ("accepted", "reviews", "expected"),
    [
        (1, (), NONE),
        (1, (review(),), PASS),
        (2, (review(),), SHORT),
        (2, (review(), REMY), PASS),
        (1, (review(), REMY), PASS),
        (3, (review(), REMY), SHORT),
    ],
)
def test_as_many_people_as_the_lock_asks_for(
    accepted: int, reviews: tuple[ReviewRecord, ...], expected: tuple[str, str]
) -> None:
    assert state(accepted, *reviews) == expected


def test_two_keys_of_one_person_are_one_person() -> None:
    assert state(2, review(), review()) == SHORT


def test_comment_is_neither_for_nor_against() -> None:
    assert state(1, review("comment")) == NONE
    assert state(2, review(), review("comment", "remy")) == SHORT
    assert state(1, review(), review("comment", "remy")) == PASS


def test_one_person_is_one_however_the_handle_is_written() -> None:
    assert state(2, review(), review(holder="Rita")) == state(2, review())
    assert state(2, review(), REMY) == PASS


def test_independent_demand_for_changes_stands_against_every_acceptance() -> None:
    against = review("changes_requested", "ruth")
    assert state(1, against) == FAIL
    assert state(1, review(), REMY, against) == FAIL
    tied = review("changes_requested", "ruth", independent=False)
    assert state(1, review(), tied) == PASS
    gone = review("changes_requested", "ruth", superseded=True)
    assert state(1, review(), gone) == PASS


@pytest.mark.parametrize(
    "changes",
    [
        {"independent": False},
        {"superseded": True},
        {"scope": Scope.CPU},
        {"suspect": True},
    ],
)
def test_acceptance_that_is_tied_taken_back_doubted_or_of_another_scope_counts_for_nothing(
    changes: dict[str, Any],
) -> None:
    assert state(1, review(**changes)) == NONE
    assert state(2, review(**changes), REMY) == SHORT


def test_doubted_demand_for_changes_still_counts_against() -> None:
    assert state(1, review(), review("changes_requested", "ruth", suspect=True)) == FAIL


def test_judgement_says_how_many_of_how_many() -> None:
    found = only(judged(3, review(), REMY), "reviewed-source")
    assert found.observed is not None
    assert (found.observed.lo, found.observed.hi) == ("2", "2")
    assert (found.limit, found.margin, found.unit) == ("3", "-1", "1")
    assert found.rule == "3 independent people have accepted the source of this head"
    assert only(judged(1), "reviewed-source").rule == (
        "1 independent person has accepted the source of this head"
    )
    assert (found.observations, found.counts.planned) == ([], 0)


def test_reviews_stand_beside_slots_and_fill_none() -> None:
    value = to_builtins(document())
    cells = [*value["cells"], {"capture": "review", "id": READ}]
    gates = [*value["gates"], review_gate(scope="live_correctness")]
    both = document(cells=cells, gates=gates)
    slots = [ScoredSlot(slot, *COMPLETE) for slot in plan(both)]
    assert len(slots) == 3
    accepted = review(scope=Scope.LIVE_CORRECTNESS)
    assert said(scope(judge_study(both, slots, reviews=[accepted]))) == ("PASS", "ALL_GATES_PASS")
    alone = scope(judge_study(both, slots))
    assert alone.state == "NOT_RUN"
    missing = [ScoredSlot(slot, *MISSING) for slot in plan(both)]
    assert scope(judge_study(both, missing, reviews=[accepted])).state == "NOT_RUN"


def test_reviews_turn_nothing_green_where_no_gate_asks_for_them() -> None:
    slots = [ScoredSlot(slot, *FAILED) for slot in plan(document())]
    with_reviews = judge_study(document(), slots, reviews=[review(scope=Scope.LIVE_CORRECTNESS)])
    assert with_reviews == judge_study(document(), slots)


def test_reviews_beside_accounts_that_do_not_add_up_pass_nothing() -> None:
    value = to_builtins(document())
    cells = [*value["cells"], {"capture": "review", "id": READ}]
    gates = [*value["gates"], review_gate(scope="live_correctness")]
    both = document(cells=cells, gates=gates)
    slots = [ScoredSlot(slot, *COMPLETE) for slot in plan(both)[1:]]
    score = judge_study(both, slots, reviews=[review(scope=Scope.LIVE_CORRECTNESS)])
    unbalanced = only(score, "reviewed-live_correctness")
    assert said(unbalanced) == ("INVALID", "LEDGER_UNBALANCED")
