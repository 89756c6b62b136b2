# SPDX-License-Identifier: Apache-2.0
"""The name of a protocol document: the SHA-256 of its JCS bytes."""

from __future__ import annotations

import msgspec

from app.core.digest import sha256_hex
from app.core.identity import Sha256Hex
from app.core.statement.protocol_document import ProtocolDocument


def document_bytes(document: ProtocolDocument) -> bytes:
    """Return the document in JCS form: names sorted, integers and strings only."""
    return msgspec.json.encode(document, order="sorted")


def document_digest(document: ProtocolDocument) -> Sha256Hex:
    """Return the SHA-256 of the document's JCS bytes."""
    return sha256_hex(document_bytes(document))
