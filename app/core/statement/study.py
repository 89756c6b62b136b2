# SPDX-License-Identifier: Apache-2.0
"""Kind ``study``: a protocol applied to one head; opening it fixes the planned slots."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from app.core.identity import (
    END,
    ArmId,
    ChangeNumber,
    HeadSha,
    Host,
    ImageHex,
    Instant,
    KeyId,
    Person,
    Repository,
    Sha256Hex,
    Slug,
    Text,
)
from app.core.statement.header import Header, Shape
from app.core.statement.protocol_document import Settings

ModelRepository = Annotated[
    str,
    Meta(
        pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,95}(/[A-Za-z0-9][A-Za-z0-9._-]{0,95})?" + END,
        max_length=193,
    ),
]
ModelRevision = HeadSha
PinPath = Annotated[
    str, Meta(pattern=r"^[A-Za-z0-9_*][A-Za-z0-9_.*-]{0,127}" + END, max_length=128)
]


class Image(Shape, frozen=True):
    """A container image by digest: of its manifest (what a registry serves) or its config."""

    digest: ImageHex
    of: Literal["manifest", "config"]


class ArmPin(Shape, frozen=True):
    """What one arm is in this study.

    Attributes:
        commit: the commit the arm runs; null where it was never published.
        image: null only in a replay.
        settings: the disclosed settings.
        settings_digest: salted digest of all the rest; null only in a replay.
        relation: in words, how the commit relates to the head, when it is not the head.
    """

    commit: HeadSha | None
    image: Image | None
    settings: Settings
    settings_digest: Sha256Hex | None
    relation: Text | None


class ModelPin(Shape, frozen=True):
    """A model and its exact revision."""

    repository: ModelRepository
    revision: ModelRevision | None


class ModelPins(Shape, frozen=True):
    """The served model and the draft model that speculates for it (null: none)."""

    target: ModelPin
    draft: ModelPin | None


class StudyTopology(Shape, frozen=True):
    """The machines, by pseudonym."""

    tensor_parallel: Annotated[int, Meta(ge=1, le=1024)]
    draft_tensor_parallel: Annotated[int, Meta(ge=1, le=1024)] | None
    nodes: Annotated[int, Meta(ge=1, le=1024)]
    hosts: Annotated[list[Host], Meta(min_length=1, max_length=64)]
    gpu_model: Text


class HarnessPin(Shape, frozen=True):
    """The tool that runs the slots, by name, version and the SHA-256 of its bytes."""

    name: Slug
    version: Text
    sha256: Sha256Hex | None


class Head(Shape, frozen=True):
    """The head under question and its tree."""

    commit: HeadSha
    tree: HeadSha | None


class Replay(Shape, frozen=True):
    """Marks a study retold from a public source.

    Attributes:
        source: where the figures are from.
        not_published: dotted paths of the members that the source never gave; all null.
    """

    source: Text
    not_published: Annotated[list[PinPath], Meta(max_length=64)]


class Owners(Shape, frozen=True):
    """Who acts next, by role."""

    maintainer: Person
    author: Person
    runner: Person


class StudyPredicate(Header, frozen=True):
    """What is pinned before anything is reserved.

    Attributes:
        protocol: digest of a locked protocol document of this repository.
        ordinal: 1, 2, 3 ... on this head, without gaps.
        base: the commit the head was made on.
        change: the pull request, if any.
        exploratory: shown, never counted.
        arms: a pin for every arm of the protocol.
        runners: the keys that may reserve.
        closes_at: when open slots become missing.
    """

    repository: Repository
    protocol: Sha256Hex
    ordinal: Annotated[int, Meta(ge=1, le=100000)]
    head: Head
    base: HeadSha | None
    change: ChangeNumber | None
    exploratory: bool
    replay: Replay | None
    owners: Owners
    arms: Annotated[dict[ArmId, ArmPin], Meta(min_length=1, max_length=32)]
    models: ModelPins
    topology: StudyTopology
    harness: HarnessPin
    runners: Annotated[list[KeyId], Meta(min_length=1, max_length=16)]
    closes_at: Instant
