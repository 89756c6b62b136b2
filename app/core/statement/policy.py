# SPDX-License-Identifier: Apache-2.0
"""Kind ``policy``: which claims a repository makes and what each of them requires."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from app.core.identity import END, Repository, Scope, Sha256Hex, Slug, Text
from app.core.statement.header import Header, Shape

Branch = Annotated[str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._/-]{0,127}" + END, max_length=128)]


class RequiredScope(Shape, frozen=True):
    """One scope a claim requires, and the protocols (document digests) that may satisfy it."""

    scope: Scope
    protocols: Annotated[list[Sha256Hex], Meta(min_length=1, max_length=32)]


class Claim(Shape, frozen=True):
    """What is being qualified; landing the source and changing a default are different claims."""

    name: Slug
    question: Text
    required: Annotated[list[RequiredScope], Meta(min_length=1, max_length=9)]


class PolicyPredicate(Header, frozen=True):
    """The repository's rules, in force from this index until another policy supersedes them.

    Attributes:
        repository: whose rules.
        supersedes: statement digest of the policy in force before, null for the first.
        tracked_branch: the branch whose tip makes a base stale; null: no branch is tracked.
        claims: at least one, names distinct.
        holds_cleared_by: roles that may clear a hold.
    """

    repository: Repository
    supersedes: Sha256Hex | None
    tracked_branch: Branch | None
    claims: Annotated[list[Claim], Meta(min_length=1, max_length=16)]
    holds_cleared_by: Annotated[list[Literal["maintainer", "reviewer"]], Meta(max_length=2)]
