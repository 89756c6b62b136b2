# SPDX-License-Identifier: Apache-2.0
"""What people say beside the computed word: it only ever holds, and it names who acts."""

import pytest

from app.core.identity import Role
from app.core.statement.hold import AppliesTo, NextStep
from app.core.statement.review import Relation
from app.core.verdict.bundle import score_bundle, write_bundle
from app.core.verdict.explain import action_sentence_of, exit_code_of, sentence_of
from app.core.verdict.fold import verdict_bytes
from tests.documents import commit
from tests.factories import Story, begun
from tests.facts import starved
from tests.people import applies_to, clear, decision, hold, ref, review, waiver
from tests.unit.core.verdict.tales import B, bundled, codes, run_study, word


def qualified() -> Story:
    """Return a story whose head passes everything."""
    story = begun()
    story.register("reviewer", Role.REVIEWER)
    run_study(story)
    assert word(story).word == "QUALIFIED"
    return story


@pytest.mark.parametrize(
    "about",
    [
        applies_to(),
        applies_to(changes=["180"]),
        applies_to(changes=["999", "180"], claim="land"),
        applies_to(claim="land"),
        applies_to(commit("head")),
    ],
)
def test_hold_on_head_change_claim_or_repository_takes_the_word_away(about: AppliesTo) -> None:
    story = qualified()
    placed = story.append(hold(story.make, about))
    document = word(story)
    assert (document.word, codes(document)) == ("HOLD", ["HOLD_IN_FORCE"])
    assert document.reasons[0].entry == placed.entry.index
    assert [one.in_force for one in document.holds] == [True]
    assert exit_code_of(document) == 24


@pytest.mark.parametrize(
    "about",
    [applies_to(changes=["999"]), applies_to(commit("other")), applies_to(claim="default")],
)
def test_hold_on_something_else_holds_nothing_here(about: AppliesTo) -> None:
    story = qualified()
    if about.claim == "default":
        story.policy(claims=["land", "default"])
    story.append(hold(story.make, about))
    document = word(story)
    assert (document.word, document.holds) == ("QUALIFIED", [])


def test_hold_names_who_acts_in_which_words_and_what_the_author_does() -> None:
    story = qualified()
    step = NextStep(person="plotarmordev", what="rebase the integration")
    story.append(hold(story.make, next_action=step, author_action_now="rebase on main"))
    document = word(story)
    action = document.next_action
    assert (action.person, action.role, action.reason) == ("plotarmordev", "named", "HOLD_IN_FORCE")
    assert action.what == "rebase the integration"
    assert document.author_action_now == "rebase on main"
    assert action_sentence_of(document) == (
        "Next action: plotarmordev (named by a hold): rebase the integration. "
        "Author action now: rebase on main."
    )
    assert sentence_of(document) == (
        "maintainer holds this: The live contention check did not establish progress. "
        "Until: A locked contention comparison passes its gates."
    )


def test_newest_hold_names_the_owner_and_an_older_one_may_still_ask_the_author() -> None:
    story = qualified()
    first = story.append(hold(story.make, author_action_now="split the change"))
    newest = NextStep(person="mara", what="schedule")
    story.append(hold(story.make, applies_to(), next_action=newest))
    document = word(story)
    assert document.next_action.person == "mara"
    assert document.author_action_now == "split the change"
    story.append(clear(story.make, first.digest))
    assert word(story).author_action_now == "none"


def test_hold_leaves_a_fail_a_fail_and_names_the_owner_all_the_same() -> None:
    story = begun()
    run_study(story, {B: starved()})
    story.append(hold(story.make))
    document = word(story)
    assert (document.word, codes(document)) == ("NOT_QUALIFIED", ["SCOPE_FAILED", "HOLD_IN_FORCE"])
    assert document.next_action.person == "plotarmordev"


def test_cleared_hold_gives_back_what_the_evidence_says_and_stays_visible() -> None:
    story = qualified()
    placed = story.append(hold(story.make, applies_to(changes=["180"])))
    story.append(clear(story.make, placed.digest, applies_to(changes=["180"])))
    document = word(story)
    assert document.word == "QUALIFIED"
    (shown,) = document.holds
    assert not shown.in_force
    assert shown.ended is not None
    assert (shown.ended.how, shown.ended.why) == ("cleared", "The comparison has passed.")


def test_restated_hold_stands_once() -> None:
    story = qualified()
    first = story.append(hold(story.make))
    story.append(hold(story.make, supersedes=first.digest, why="Restated."))
    document = word(story)
    assert codes(document) == ["HOLD_IN_FORCE"]
    assert [one.in_force for one in document.holds] == [False, True]
    assert document.holds[0].ended is not None
    assert document.holds[0].ended.how == "restated"


def test_hold_on_a_change_is_carried_over_to_a_head_without_evidence() -> None:
    story = qualified()
    story.append(hold(story.make, applies_to(changes=["180"])))
    story.make.head = commit("pushed later")
    assert word(story).holds == []
    story.append(ref(story.make, commit("pushed later"), branch="topic", change="180"))
    document = word(story)
    assert document.changes == ["180"]
    assert document.change == "180"
    assert "HOLD_IN_FORCE" in codes(document)
    assert document.next_action.person == "plotarmordev"


def test_further_study_under_another_changes_number_escapes_no_hold() -> None:
    story = qualified()
    story.append(hold(story.make, applies_to(changes=["180"])))
    run_study(story, change="181")
    document = word(story)
    assert document.changes == ["180", "181"]
    assert codes(document) == ["HOLD_IN_FORCE"]


@pytest.mark.parametrize("facts", [{}, {B: starved()}])
def test_l24_decision_changes_no_computed_member(facts: dict[str, object]) -> None:
    story = begun()
    run_study(story, facts)  # type: ignore[arg-type]  # captures
    before = word(story)
    story.append(waiver(story.make))
    after = word(story)
    (shown,) = after.decisions
    assert (shown.decided, shown.said.holder, shown.superseded) == ("waived", "maintainer", False)
    told = {"decisions", "as_of"}
    for name in type(before).__struct_fields__:
        if name not in told:
            assert getattr(before, name) == getattr(after, name)


def test_decision_about_another_claim_is_shown_there_and_one_about_none_everywhere() -> None:
    story = begun()
    story.policy(claims=["land", "default"])
    run_study(story)
    story.append(decision(story.make, claim="default"))
    whole = story.append(decision(story.make, claim=None))
    assert [one.said.statement for one in word(story).decisions] == [whole.digest]
    assert len(word(story, "default").decisions) == 2


def test_decision_that_was_taken_back_is_shown_as_such() -> None:
    story = qualified()
    first = story.append(waiver(story.make))
    story.append(decision(story.make, decided="declined", supersedes=first.digest))
    assert [one.superseded for one in word(story).decisions] == [True, False]


def test_accepted_review_lifts_nothing() -> None:
    story = begun()
    story.register("reviewer", Role.REVIEWER)
    story.append(review(story.make, outcome="accepted"))
    document = word(story)
    assert document.word == "HOLD"
    (shown,) = document.reviews
    assert (shown.outcome, shown.independent, shown.superseded) == ("accepted", True, False)


@pytest.mark.parametrize("tie", ["author", "pushed", "locked", "ran"])
def test_review_that_declares_a_tie_is_not_independent(tie: str) -> None:
    story = qualified()
    ties = {name: name == tie for name in ("author", "pushed", "locked", "ran")}
    story.append(review(story.make, relation=Relation(**ties)))
    assert [one.independent for one in word(story).reviews] == [False]


@pytest.mark.parametrize("holder", ["maintainer", "runner", "avery", "Avery", "Runner"])
def test_review_by_who_locked_opened_ran_or_wrote_it_is_not_independent_whatever_it_says(
    holder: str,
) -> None:
    story = begun()
    story.register("their-other-key", Role.REVIEWER, holder=holder)
    run_study(story)
    story.append(review(story.make, signer="their-other-key"))
    assert [one.independent for one in word(story).reviews] == [False]


def test_review_again_supersedes_the_one_before() -> None:
    story = qualified()
    first = story.append(review(story.make))
    story.append(review(story.make, outcome="accepted", supersedes=first.digest))
    assert [one.superseded for one in word(story).reviews] == [True, False]


def test_offline_score_says_the_same_about_everything_people_said() -> None:
    story = qualified()
    story.append(review(story.make))
    placed = story.append(hold(story.make, applies_to(changes=["180"])))
    story.append(hold(story.make))
    story.append(clear(story.make, placed.digest, applies_to(changes=["180"])))
    story.append(waiver(story.make))
    story.append(ref(story.make, commit("base")))
    scored = score_bundle(write_bundle(bundled(story)))
    assert scored == {"land": verdict_bytes(word(story))}


class TestBase:
    """Only a ref makes a base stale."""

    def test_branch_without_a_known_tip_is_not_tracked(self) -> None:
        story = begun(policy=False)
        story.policy(tracked_branch="main")
        run_study(story)
        document = word(story)
        assert (document.word, codes(document)) == ("HOLD", ["BASE_NOT_TRACKED"])
        assert document.base.state == "UNKNOWN"

    def test_base_that_is_the_tip_is_current(self) -> None:
        story = begun(policy=False)
        story.policy(tracked_branch="main")
        run_study(story)
        story.append(ref(story.make, commit("base")))
        document = word(story)
        assert (document.word, document.base.state) == ("QUALIFIED", "CURRENT")
        assert document.base.tip == commit("base")

    def test_l12_branch_that_moved_makes_the_base_stale(self) -> None:
        story = begun(policy=False)
        story.policy(tracked_branch="main")
        run_study(story)
        first = story.append(ref(story.make, commit("base")))
        earlier = word(story)
        standing = story.standing()
        story.append(ref(story.make, commit("moved"), supersedes=first.digest))
        document = word(story)
        assert (document.word, codes(document)) == ("HOLD", ["STALE_BASE"])
        assert document.base.state == "STALE"
        assert standing != story.standing()
        assert earlier.word == "QUALIFIED"

    def test_further_study_on_another_base_lifts_no_stale_base(self) -> None:
        story = begun(policy=False)
        story.policy(tracked_branch="main")
        run_study(story)
        story.append(ref(story.make, commit("moved")))
        run_study(story, base=commit("moved"))
        assert codes(word(story)) == ["STALE_BASE"]

    def test_study_that_names_no_base_leaves_it_unknown(self) -> None:
        story = begun(policy=False)
        story.policy(tracked_branch="main")
        story.append(ref(story.make, commit("base")))
        assert word(story).base.state == "UNKNOWN"

    def test_exploratory_study_says_nothing_about_the_base(self) -> None:
        story = begun(policy=False)
        story.policy(tracked_branch="main")
        run_study(story)
        run_study(story, base=commit("old"), exploratory=True)
        story.append(ref(story.make, commit("base")))
        assert word(story).base.state == "CURRENT"
