# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a predicate is any value of it
"""Makes what people say, for a ledger that stands anywhere: holds, reviews, decisions, refs."""

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace as changed

from app.core.identity import Scope
from app.core.statement.decision import DecisionPredicate
from app.core.statement.hold import AppliesTo, HoldPredicate, NextStep
from app.core.statement.people_checks import place_subject
from app.core.statement.ref import RefPredicate
from app.core.statement.remarks import repository_subject
from app.core.statement.review import Relation, ReviewPredicate
from tests import documents
from tests.drafts import Draft
from tests.signing import Signing

NO_TIE = Relation(author=False, pushed=False, locked=False, ran=False)


def applies_to(
    head: str | None = None, *, changes: Sequence[str] = (), claim: str | None = None
) -> AppliesTo:
    """Return what a hold applies to, by default the whole repository."""
    return AppliesTo(head=head, changes=list(changes), claim=claim)


def hold(
    make: Signing, about: AppliesTo | None = None, *, signer: str = "maintainer", **changes: Any
) -> Draft:
    """Make a hold, by default on the maker's head."""
    predicate = HoldPredicate(
        **make.header(signer),
        repository=make.repository,
        action="place",
        applies_to=about or applies_to(make.head),
        checked_head=make.head,
        why="The live contention check did not establish progress.",
        tested=["30 CPU scheduler checks"],
        not_tested=["the exact head"],
        until="A locked contention comparison passes its gates.",
        next_action=NextStep(person="plotarmordev", what="lock the comparison and schedule it"),
        author_action_now="none",
        clears=None,
        supersedes=None,
        links=[],
    )
    whole = changed(predicate, **changes)
    subject = place_subject(whole.repository, whole.applies_to.head)
    return make.draft("hold", whole, signer, subject=subject)


def clear(
    make: Signing,
    clears: str,
    about: AppliesTo | None = None,
    *,
    signer: str = "maintainer",
    **changes: Any,
) -> Draft:
    """Make the end of a hold."""
    given: dict[str, Any] = {
        "action": "clear",
        "clears": clears,
        "why": "The comparison has passed.",
        "until": None,
        "next_action": None,
        "author_action_now": None,
    }
    return hold(make, about, signer=signer, **(given | changes))


def review(make: Signing, *, signer: str = "reviewer", **changes: Any) -> Draft:
    """Make a review of the maker's head."""
    predicate = ReviewPredicate(
        **make.header(signer),
        base=documents.commit("base"),
        scope=Scope.SOURCE,
        outcome="comment",
        did=["read the focused deltas"],
        did_not=["tests", "live endpoints", "GPU operations"],
        evidence=[],
        relation=NO_TIE,
        supersedes=None,
    )
    return make.draft("review", changed(predicate, **changes), signer)


def decision(make: Signing, *, signer: str = "maintainer", **changes: Any) -> Draft:
    """Make a decision about the maker's head."""
    predicate = DecisionPredicate(
        **make.header(signer),
        decided="merged_without_pass",
        claim="land",
        scope=None,
        through=None,
        reason="The path is off by default.",
        expires_at=None,
        links=[],
        supersedes=None,
    )
    return make.draft("decision", changed(predicate, **changes), signer)


def waiver(make: Signing, **changes: Any) -> Draft:
    """Make a decision that a scope is not waited for."""
    given: dict[str, Any] = {"decided": "waived", "scope": Scope.LIVE_CORRECTNESS}
    return decision(make, **(given | changes))


def ref(
    make: Signing,
    tip: str,
    *,
    branch: str = "main",
    signer: str = "maintainer",
    **changes: Any,
) -> Draft:
    """Make an observation of a branch."""
    predicate = RefPredicate(
        **make.header(signer),
        repository=make.repository,
        branch=branch,
        change=None,
        tip=tip,
        source="the forge's list of branches",
        supersedes=None,
    )
    subject = repository_subject(make.repository)
    return make.draft("ref", changed(predicate, **changes), signer, subject=subject)
