# SPDX-License-Identifier: Apache-2.0
"""Kind ``receipt``: the thin signed statement around one capture."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from app.core.identity import (
    END,
    Count,
    FileName,
    HeadSha,
    Host,
    Instant,
    Micros,
    Sha256Hex,
    SlotId,
    Slug,
    Text,
)
from app.core.statement.header import Header, Shape
from app.core.statement.protocol_document import Settings, Workload
from app.core.statement.reservation import Attempt
from app.core.statement.study import HarnessPin, Image, ModelPins, ModelRevision

Basis = Literal["declared", "observed"]
"""Typed in by a person, or read off by the runner."""
CaptureSchema = Annotated[
    str,
    Meta(
        pattern=r"^urn:fairtrial:capture:(streams|checks|jobs|claim):v[1-9][0-9]{0,2}" + END,
        max_length=40,
    ),
]
"""A capture's schema; a receipt can name kinds of capture that this version cannot read yet."""


class CaptureRef(Shape, frozen=True):
    """The capture by the SHA-256 and size of its JCS bytes, and the schema it follows."""

    sha256: Sha256Hex
    size: Annotated[int, Meta(ge=1, le=67108864)]
    schema: CaptureSchema


class Component(Shape, frozen=True):
    """A program between the prompt and the answer."""

    role: Literal["engine", "gateway", "proxy", "client"]
    name: Slug
    version: Text | None
    image: Image | None
    timeout_us: Micros | None
    basis: Basis


class Components(Shape, frozen=True):
    """The programs before the slot ran and after it: a gateway replaced meanwhile shows.

    Attributes:
        after: null: not read again.
    """

    before: Annotated[list[Component], Meta(max_length=16)]
    after: Annotated[list[Component], Meta(max_length=16)] | None


class IdentityBasis(Shape, frozen=True):
    """How each identity is known."""

    arm_commit: Basis
    image: Basis
    models: Basis
    harness: Basis
    workload: Basis
    settings: Basis


class Identities(Shape, frozen=True):
    """What ran, as the runner says; ``basis`` says for each whether it was typed in or read off.

    Attributes:
        settings: disclosed settings only.
        settings_digest: salted digest of all settings that are not disclosed.
    """

    arm_commit: HeadSha | None
    image: Image | None
    models: ModelPins
    harness: HarnessPin
    workload: Workload
    settings: Settings
    settings_digest: Sha256Hex | None
    components: Components
    basis: IdentityBasis


class Rank(Shape, frozen=True):
    """One rank of the tensor-parallel group."""

    rank: Annotated[int, Meta(ge=0, le=1023)]
    host: Host
    gpu_model: Text
    gpu_uuid_digest: Sha256Hex | None
    driver: Text | None
    commit: HeadSha | None
    image: Image | None
    target_revision: ModelRevision | None
    draft_revision: ModelRevision | None
    settings_digest: Sha256Hex | None
    basis: Basis


class ReceiptTopology(Shape, frozen=True):
    """The group that served this slot; ``len(ranks)`` should be ``tensor_parallel``."""

    tensor_parallel: Annotated[int, Meta(ge=1, le=1024)]
    draft_tensor_parallel: Annotated[int, Meta(ge=1, le=1024)] | None
    nodes: Annotated[int, Meta(ge=1, le=1024)]
    ranks: Annotated[list[Rank], Meta(max_length=1024)]


class Original(Shape, frozen=True):
    """A file of the harness that stays with its owner: whoever is given one can check it."""

    name: FileName
    sha256: Sha256Hex
    size: Count


class Tool(Shape, frozen=True):
    """What wrote the receipt."""

    name: Slug
    version: Text


class ReceiptPredicate(Header, frozen=True):
    """One attempt at one slot, good or bad.

    Attributes:
        challenge: the slot's challenge in its reservation's chain.
        binding: how the capture is bound to it.
        claims: the runner's own words about the outcome; shown, never scored.
        started_at: by the client's clock; display only.
    """

    reservation: Sha256Hex
    study: Sha256Hex
    slot: SlotId
    attempt: Attempt
    challenge: Sha256Hex
    binding: Literal["seeded", "echoed"]
    capture: CaptureRef
    identities: Identities
    topology: ReceiptTopology
    originals: Annotated[list[Original], Meta(max_length=64)]
    claims: Annotated[dict[Slug, Text], Meta(max_length=16)]
    started_at: Instant | None
    finished_at: Instant | None
    tool: Tool
