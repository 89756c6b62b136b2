# SPDX-License-Identifier: Apache-2.0
"""What people add beside the states, and what the ledger itself says."""

from dataclasses import replace
from typing import Any

import pytest

from app.core.admission.due import due_closures, next_deadline
from app.core.canonical import canonical
from app.core.errors import (
    Conflict,
    IntegrityBroken,
    NotAllowed,
    NotAuthenticated,
    UnknownThing,
    WrongAudience,
)
from app.core.signing.envelope import sign
from app.core.statement.parse import parse_statement
from tests.documents import DAY_US, digest
from tests.drafts import Draft, signing_key
from tests.factories import Story, begun, opened
from tests.facts import starved
from tests.unit.core.admission.refused import refused
from tests.vectors.example_verdict import verdict_statement

A, B, A2 = SLOTS = ("A/C2-canary/1", "B/C2-canary/1", "A2/C2-canary/1")


class TestDeviation:
    """Something did not go as locked."""

    @pytest.mark.parametrize("signer", ["maintainer", "runner"])
    def test_maintainer_or_runner_of_the_study_may_say_so(self, signer: str) -> None:
        story = opened()
        story.deviate(A, signer=signer)
        story.end(signer=signer)
        assert story.study().ended_at_us == story.now_us

    def test_runner_of_another_study_may_not(self) -> None:
        story = opened()
        story.register("runner-2")
        with refused(story, NotAllowed, "not-a-runner"):
            story.deviate(A, signer="runner-2")

    def test_admin_may_not(self) -> None:
        story = opened()
        with refused(story, NotAllowed, "role"):
            story.deviate(A, signer="admin")

    def test_deviation_of_an_unknown_study_or_slot_is_refused(self) -> None:
        story = opened()
        with refused(story, UnknownThing, "unknown-study"):
            story.append(story.make.deviation(digest("a study")))
        with refused(story, UnknownThing, "unknown-slot"):
            story.deviate(A, "A/C2-canary/2")

    def test_study_that_drains_or_is_closed_is_not_ended_again(self) -> None:
        story = opened()
        story.reserve(A)
        story.end()
        with refused(story, Conflict, "study-closed"):
            story.end()
        story.push(A)
        with refused(story, Conflict, "study-closed"):
            story.end()
        story.deviate(A)

    def test_overdue_study_is_not_ended(self) -> None:
        story = opened()
        story.wait(2 * DAY_US)
        with refused(story, Conflict, "study-closed"):
            story.end()


class TestRefusal:
    """Content for a held slot was refused; the slot stays reserved."""

    def test_ledger_records_at_most_three_refusals_of_an_attempt(self) -> None:
        story = opened()
        story.reserve(A, B)
        for _ in range(3):
            story.refuse(A, annotations={"n": str(story.size)})
        with refused(story, Conflict, "refusals"):
            story.refuse(A)
        story.refuse(B)
        assert story.study().slots[A].attempts[0].refusals == 3
        assert story.push(A).effect == "scored"

    def test_s12_nobody_but_the_ledger_records_refusals(self) -> None:
        story = opened()
        story.reserve(A)
        with refused(story, NotAllowed, "role"):
            story.refuse(A, signer="runner")

    def test_refusal_of_what_was_not_reserved_is_refused(self) -> None:
        story = opened()
        story.reserve(A)
        study, reservation = story.study().digest, story.reservation_of(A).digest
        with refused(story, WrongAudience, "wrong-audience"):
            story.append(story.make.refusal(study, reservation, B))
        with refused(story, WrongAudience, "wrong-audience"):
            story.append(story.make.refusal(study, digest("another"), A))
        with refused(story, UnknownThing, "unknown-study"):
            story.append(story.make.refusal(digest("a study"), reservation, A))


class TestClosure:
    """The ledger says that a study is closed; anybody derives the same."""

    @staticmethod
    def finished() -> Story:
        story = opened()
        story.reserve(A, B)
        story.push(B, starved())
        story.end()
        return story

    def test_closure_says_what_follows_from_the_entries(self) -> None:
        story = self.finished()
        (step,) = story.close_due()
        closure: Any = step.draft.parsed.predicate
        assert (closure.reason, closure.missing, closure.abandoned) == ("ended", [A2], [A])
        assert story.study().closure_index == step.entry.index
        assert story.close_due() == []

    @pytest.mark.parametrize(
        "change", [{"reason": "terminal"}, {"missing": [A], "abandoned": [A2]}]
    )
    def test_closure_that_says_something_else_is_damage(self, change: dict[str, Any]) -> None:
        story = self.finished()
        head = story.standing().head
        assert head is not None
        (due,) = due_closures(head, story.now_us)
        with refused(story, IntegrityBroken, "closure"):
            story.append(story.make.closure(due, **change))

    def test_closure_of_a_study_that_is_open_is_damage(self) -> None:
        done, story = self.finished(), opened()
        head = done.standing().head
        assert head is not None
        (due,) = due_closures(head, done.now_us)
        early = replace(due, study=story.study().digest)
        with refused(story, IntegrityBroken, "closure"):
            story.append(story.make.closure(early))

    def test_s12_nobody_but_the_ledger_closes(self) -> None:
        story = self.finished()
        head = story.standing().head
        assert head is not None
        (due,) = due_closures(head, story.now_us)
        with refused(story, NotAllowed, "role"):
            story.append(story.make.closure(due, signer="maintainer"))

    def test_s12_checkpoint_key_signs_no_statement(self) -> None:
        story = self.finished()
        head = story.standing().head
        assert head is not None
        (due,) = due_closures(head, story.now_us)
        draft = story.make.closure(due)
        envelope = sign(draft.parsed.payload, [signing_key("checkpoint")])
        with refused(story, NotAuthenticated, "unsigned"):
            story.append(Draft(envelope, draft.parsed))

    def test_earliest_deadline_of_a_head_is_that_of_its_first_study_to_close(self) -> None:
        story = opened()
        story.reserve(*SLOTS)
        deadline = story.now_us + DAY_US
        story.open()
        head = story.standing().head
        assert head is not None
        assert next_deadline(head) == deadline
        assert due_closures(head, deadline) == ()
        assert [d.reason for d in due_closures(head, deadline + 1)] == ["terminal"]

    def test_head_without_open_studies_has_no_deadline(self) -> None:
        story = self.finished()
        story.close_due()
        head = story.standing().head
        assert head is not None
        assert next_deadline(head) is None


class TestVerdict:
    """The ledger's own record of a word."""

    @staticmethod
    def draft(story: Story, signer: str = "ledger") -> Draft:
        example: Any = parse_statement(canonical(verdict_statement()))
        document = example.predicate.document
        maker = story.make
        maker.repository, maker.head = document.repository, document.head
        return maker.verdict(document, signer=signer)

    def test_verdict_of_the_ledger_is_the_newest_word_of_its_claim(self) -> None:
        story = begun()
        step = story.append(self.draft(story))
        document: Any = step.draft.parsed.predicate
        head = story.standing().head
        assert head is not None
        assert head.words == {document.document.claim: document.document}

    def test_s12_nobody_but_the_ledger_gives_a_verdict(self) -> None:
        story = begun()
        with pytest.raises(NotAllowed):
            story.append(self.draft(story, signer="maintainer"))
