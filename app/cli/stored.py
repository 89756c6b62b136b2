# SPDX-License-Identifier: Apache-2.0
"""Statements as the service has them, for commands that show or continue them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from app.core.canonical import JsonValue, parse_strict
from app.core.digest import digest_bytes
from app.core.errors import IntegrityBroken
from app.core.log.checkpoint import Checkpoint, parse_checkpoint, verify_checkpoint
from app.core.log.leaf import parse_leaf
from app.core.log.merkle import verify_inclusion
from app.core.log.proof import parse_proof
from app.core.signing.envelope import parse_envelope
from app.core.statement.genesis import GenesisPredicate
from app.core.statement.header import LedgerRef
from app.core.statement.parse import parse_statement
from app.core.verdict.trust import TrustedLedger
from app.runner.failures import Document

if TYPE_CHECKING:
    from app.runner.client import Client


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


def genesis_of(client: Client, ledger: LedgerRef) -> GenesisPredicate:
    """Return the genesis that a service names as its own, held against its digest.

    Raises:
        IntegrityBroken: ``statement-digest``, the service gave other bytes, or no genesis.
    """
    envelope = parse_envelope(client.read(f"/v1/statements/{ledger.genesis}"))
    predicate = parse_statement(envelope.payload, expect="genesis").predicate
    if envelope.payload_digest != ledger.genesis or not isinstance(predicate, GenesisPredicate):
        message = "The service gave another statement than the genesis that it names."
        raise IntegrityBroken(message, code="statement-digest")
    return predicate


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


def proved(
    text: bytes, record: bytes, statement: str, trust: Sequence[TrustedLedger] | None
) -> Checkpoint:
    """Return the checkpoint under which a statement stands, as a proof's text shows.

    Args:
        text: the tlog-proof.
        record: the statement's leaf.
        statement: its digest, which the leaf must name.
        trust: whose signature counts; None: the note is only read.

    Raises:
        IntegrityBroken: ``inclusion-proof``, of another statement or not under the root; or the
            log that is trusted has not signed it.
    """
    leaf, proof = parse_leaf(record), parse_proof(text)
    if leaf.statement != statement:
        message = "The service gave the proof of another statement than the one asked for."
        raise IntegrityBroken(message, code="inclusion-proof")
    checkpoint = parse_checkpoint(proof.checkpoint.text)
    if trust is not None:
        known = next((one for one in trust if one.origin == checkpoint.origin), None)
        if known is None:
            message = "No ledger that is trusted has the name of this log."
            raise IntegrityBroken(message, code="checkpoint-origin")
        verify_checkpoint(proof.checkpoint, known.log, origin=known.origin)
    verify_inclusion(
        leaf.hash(),
        index=proof.index,
        size=checkpoint.size,
        proof=proof.hashes,
        root=checkpoint.root,
    )
    return checkpoint


def object_of(value: JsonValue) -> Document:
    """Return a member that is an object; an empty one for anything else."""
    return value if isinstance(value, dict) else {}
