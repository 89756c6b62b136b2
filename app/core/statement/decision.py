# SPDX-License-Identifier: Apache-2.0
"""Kind ``decision``: what people did about a head, beside the computed word and never instead."""

from __future__ import annotations

from typing import Literal

from app.core.identity import ChangeNumber, HeadSha, Instant, Scope, Sha256Hex, Slug, Text
from app.core.statement.header import Header, Shape
from app.core.statement.place import Links


class Through(Shape, frozen=True):
    """By which other change, head or claim this one landed; at least a change or a head."""

    change: ChangeNumber | None
    head: HeadSha | None
    claim: Slug | None


class DecisionPredicate(Header, frozen=True):
    """A maintainer's decision; whatever it says, the computed word stays what it is.

    Attributes:
        decided: ``waived``: a scope is not waited for; ``declined``: it will not land so.
        claim: which claim it is about; null: the head as a whole.
        scope: which scope is waived; null otherwise.
        through: where it landed; null unless ``landed_through``.
        reason: why.
        expires_at: until when a waiver is meant to hold; shown, and never compared to any clock.
        links: what belongs beside it.
        supersedes: the earlier decision on this head that this one takes back or restates.
    """

    decided: Literal["merged_without_pass", "landed_through", "waived", "declined"]
    claim: Slug | None
    scope: Scope | None
    through: Through | None
    reason: Text
    expires_at: Instant | None
    links: Links
    supersedes: Sha256Hex | None
