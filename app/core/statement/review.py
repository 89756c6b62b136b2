# SPDX-License-Identifier: Apache-2.0
"""Kind ``review``: what a person looked at on one exact head, what not, and what came of it."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from app.core.identity import HeadSha, Scope, Sha256Hex, Text
from app.core.statement.header import Header, Shape
from app.core.statement.hold import Facts


class ReviewEvidence(Shape, frozen=True):
    """Something the review rests on: a statement of this ledger, or a file by its digest."""

    what: Text
    sha256: Sha256Hex


class Relation(Shape, frozen=True):
    """What the reviewer is to the change; one ``true`` and the review is not independent.

    Attributes:
        author: wrote it.
        pushed: pushed this head.
        locked: locked a protocol it is judged by.
        ran: ran slots of a study on it.
    """

    author: bool
    pushed: bool
    locked: bool
    ran: bool


class ReviewPredicate(Header, frozen=True):
    """A review of this head; it says nothing about any other.

    Attributes:
        base: the commit that the head was read against; null: none.
        scope: what it is about.
        outcome: a comment is neither for nor against.
        did: what the reviewer did.
        did_not: what the reviewer did not do, and a reader might expect.
        evidence: what it rests on; may be empty.
        relation: in the reviewer's own word; holders of keys are compared beside it.
        supersedes: the same person's review of this head and scope before; null: the first.
    """

    base: HeadSha | None
    scope: Scope
    outcome: Literal["comment", "accepted", "changes_requested"]
    did: Annotated[Facts, Meta(min_length=1)]
    did_not: Facts
    evidence: Annotated[list[ReviewEvidence], Meta(max_length=64)]
    relation: Relation
    supersedes: Sha256Hex | None
