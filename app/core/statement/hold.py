# SPDX-License-Identifier: Apache-2.0
"""Kind ``hold``: somebody says why something may not advance, until somebody clears it.

It stands on the head's line where it concerns one head, else on the repository's: so it lives over
the heads of a change, and no bundle of any of them can leave it out.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from app.core.identity import ChangeNumber, HeadSha, Person, Repository, Sha256Hex, Slug, Text
from app.core.statement.header import Header, Shape
from app.core.statement.place import Links

Facts = Annotated[list[Text], Meta(max_length=32)]


class AppliesTo(Shape, frozen=True):
    """What is held: every member that says something narrows it; with none, the repository.

    Attributes:
        head: one exact commit; null: any.
        changes: heads of these pull requests; empty: whatever change a head belongs to. One exact
            head is held as such, so beside ``head`` it is empty.
        claim: this claim alone; null: every claim.
    """

    head: HeadSha | None
    changes: Annotated[list[ChangeNumber], Meta(max_length=16)]
    claim: Slug | None


class NextStep(Shape, frozen=True):
    """Who acts next, and what that person does."""

    person: Person
    what: Text


class HoldPredicate(Header, frozen=True):
    """A hold that is placed, or the end of one.

    Attributes:
        repository: where.
        applies_to: what is held; clearing and restating name the same.
        checked_head: the commit that was looked at when this was written; null: none in particular.
        why: why it is placed, or why it is cleared.
        tested: what was looked at; may be empty.
        not_tested: what was not; may be empty.
        until: what has to happen before it is cleared; null when clearing.
        next_action: who acts next; null when clearing.
        author_action_now: what the author has to do now, ``none`` for nothing; null when clearing.
        clears: statement digest of the hold that ends here; null when placing.
        supersedes: placing only: the earlier hold that this one restates or renews, if any.
        links: what belongs beside it.
    """

    repository: Repository
    action: Literal["place", "clear"]
    applies_to: AppliesTo
    checked_head: HeadSha | None
    why: Text
    tested: Facts
    not_tested: Facts
    until: Text | None
    next_action: NextStep | None
    author_action_now: Text | None
    clears: Sha256Hex | None
    supersedes: Sha256Hex | None
    links: Links
