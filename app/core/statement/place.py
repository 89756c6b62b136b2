# SPDX-License-Identifier: Apache-2.0
"""What people point at: a head or a whole repository as a subject, and things as links."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from app.core.identity import ChangeNumber, HeadSha, PlaceName, Sha256Hex, Text
from app.core.statement.header import Shape


class PlaceDigest(Shape, frozen=True):
    """A digest set with exactly one member: a commit, or the digest of a repository's name.

    Attributes:
        gitCommit: of one head.
        sha256: of the repository's name, where it is about more than one head.
    """

    gitCommit: HeadSha | UnsetType = UNSET  # noqa: N815  the name is in-toto's (DigestSet)
    sha256: Sha256Hex | UnsetType = UNSET


class PlaceSubject(Shape, frozen=True):
    """One exact head (``git+https://<repository>``) or a whole repository (its name)."""

    name: PlaceName
    digest: PlaceDigest


class Link(Shape, frozen=True):
    """Something that belongs beside a statement; it names a change, a head or a statement.

    Attributes:
        relation: what it is to the statement.
        change: the forge's number of a pull request of the same repository.
        head: a commit of the same repository.
        statement: the digest of a statement of this ledger.
        note: in words; null: nothing to add.
    """

    relation: Literal["tracking", "evidence", "discussion", "follow_up", "replaced_by"]
    change: ChangeNumber | None
    head: HeadSha | None
    statement: Sha256Hex | None
    note: Text | None


Links = Annotated[list[Link], Meta(max_length=16)]
