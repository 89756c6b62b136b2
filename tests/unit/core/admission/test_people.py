# SPDX-License-Identifier: Apache-2.0
"""Who may review, decide, and say where a branch stands."""

from dataclasses import replace
from typing import Any

import pytest

from app.core.admission.people import newest_ref
from app.core.errors import Conflict, NotAllowed, NotAuthenticated, UnknownThing
from app.core.identity import Role, Scope
from app.core.statement.decision import Through
from tests.documents import commit, digest
from tests.factories import Story, begun
from tests.people import decision, ref, review, waiver
from tests.unit.core.admission.refused import refused


def told() -> Story:
    story = begun()
    story.register("reviewer", Role.REVIEWER)
    return story


class TestReview:
    def test_reviewer_reviews_a_head_on_its_line(self) -> None:
        story = told()
        step = story.append(review(story.make))
        assert step.entry.leaf.line == f"head:{story.make.repository}@{story.make.head}"
        assert [one.digest for one in story.standing().head.reviews] == [step.digest]  # type: ignore[union-attr]  # it is ours

    @pytest.mark.parametrize("signer", ["maintainer", "runner", "admin"])
    def test_others_review_nothing(self, signer: str) -> None:
        story = told()
        with refused(story, NotAllowed, "role"):
            story.append(review(story.make, signer=signer))

    def test_review_signed_by_another_than_its_signer_is_refused(self) -> None:
        story = told()
        draft = story.make.draft("review", review(story.make).parsed.predicate, "maintainer")
        with refused(story, NotAuthenticated, "unsigned"):
            story.append(draft)

    def test_a_person_has_one_say_and_the_next_names_the_one_before(self) -> None:
        story = told()
        first = story.append(review(story.make, outcome="accepted"))
        with refused(story, Conflict, "review-moved"):
            story.append(review(story.make, outcome="changes_requested"))
        story.append(review(story.make, outcome="comment", supersedes=first.digest))
        with refused(story, Conflict, "review-moved"):
            story.append(review(story.make, outcome="accepted", supersedes=first.digest))

    def test_another_key_of_the_same_person_is_the_same_person(self) -> None:
        story = told()
        story.register("second", Role.REVIEWER, holder="reviewer")
        story.append(review(story.make, outcome="changes_requested"))
        with refused(story, Conflict, "review-moved"):
            story.append(review(story.make, signer="second", outcome="accepted"))

    def test_scopes_and_people_are_reviewed_each_on_its_own(self) -> None:
        story = told()
        story.register("other", Role.REVIEWER)
        story.append(review(story.make))
        story.append(review(story.make, scope=Scope.CPU))
        story.append(review(story.make, signer="other"))

    def test_first_review_supersedes_nothing(self) -> None:
        story = told()
        with refused(story, Conflict, "review-moved"):
            story.append(review(story.make, supersedes=digest("none")))


class TestDecision:
    def test_maintainer_decides_about_a_head_on_its_line(self) -> None:
        story = told()
        step = story.append(decision(story.make))
        assert step.entry.leaf.line == f"head:{story.make.repository}@{story.make.head}"

    @pytest.mark.parametrize("signer", ["reviewer", "runner", "admin"])
    def test_others_decide_nothing(self, signer: str) -> None:
        story = told()
        with refused(story, NotAllowed, "role"):
            story.append(decision(story.make, signer=signer))

    def test_claims_that_no_policy_makes_are_refused_here_and_where_it_landed(self) -> None:
        story = told()
        with refused(story, UnknownThing, "unknown-claim"):
            story.append(waiver(story.make, claim="other"))
        through = Through(change="309", head=None, claim="other")
        landed: dict[str, Any] = {"decided": "landed_through", "through": through}
        with refused(story, UnknownThing, "unknown-claim"):
            story.append(decision(story.make, **landed))
        story.append(decision(story.make, **(landed | {"through": replaced(through)})))

    def test_decision_takes_back_one_that_stands_and_only_once(self) -> None:
        story = told()
        with refused(story, UnknownThing, "unknown-decision"):
            story.append(decision(story.make, supersedes=digest("none")))
        first = story.append(waiver(story.make))
        story.append(decision(story.make, decided="declined", supersedes=first.digest))
        with refused(story, Conflict, "decision-moved"):
            story.append(decision(story.make, supersedes=first.digest))


def replaced(through: Through) -> Through:
    return Through(change=through.change, head=through.head, claim="land")


class TestRef:
    def test_maintainer_and_ledger_say_where_a_branch_is_on_the_repositorys_line(self) -> None:
        story = told()
        first = story.append(ref(story.make, commit("base")))
        assert first.entry.leaf.line == f"repo:{story.make.repository}"
        story.append(ref(story.make, commit("next"), signer="ledger", supersedes=first.digest))
        found = newest_ref(story.standing().repository.refs, "main")
        assert found is not None
        assert found.predicate.tip == commit("next")

    @pytest.mark.parametrize("signer", ["reviewer", "runner", "admin"])
    def test_others_move_no_branch(self, signer: str) -> None:
        story = told()
        with refused(story, NotAllowed, "role"):
            story.append(ref(story.make, commit("base"), signer=signer))

    def test_observation_that_has_not_seen_the_one_before_is_refused(self) -> None:
        story = told()
        story.append(ref(story.make, commit("base")))
        with refused(story, Conflict, "ref-moved"):
            story.append(ref(story.make, commit("next")))

    def test_branch_that_returns_to_an_old_commit_is_another_statement(self) -> None:
        story = told()
        before = None
        for tip in ("a", "b", "a"):
            before = story.append(ref(story.make, commit(tip), supersedes=before)).digest
        assert len(story.standing().repository.refs) == 3

    def test_head_of_a_change_is_another_name_than_a_branch(self) -> None:
        story = told()
        story.append(ref(story.make, commit("base")))
        story.append(ref(story.make, commit("x"), branch="main", change="180"))
        refs = story.standing().repository.refs
        assert newest_ref(refs, "main", "180") is refs[1]
        assert newest_ref(refs, "dev") is None


def test_statement_of_another_repository_needs_a_grant_there() -> None:
    story = told()
    elsewhere = replace(story.make, repository="github.com/other/place")
    for draft in (
        review(elsewhere),
        decision(elsewhere, claim=None),
        ref(elsewhere, commit("base")),
    ):
        with refused(story, NotAllowed, "repository"):
            story.append(draft)
