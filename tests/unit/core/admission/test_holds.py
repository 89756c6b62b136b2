# SPDX-License-Identifier: Apache-2.0
"""Who may hold what, and who may end a hold."""

import pytest

from app.core.admission.people import hold_standings
from app.core.errors import (
    Conflict,
    NotAllowed,
    NotAuthenticated,
    SchemaViolation,
    UnknownThing,
    Unprocessable,
)
from app.core.identity import Role
from app.core.statement.hold import AppliesTo
from app.core.statement.place import PlaceSubject
from tests.documents import digest
from tests.factories import Story, begun
from tests.people import applies_to, clear, hold
from tests.unit.core.admission.refused import refused


def told() -> Story:
    story = begun()
    story.register("reviewer", Role.REVIEWER)
    story.register("other-reviewer", Role.REVIEWER)
    return story


def in_force(story: Story) -> list[str]:
    standing = story.standing()
    assert standing.head is not None
    held = (*standing.repository.holds, *standing.head.holds)
    keyring = standing.ledger.keyring
    return [h.placed.digest for h in hold_standings(held, keyring.is_suspect) if h.in_force]


@pytest.mark.parametrize("signer", ["reviewer", "maintainer"])
def test_reviewers_and_maintainers_hold_a_head_on_its_own_line(signer: str) -> None:
    story = told()
    step = story.append(hold(story.make, signer=signer))
    assert step.entry.leaf.line == f"head:{story.make.repository}@{story.make.head}"
    assert in_force(story) == [step.digest]


@pytest.mark.parametrize(
    "about", [applies_to(), applies_to(changes=["180", "149"]), applies_to(claim="land")]
)
def test_what_is_wider_than_one_head_is_held_on_the_repositorys_line(about: AppliesTo) -> None:
    story = told()
    step = story.append(hold(story.make, about))
    assert step.entry.leaf.line == f"repo:{story.make.repository}"
    assert in_force(story) == [step.digest]


@pytest.mark.parametrize("signer", ["runner", "admin"])
def test_others_hold_nothing(signer: str) -> None:
    story = told()
    with refused(story, NotAllowed, "role"):
        story.append(hold(story.make, signer=signer))


def test_hold_signed_by_another_than_its_signer_is_refused() -> None:
    story = told()
    placed = hold(story.make, signer="reviewer").parsed
    subject = placed.subject
    assert isinstance(subject, PlaceSubject)
    draft = story.make.draft("hold", placed.predicate, "maintainer", subject=subject)
    with refused(story, NotAuthenticated, "unsigned"):
        story.append(draft)


def test_hold_on_a_misspelt_claim_is_refused_since_it_would_hold_nothing() -> None:
    story = told()
    with refused(story, UnknownThing, "unknown-claim"):
        story.append(hold(story.make, applies_to(claim="lnad")))


def test_role_that_the_policy_names_clears_a_hold() -> None:
    story = told()
    placed = story.append(hold(story.make, signer="reviewer"))
    story.append(clear(story.make, placed.digest))
    assert in_force(story) == []


def test_role_that_the_policy_does_not_name_clears_nothing_not_even_its_own() -> None:
    story = told()
    placed = story.append(hold(story.make, signer="reviewer"))
    with refused(story, NotAllowed, "hold-clear"):
        story.append(clear(story.make, placed.digest, signer="reviewer"))


def test_without_a_policy_nobody_clears() -> None:
    story = begun(policy=False)
    placed = story.append(hold(story.make))
    with refused(story, NotAllowed, "hold-clear"):
        story.append(clear(story.make, placed.digest))


def test_who_may_clear_is_judged_by_the_policy_in_force() -> None:
    story = told()
    placed = story.append(hold(story.make))
    story.policy(holds_cleared_by=[])
    with refused(story, NotAllowed, "hold-clear"):
        story.append(clear(story.make, placed.digest))


def test_clearing_names_a_hold_on_this_very_line() -> None:
    story = told()
    wide = story.append(hold(story.make, applies_to()))
    with refused(story, UnknownThing, "unknown-hold"):
        story.append(clear(story.make, wide.digest))
    with refused(story, UnknownThing, "unknown-hold"):
        story.append(clear(story.make, digest("no hold"), applies_to()))


def test_clearing_is_about_exactly_what_was_held() -> None:
    story = told()
    wide = story.append(hold(story.make, applies_to(changes=["180", "149"])))
    with refused(story, Unprocessable, "applies-to"):
        story.append(clear(story.make, wide.digest, applies_to(changes=["180"])))


def test_hold_ends_once() -> None:
    story = told()
    placed = story.append(hold(story.make))
    story.append(clear(story.make, placed.digest))
    with refused(story, Conflict, "hold-ended"):
        story.append(clear(story.make, placed.digest, why="Again."))


def test_a_clear_is_no_hold_that_could_be_cleared() -> None:
    story = told()
    placed = story.append(hold(story.make))
    cleared = story.append(clear(story.make, placed.digest))
    with refused(story, UnknownThing, "unknown-hold"):
        story.append(clear(story.make, cleared.digest))


def test_holder_restates_the_own_hold_over_the_same() -> None:
    story = told()
    first = story.append(hold(story.make, signer="reviewer"))
    again = story.append(
        hold(story.make, signer="reviewer", supersedes=first.digest, why="Still not shown.")
    )
    assert in_force(story) == [again.digest]


def test_hold_is_restated_once_and_not_over_less() -> None:
    story = told()
    wide = story.append(hold(story.make, applies_to(changes=["180", "149"])))
    with refused(story, Unprocessable, "applies-to"):
        story.append(hold(story.make, applies_to(changes=["149"]), supersedes=wide.digest))
    story.append(hold(story.make, wide_of(story), supersedes=wide.digest, why="Restated."))
    with refused(story, Conflict, "hold-ended"):
        story.append(hold(story.make, wide_of(story), supersedes=wide.digest, why="Twice."))


def wide_of(story: Story) -> AppliesTo:
    return story.standing().repository.holds[0].predicate.applies_to


def test_hold_of_another_is_restated_by_those_who_may_clear_it_alone() -> None:
    story = told()
    placed = story.append(hold(story.make, signer="reviewer"))
    with refused(story, NotAllowed, "hold-clear"):
        story.append(hold(story.make, signer="other-reviewer", supersedes=placed.digest))
    story.append(hold(story.make, signer="maintainer", supersedes=placed.digest))


def test_a_cleared_hold_is_renewed_as_another_statement() -> None:
    story = told()
    placed = story.append(hold(story.make))
    story.append(clear(story.make, placed.digest))
    renewed = story.append(hold(story.make, supersedes=placed.digest))
    assert renewed.digest != placed.digest
    assert in_force(story) == [renewed.digest]


def test_an_exact_head_and_a_change_are_not_held_together() -> None:
    story = told()
    with pytest.raises(SchemaViolation):
        hold(story.make, applies_to(story.make.head, changes=["180"]))


def test_subject_and_predicate_agree_about_the_place() -> None:
    story = told()
    placed = hold(story.make)
    other = hold(story.make, applies_to())
    for predicate, subject in (
        (placed.parsed.predicate, other.parsed.subject),
        (other.parsed.predicate, placed.parsed.subject),
    ):
        with pytest.raises(SchemaViolation):
            story.make.draft("hold", predicate, "maintainer", subject=subject)  # type: ignore[arg-type]  # a place
