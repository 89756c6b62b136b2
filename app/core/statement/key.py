# SPDX-License-Identifier: Apache-2.0
"""Kind ``key``: what a key may do, for which repositories, and from which index on."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from app.core.identity import Count, Person, Repository, Role, Sha256Hex, Text
from app.core.statement.genesis import PublicKeyRecord
from app.core.statement.header import Header, Shape


class CheckpointRef(Shape, frozen=True):
    """A checkpoint the admins had seen when they signed: a stale request cannot be revived."""

    size: Count
    root: Sha256Hex


class KeyPredicate(Header, frozen=True):
    """One step in a key's life; ``signer`` is the first admin.

    Attributes:
        action: register, retire (its holder lays it down) or revoke (it may be in wrong hands).
        key: the key concerned.
        role: the one role it has.
        repositories: where it may act; empty for admins and witnesses.
        holder: whose key it is; one person's keys share it.
        checkpoint: a recent checkpoint of this log.
        reason: why; null when registering.
        suspect_from_index: revoke only: statements from this index on are doubted; null otherwise.
    """

    action: Literal["register", "retire", "revoke"]
    key: PublicKeyRecord
    role: Role
    repositories: Annotated[list[Repository], Meta(max_length=64)]
    holder: Person
    checkpoint: CheckpointRef
    reason: Text | None
    suspect_from_index: Count | None
