# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a statement is any value of it
"""A head that only people are asked about: its study closes at once, its word follows reviews."""

from typing import Any

import pytest
from msgspec.structs import replace

from app.core.identity import Role, Scope
from app.core.study.slots import closing_reason, flow, slot_standings, study_phase
from tests.factories import Story
from tests.people import NO_TIE, review
from tests.reviews import review_document, reviewed_story
from tests.unit.core.verdict.tales import word


def said(story: Story) -> tuple[str, str, str]:
    document = word(story)
    (required,) = document.required
    return document.word, required.state, required.reason


def speak(story: Story, who: str = "rita", outcome: str = "accepted", **changes: Any) -> str:
    """Append what a reviewer says of the head; return the statement's digest."""
    given = {"outcome": outcome, "did": [f"Read it, {story.size}."]}
    return story.append(review(story.make, signer=who, **(given | changes))).digest


def test_study_that_plans_no_slot_closes_when_it_is_opened_and_is_not_void() -> None:
    story = reviewed_story()
    (due,) = story.close_due()
    assert due.draft.parsed.kind == "closure"
    study = story.study()
    assert study_phase(study, study.opened_at_us) == "CLOSED"
    assert closing_reason(study) == "terminal"
    assert flow(study, slot_standings(study, story.now_us)).planned == 0
    (record,) = word(story).studies
    assert (record.counting, record.sealed, record.measured) == ("counts", False, 0)


def test_word_is_computed_again_when_a_review_arrives() -> None:
    story = reviewed_story(2)
    assert said(story) == ("HOLD", "NOT_RUN", "NO_REVIEW")
    assert word(story).next_action.role == "reviewer"
    speak(story)
    assert said(story)[:2] == ("HOLD", "INCONCLUSIVE")
    speak(story, "remy")
    assert said(story)[:2] == ("QUALIFIED", "PASS")
    against = speak(story, "remy", "changes_requested", supersedes=_newest(story))
    assert said(story)[:2] == ("NOT_QUALIFIED", "FAIL")
    speak(story, "remy", "comment", supersedes=against)
    assert said(story)[:2] == ("HOLD", "INCONCLUSIVE")


def _newest(story: Story) -> str:
    head = story.standing().head
    assert head is not None
    return head.reviews[-1].digest


@pytest.mark.parametrize("tie", ["author", "pushed", "locked", "ran"])
def test_whoever_declares_a_tie_counts_for_nothing(tie: str) -> None:
    story = reviewed_story()
    speak(story, relation=replace(NO_TIE, **{tie: True}))
    assert said(story)[1] == "NOT_RUN"
    speak(story, "remy")
    assert said(story)[1] == "PASS"


@pytest.mark.parametrize("holder", ["maintainer", "runner", "avery", "rosa"])
def test_whoever_locked_ran_or_wrote_it_counts_for_nothing_whatever_they_declare(
    holder: str,
) -> None:
    story = reviewed_story(people=())
    story.register("theirs", Role.REVIEWER, holder=holder)
    speak(story, "theirs")
    assert said(story)[1] == "NOT_RUN"
    assert word(story).reviews[0].independent is False


def test_second_key_of_one_person_is_no_second_person() -> None:
    story = reviewed_story(2, people=())
    for label in ("one", "other"):
        story.register(label, Role.REVIEWER, holder="rita")
    first = speak(story, "one")
    speak(story, "other", supersedes=first)
    assert said(story)[1] == "INCONCLUSIVE"


def test_review_of_another_scope_or_head_is_none_of_this_one() -> None:
    story = reviewed_story()
    speak(story, scope=Scope.CPU)
    assert said(story)[1] == "NOT_RUN"
    elsewhere = story.copy()
    elsewhere.make.head = "a" * 40
    speak(elsewhere)
    elsewhere.make.head = story.make.head
    assert said(elsewhere)[1] == "NOT_RUN"


def doubt(story: Story, label: str, *, holder: str = "rita") -> None:
    story.register("second", Role.ADMIN)
    story.append(
        story.make.key(
            label,
            Role.REVIEWER,
            checkpoint=story.checkpoint(),
            signers=("admin", "second"),
            action="revoke",
            reason="The disk was lost.",
            suspect_from_index=1,
            holder=holder,
        )
    )


def test_acceptance_by_a_doubted_key_counts_for_nothing() -> None:
    story = reviewed_story()
    speak(story)
    assert said(story)[0] == "QUALIFIED"
    doubt(story, "rita")
    assert said(story)[:2] == ("HOLD", "NOT_RUN")


def test_demand_for_changes_by_a_doubted_key_still_counts() -> None:
    story = reviewed_story()
    speak(story, "remy")
    speak(story, "rita", "changes_requested")
    doubt(story, "rita")
    assert said(story)[:2] == ("NOT_QUALIFIED", "FAIL")


def test_doubted_word_takes_back_an_acceptance_and_no_demand_for_changes() -> None:
    story = reviewed_story(people=("remy",))
    for label in ("old", "new"):
        story.register(label, Role.REVIEWER, holder="rita")
    first = speak(story, "old", "changes_requested")
    speak(story, "new", "accepted", supersedes=first)
    assert said(story)[:2] == ("QUALIFIED", "PASS")
    doubted = story.copy()
    doubt(doubted, "new")
    assert said(doubted)[:2] == ("NOT_QUALIFIED", "FAIL")

    story = reviewed_story(people=())
    for label in ("old", "new"):
        story.register(label, Role.REVIEWER, holder="rita")
    first = speak(story, "old")
    speak(story, "new", "comment", supersedes=first)
    doubt(story, "new")
    assert said(story)[1] == "NOT_RUN"


def test_key_that_was_laid_down_later_has_spoken_all_the_same() -> None:
    story = reviewed_story()
    speak(story)
    retire = story.make.key(
        "rita",
        Role.REVIEWER,
        checkpoint=story.checkpoint(),
        signers=("rita",),
        action="retire",
        reason="A new one.",
    )
    story.append(retire)
    assert said(story)[0] == "QUALIFIED"


def test_study_of_reviews_is_no_attempt_and_needs_no_pins_of_what_never_runs() -> None:
    story = reviewed_story()
    arms = {"B": replace(story.study().predicate.arms["B"], image=None, settings_digest=None)}
    story.open(arms=arms)
    speak(story)
    document = word(story)
    assert (document.attempt.k, document.attempt.n) == (0, 0)
    assert document.word == "QUALIFIED"


def test_reviews_lift_no_word_where_no_locked_gate_asks_for_them() -> None:
    story = reviewed_story()
    story.lock(review_document(2, name="two-people", version=1))
    story.policy(scopes=(Scope.SOURCE,))
    speak(story)
    assert said(story)[0] == "HOLD"
