# SPDX-License-Identifier: Apache-2.0
"""The shapes of a bundle's lines: JSON Lines of JCS records, each naming what it is."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from msgspec import Meta

from app.core.identity import Count, HeadSha, Instant, KeyId, Origin, Repository, Sha256Hex
from app.core.reason import Reason
from app.core.receipt.outcome import FilledState
from app.core.statement.header import Shape

Base64 = Annotated[str, Meta(min_length=4, max_length=90000000)]

Hash = Annotated[str, Meta(min_length=44, max_length=44)]
"""A node of the tree in base64."""


class SignatureRecord(Shape, frozen=True):
    """One signature of an envelope."""

    keyid: KeyId
    sig: Base64


class EnvelopeRecord(Shape, frozen=True):
    """A DSSE envelope as JSON."""

    payload: Base64
    payloadType: str  # noqa: N815  the name is DSSE's
    signatures: Annotated[list[SignatureRecord], Meta(min_length=1, max_length=64)]


class LineLengths(Shape, frozen=True):
    """How many entries each of the three lines has."""

    ledger: Count
    repository: Count
    head: Count


class HeadPayload(Shape, frozen=True):
    """What the ledger signs about a bundle: the payload in the first record's envelope.

    Attributes:
        genesis: digest of the genesis statement.
        root: of the tree of ``size``.
        log_time: of that size.
        lines: their lengths at that size.
    """

    origin: Origin
    genesis: Sha256Hex
    repository: Repository
    head: HeadSha
    size: Count
    root: Sha256Hex
    log_time: Instant
    lines: LineLengths


class BundleRecord(Shape, frozen=True, tag_field="record", tag="bundle"):
    """The first line: what this is a bundle of, in the open and as the ledger signed it.

    Attributes:
        size: tree size; entries have indices below it.
        log_time: of that tree size.
        checkpoint: the signed note of that tree.
        envelope: the same and the lengths of the lines, signed by the statement key.
    """

    version: Literal[1]
    origin: Origin
    repository: Repository
    head: HeadSha
    size: Count
    log_time: Instant
    checkpoint: Annotated[str, Meta(max_length=100000)]
    envelope: EnvelopeRecord


class EntryRecord(Shape, frozen=True, tag_field="record", tag="entry"):
    """One entry of one of the three lines.

    Attributes:
        leaf: the leaf's JCS bytes.
        proof: inclusion proof of the leaf in the tree that the bundle is of, its sibling first.
    """

    index: Count
    leaf: Base64
    proof: Annotated[list[Hash], Meta(max_length=63)]
    envelope: EnvelopeRecord


class SealedRecord(Shape, frozen=True, tag_field="record", tag="sealed"):
    """What a capture that is sealed makes of its receipt: the ledger's word until the study closes.

    Slot states are public while captures are not, so without this nobody could recompute the
    verdict of an open study. It can only say what an open study's record shows, never a judgement.
    """

    receipt: Sha256Hex
    state: FilledState
    fault: Literal["sut", "harness", "environment", "identity", "unknown"] | None
    reasons: Annotated[list[Reason], Meta(max_length=64)]
    measured: bool
    retryable: bool


class CaptureRecord(Shape, frozen=True, tag_field="record", tag="capture"):
    """A capture of a closed study.

    Attributes:
        sha256: of the capture's JCS bytes.
        zstd: those bytes, compressed.
    """

    sha256: Sha256Hex
    zstd: Base64


AnyRecord: TypeAlias = BundleRecord | EntryRecord | SealedRecord | CaptureRecord
