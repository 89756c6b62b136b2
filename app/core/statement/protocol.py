# SPDX-License-Identifier: Apache-2.0
"""Kind ``protocol``: the lock, signed around one protocol document."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from app.core.identity import END, Repository, Sha256Hex, Text
from app.core.statement.header import Header
from app.core.statement.protocol_document import ProtocolDocument

LintCode = Annotated[str, Meta(pattern=r"^W_[A-Z0-9_]{1,60}" + END, max_length=64)]


class ProtocolPredicate(Header, frozen=True):
    """A lock: from its index on the document never changes.

    Attributes:
        document: the document; the subject's digest is that of its JCS bytes.
        acknowledged_warnings: exactly the lint warnings that were accepted.
        supersedes: document digest of the version before, or null.
        reason: why it supersedes; null for a first version.
    """

    repository: Repository
    document: ProtocolDocument
    acknowledged_warnings: Annotated[list[LintCode], Meta(max_length=64)]
    supersedes: Sha256Hex | None
    reason: Text | None
