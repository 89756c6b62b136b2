# SPDX-License-Identifier: Apache-2.0
"""May these be the repository's rules, and may this document never change again?"""

import pytest
from msgspec.structs import replace as changed

from app.core.admission.admit import Effect, admit
from app.core.errors import Conflict, LintRefused, NotAllowed, UnknownThing, Unprocessable
from app.core.identity import Role, Scope
from app.core.protocol.parse import document_digest
from tests.documents import canary_gate, digest, document
from tests.factories import Maker, Story, begun
from tests.unit.core.admission.refused import refused

STRICTER = document(version=2, repetitions=5)


class TestPolicy:
    """What a repository requires."""

    def test_policy_is_in_force_until_the_next(self) -> None:
        story = begun()
        first = story.standing().repository.policy
        second = story.policy(claims=["land", "default-chunk0"])
        current = story.standing().repository.policy
        assert first is not None
        assert current is not None
        assert current.digest == second.digest
        assert current.predicate.supersedes == first.digest
        assert len(story.standing().repository.policies) == 2

    @pytest.mark.parametrize("supersedes", [None, digest("another policy")])
    def test_policy_that_supersedes_another_than_is_in_force_has_been_moved(
        self, supersedes: str | None
    ) -> None:
        story = begun()
        with refused(story, Conflict, "policy-moved"):
            story.policy(supersedes=supersedes)

    def test_first_policy_supersedes_nothing(self) -> None:
        story = begun(policy=False)
        with refused(story, Conflict, "policy-moved"):
            story.policy(supersedes=digest("a policy"))
        story.policy()

    def test_policy_by_a_runner_is_refused(self) -> None:
        story = begun()
        with refused(story, NotAllowed, "role"):
            story.policy(signer="runner")

    def test_policy_by_a_maintainer_of_another_repository_is_refused(self) -> None:
        story = begun()
        story.register("stranger", Role.MAINTAINER, repositories=["github.com/a/b"])
        with refused(story, NotAllowed, "repository"):
            story.policy(signer="stranger")

    def test_policy_that_names_a_protocol_nobody_locked_is_refused(self) -> None:
        story = begun()
        with refused(story, UnknownThing, "unknown-protocol"):
            story.policy(protocols=[digest("a protocol")])

    def test_policy_that_lets_a_protocol_satisfy_a_scope_it_does_not_judge_is_refused(self) -> None:
        story = begun()
        with refused(story, Unprocessable, "scope"):
            story.policy(scopes=[Scope.LIVE_CORRECTNESS, Scope.PERFORMANCE])


class TestLock:
    """A document is locked once and never changes."""

    def test_locked_document_stands_under_its_digest(self) -> None:
        story = begun()
        locked = story.standing().repository.protocols[document_digest(story.document)]
        assert locked.document == story.document
        assert locked.index == 3

    def test_l07_same_document_is_locked_once(self) -> None:
        story = begun()
        with refused(story, Conflict, "locked"):
            story.lock(annotations={"note": "again"})

    def test_l07_edited_document_under_the_same_name_and_version_is_refused(self) -> None:
        story = begun()
        with refused(story, Conflict, "locked"):
            story.lock(document(repetitions=2))

    def test_l07_edited_document_is_refused_even_as_its_own_amendment(self) -> None:
        story = begun()
        with refused(story, Conflict, "locked"):
            story.lock(document(repetitions=2), supersedes=document_digest(document()))

    def test_amendment_supersedes_the_newest_version_of_its_name(self) -> None:
        story = begun()
        first = document_digest(story.document)
        story.lock(STRICTER, supersedes=first)
        third = document(version=3, repetitions=6)
        with refused(story, Conflict, "protocol-moved"):
            story.append(story.make.lock(third, supersedes=first))
        with refused(story, Conflict, "protocol-moved"):
            story.append(story.make.lock(third))
        story.lock(third, supersedes=document_digest(STRICTER))
        assert len(story.standing().repository.protocols) == 3

    def test_first_version_supersedes_nothing(self) -> None:
        story = begun()
        other = document(name="other-canary")
        with refused(story, Conflict, "protocol-moved"):
            story.append(story.make.lock(other, supersedes=document_digest(story.document)))
        story.lock(other)

    def test_amendment_with_an_earlier_version_is_refused(self) -> None:
        story = begun(STRICTER)
        with refused(story, Unprocessable, "supersedes"):
            story.append(story.make.lock(document(), supersedes=document_digest(STRICTER)))

    def test_document_that_lints_with_errors_is_refused_at_its_places(self) -> None:
        story = begun()
        dishonest = document(name="no-blocking", gates=[canary_gate("B", role="exploratory")])
        draft = story.make.lock(dishonest)
        with pytest.raises(LintRefused) as caught:
            story.append(draft)
        assert {f.rule for f in caught.value.findings} >= {"E_NO_BLOCKING_GATE"}
        assert all(f.pointer.startswith("/predicate/document/") for f in caught.value.findings)

    def test_lock_that_stands_is_not_held_against_a_stricter_lint_of_today(self) -> None:
        story = begun()
        milder = document(name="no-blocking", gates=[canary_gate("B", role="exploratory")])
        draft = story.make.lock(milder)

        def admitted(*, stood: bool) -> Effect:
            return admit(
                draft.parsed,
                signers=draft.signers,
                standing=story.standing(),
                index=story.size,
                at_us=story.now_us,
                stood=stood,
            )

        with pytest.raises(LintRefused):
            admitted(stood=False)
        assert admitted(stood=True) is Effect.ACCEPTED

    @pytest.mark.parametrize(
        "acknowledged",
        [
            [],
            ["W_OTHER"],
            ["W_NO_ASSAY_CONTROL", "W_MARGIN_UNJUSTIFIED"],
            ["W_MARGIN_GT_EFFECT"],
        ],
    )
    def test_lock_acknowledges_exactly_its_warnings(self, acknowledged: list[str]) -> None:
        story = begun()
        other = document(name="other-canary")
        with refused(story, Unprocessable, "acknowledged-warnings"):
            story.append(story.make.lock(other, acknowledged_warnings=acknowledged))

    def test_lock_may_acknowledge_what_only_a_pilot_says(self) -> None:
        story = begun()
        other = document(name="other-canary")
        named = ["W_NO_ASSAY_CONTROL", "W_MARGIN_GT_EFFECT", "W_UNDERPOWERED"]
        assert story.lock(other, acknowledged_warnings=named).effect is Effect.ACCEPTED

    def test_scoring_rules_that_nobody_knows_are_refused(self) -> None:
        story = begun()
        other = changed(document(name="other-canary"), scoring=2)
        with refused(story, Unprocessable, "scoring"):
            story.append(story.make.lock(other))

    def test_lock_by_a_runner_is_refused(self) -> None:
        story = begun()
        with refused(story, NotAllowed, "role"):
            story.append(story.make.lock(document(name="other-canary"), signer="runner"))


def test_statement_for_another_ledger_enters_nowhere() -> None:
    story: Story = begun()
    other = Maker(genesis_digest=digest("another genesis"))
    with pytest.raises(Unprocessable):
        story.append(other.lock(document(name="other-canary")))
