# SPDX-License-Identifier: Apache-2.0
"""Kind ``genesis``: the first leaf; it names the ledger, its keys and who governs it."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from app.core.identity import END, Count, KeyId, Origin, Person, Sha256Hex
from app.core.statement.header import Header, Shape

Spki = Annotated[str, Meta(pattern=r"^[A-Za-z0-9+/]{40,400}={0,2}" + END, max_length=400)]
"""A public key: standard base64 of its DER SubjectPublicKeyInfo."""


class PublicKeyRecord(Shape, frozen=True):
    """A public key and the id that follows from it."""

    id: KeyId
    spki: Spki


class Admin(Shape, frozen=True):
    """One of the first admins."""

    holder: Person
    key: PublicKeyRecord


class Continues(Shape, frozen=True):
    """The ended log that this one continues: its last checkpoint."""

    origin: Origin
    size: Count
    root: Sha256Hex


class GenesisPredicate(Header, frozen=True):
    """What the first leaf fixes for ever.

    Attributes:
        checkpoint_key: signs checkpoints (C2SP Ed25519), and nothing else.
        statement_key: signs the ledger's own statements, and nothing else.
        recovery_key: may replace lost admins; null: nobody may.
        admins: the first admins, each with a holder.
        threshold: how many distinct admin keys a key statement needs.
        read_access: who may read.
        continues: the log this one follows, or null.
    """

    checkpoint_key: PublicKeyRecord
    statement_key: PublicKeyRecord
    recovery_key: PublicKeyRecord | None
    admins: Annotated[list[Admin], Meta(min_length=1, max_length=16)]
    threshold: Annotated[int, Meta(ge=1, le=16)]
    read_access: Literal["public", "private"]
    continues: Continues | None
