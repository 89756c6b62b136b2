# SPDX-License-Identifier: Apache-2.0
"""The leaf's record as a shape, only to describe it in a schema; ``app.core.log.leaf`` reads it."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from app.core.identity import END, Count, KeyId, Sha256Hex
from app.core.statement.header import Shape

_REPOSITORY = "[!-?A-~]{1,256}"
At = Annotated[
    str,
    Meta(
        pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}[.][0-9]{6}Z" + END,
        max_length=27,
    ),
]
LeafKind = Annotated[str, Meta(pattern=r"^[a-z][a-z_-]{0,31}" + END, max_length=32)]
Line = Annotated[
    str,
    Meta(
        pattern=rf"^(ledger|repo:{_REPOSITORY}|head:{_REPOSITORY}@([0-9a-f]{{40}}|[0-9a-f]{{64}}))"
        + END,
        max_length=400,
    ),
]


class TreeHead(Shape, frozen=True):
    """A size and the root over that many leaves."""

    size: Count
    root: Sha256Hex


class LeafRecord(Shape, frozen=True):
    """One record of the log, in JCS form; the tree is built over its bytes.

    Attributes:
        at: server time at append.
        kind: the statement's kind.
        statement: SHA-256 of the payload.
        size: bytes of the payload.
        key: id of the key that the statement names as its signer.
        line: the line it stands in.
        seq: its place in that line, from 0.
        prev: index of the leaf before it in that line; null at ``seq`` 0 and only there.
        nonce: reservations only: 32 bytes drawn by the server.
        after: reservations only: the tree of all leaves below this one.
    """

    v: Literal[1]
    at: At
    kind: LeafKind
    statement: Sha256Hex
    size: Count
    key: KeyId
    line: Line
    seq: Count
    prev: Count | None
    nonce: Sha256Hex | UnsetType = UNSET
    after: TreeHead | UnsetType = UNSET
