# SPDX-License-Identifier: Apache-2.0
"""What people said about a head, as a verdict document shows it beside the computed word.

Records repeat what the statements say, so that a document reads on its own; who it was is said by
the holder of the key that signed, and whether it still stands by what follows from the lines.
"""

from __future__ import annotations

from typing import Literal

from app.core.identity import (
    Count,
    HeadSha,
    Instant,
    KeyId,
    Person,
    Scope,
    Sha256Hex,
    Slug,
    Text,
)
from app.core.statement.decision import Through
from app.core.statement.header import Shape
from app.core.statement.hold import AppliesTo, NextStep
from app.core.statement.place import Link
from app.core.statement.review import Relation, ReviewEvidence


class SaidBy(Shape, frozen=True):
    """Who said something, and where it stands.

    Attributes:
        statement: its digest.
        entry: its log index.
        at: its log time.
        key: id of the key that signed it.
        holder: whose key that is.
        role: the key's role.
        suspect: the key is doubted at this entry.
    """

    statement: Sha256Hex
    entry: Count
    at: Instant
    key: KeyId
    holder: Person
    role: Literal["maintainer", "runner", "reviewer", "admin", "witness", "ledger"]
    suspect: bool


class HoldEnd(Shape, frozen=True):
    """How a hold ended.

    Attributes:
        how: cleared, or restated by a later hold.
        why: in the words of the statement that ended it.
    """

    how: Literal["cleared", "restated"]
    said: SaidBy
    why: Text


class HoldRecord(Shape, frozen=True):
    """A hold that concerns this head and claim.

    Attributes:
        in_force: it keeps the word from being green.
        ended: how it ended; null while it is in force.
    """

    said: SaidBy
    in_force: bool
    applies_to: AppliesTo
    checked_head: HeadSha | None
    why: Text
    tested: list[Text]
    not_tested: list[Text]
    until: Text
    next_action: NextStep
    author_action_now: Text
    links: list[Link]
    ended: HoldEnd | None


class ReviewRecord(Shape, frozen=True):
    """A review of this exact head.

    Attributes:
        independent: neither the reviewer's own word nor the holders of keys tie the reviewer to
            the change, to a protocol of a study on this head, or to its runs.
        superseded: the same person reviewed this head and scope again.
    """

    said: SaidBy
    base: HeadSha | None
    scope: Scope
    outcome: Literal["comment", "accepted", "changes_requested"]
    did: list[Text]
    did_not: list[Text]
    evidence: list[ReviewEvidence]
    relation: Relation
    independent: bool
    superseded: bool


class DecisionRecord(Shape, frozen=True):
    """A decision about this head, and this claim where it names one.

    Attributes:
        superseded: a later decision takes it back or restates it.
    """

    said: SaidBy
    decided: Literal["merged_without_pass", "landed_through", "waived", "declined"]
    claim: Slug | None
    scope: Scope | None
    through: Through | None
    reason: Text
    expires_at: Instant | None
    links: list[Link]
    superseded: bool
