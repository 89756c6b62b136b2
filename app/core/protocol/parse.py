# SPDX-License-Identifier: Apache-2.0
"""A protocol as the rest of the core reads it: the document, its name, slots and typed gates."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from app.core.digest import sha256_hex
from app.core.identity import Sha256Hex
from app.core.protocol.gate import AnyGate, parse_gates
from app.core.protocol.plan import PlannedSlot, plan
from app.core.statement.protocol_document import ProtocolDocument


@dataclass(frozen=True, slots=True)
class Protocol:
    """A document that can be judged.

    Attributes:
        digest: SHA-256 of the document's JCS bytes: its name.
    """

    document: ProtocolDocument
    digest: Sha256Hex
    slots: tuple[PlannedSlot, ...]
    gates: tuple[AnyGate, ...]


def document_bytes(document: ProtocolDocument) -> bytes:
    """Return the document in JCS form: names sorted, integers and strings only."""
    return msgspec.json.encode(document, order="sorted")


def document_digest(document: ProtocolDocument) -> Sha256Hex:
    """Return the SHA-256 of the document's JCS bytes."""
    return sha256_hex(document_bytes(document))


def parse_protocol(document: ProtocolDocument) -> Protocol:
    """Return ``document`` with everything that follows from it.

    Raises:
        LintRefused: a gate of it cannot be judged by this version.
    """
    return Protocol(document, document_digest(document), plan(document), parse_gates(document))
