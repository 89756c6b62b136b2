# SPDX-License-Identifier: Apache-2.0
"""What every statement carries: the in-toto Statement v1 frame, its subject and the common members.

Frozen shapes: every member is required (null where nothing is known), unknown members are refused,
and the one free place is ``annotations``, which nothing ever scores.
"""

from __future__ import annotations

from typing import Annotated, Final, Generic, Literal, TypeVar

from msgspec import Meta, Struct

from app.core.identity import END, HeadName, HeadSha, KeyId, Note, Origin, Repository, Sha256Hex

STATEMENT_TYPE: Final = "https://in-toto.io/Statement/v1"
PAYLOAD_TYPE: Final = "application/vnd.in-toto+json"
PREDICATE_PREFIX: Final = "urn:fairtrial:"


class Shape(Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """A closed JSON object.

    It holds what was read from a text, so nothing in it leads back to it: the collector of cycles
    need not walk through millions of them.
    """


AnnotationName = Annotated[str, Meta(pattern=r"^[a-z][a-z0-9_.-]{0,31}" + END, max_length=32)]
Annotations = Annotated[dict[AnnotationName, Note], Meta(max_length=16)]


class LedgerRef(Shape, frozen=True):
    """The ledger a statement is made for: its audience.

    Attributes:
        origin: the log's name.
        genesis: SHA-256 of the genesis statement's payload; null in the genesis itself.
    """

    origin: Origin
    genesis: Sha256Hex | None


class Header(Shape, frozen=True):
    """Members of every predicate.

    Attributes:
        ledger: the audience.
        signer: key id of the one signature that decides who spoke.
        annotations: free notes, often empty; shown, never scored.
    """

    ledger: LedgerRef
    signer: KeyId
    annotations: Annotations


class CommitDigest(Shape, frozen=True):
    """A digest set that names a commit."""

    gitCommit: HeadSha  # noqa: N815  the name is in-toto's (DigestSet)


class PlainDigest(Shape, frozen=True):
    """A digest set that names bytes."""

    sha256: Sha256Hex


ThingName = Annotated[str, Meta(pattern=r"^[a-z0-9][a-z0-9./_-]*" + END, max_length=220)]


class HeadSubject(Shape, frozen=True):
    """One exact head: ``git+https://<repository>`` and its commit."""

    name: HeadName
    digest: CommitDigest


class ThingSubject(Shape, frozen=True):
    """Anything else: a key, a protocol document, a repository, the genesis nonce."""

    name: ThingName
    digest: PlainDigest


SubjectT = TypeVar("SubjectT")
PredicateT = TypeVar("PredicateT")
TypeT = TypeVar("TypeT")


class Statement(
    Shape,
    Generic[TypeT, SubjectT, PredicateT],
    frozen=True,
    rename={"type_": "_type", "predicate_type": "predicateType"},
):
    """An in-toto Statement v1 with exactly one subject.

    Attributes:
        type_: the constant of in-toto Statement v1.
        subject: a list of exactly one subject.
        predicate_type: ``urn:fairtrial:<kind>:v1``.
        predicate: what the kind says.
    """

    type_: Literal["https://in-toto.io/Statement/v1"]
    subject: Annotated[list[SubjectT], Meta(min_length=1, max_length=1)]
    predicate_type: TypeT
    predicate: PredicateT


def head_name(repository: Repository) -> str:
    """Return the subject name of any head of ``repository``."""
    return f"git+https://{repository}"
