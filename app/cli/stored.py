# SPDX-License-Identifier: Apache-2.0
"""Statements as the service has them, for commands that show or continue them."""

from __future__ import annotations

from app.core.canonical import JsonValue, parse_strict
from app.core.digest import digest_bytes
from app.core.errors import IntegrityBroken
from app.core.signing.envelope import parse_envelope
from app.runner.client import Client, Document


def statement_of(client: Client, digest: str) -> Document:
    """Return a stored statement, held against the digest it was asked by.

    Raises:
        IntegrityBroken: ``statement-digest``, the service gave other bytes.
    """
    envelope = parse_envelope(client.read(f"/v1/statements/{digest}"))
    if envelope.payload_digest != digest:
        message = "The service gave a statement of another digest than the one asked for."
        raise IntegrityBroken(message, code="statement-digest")
    return object_of(parse_strict(envelope.payload))


def predicate_of(client: Client, digest: str) -> Document:
    """Return what a stored statement says."""
    return object_of(statement_of(client, digest)["predicate"])


def rows_of(document: Document, name: str) -> list[Document]:
    """Return the objects in a member that is a list."""
    rows = document[name]
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


def hashes_of(document: Document, name: str) -> tuple[bytes, ...]:
    """Return the hashes in a member that is a list of hex.

    Raises:
        MalformedDocument: ``digest``, it holds something else.
    """
    rows = document.get(name)
    return tuple(digest_bytes(str(row)) for row in rows) if isinstance(rows, list) else ()


def object_of(value: JsonValue) -> Document:
    """Return a member that is an object; an empty one for anything else."""
    return value if isinstance(value, dict) else {}
