# SPDX-License-Identifier: Apache-2.0
"""What asks for a key to be registered: one statement, to be signed by the key and by an admin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.core.identity import Role
from app.core.log.checkpoint import parse_checkpoint
from app.core.log.note import parse_note
from app.core.signing.keys import PublicKey
from app.core.statement.header import LedgerRef
from app.core.statement.key import CheckpointRef, KeyPredicate
from app.runner.compose import Draft, draft_wide, public_key_record


@dataclass(frozen=True, slots=True)
class Seat:
    """What a key is to be: its one role, where, and whose it is."""

    role: Role
    repositories: Sequence[str]
    holder: str


def registration(
    key: PublicKey, seat: Seat, *, ledger: LedgerRef, admin: str, checkpoint: bytes
) -> Draft:
    """Return the statement.

    Args:
        key: the key to be registered.
        seat: what it is to be.
        ledger: the audience.
        admin: key id of the admin who will sign.
        checkpoint: the log's newest signed note; whether it is the log's is for the log to say.

    Raises:
        MalformedDocument: no checkpoint.
        SchemaViolation: the statement could not enter any ledger.
    """
    seen = parse_checkpoint(parse_note(checkpoint).text)
    predicate = KeyPredicate(
        ledger=ledger,
        signer=admin,
        annotations={},
        action="register",
        key=public_key_record(key),
        role=seat.role,
        repositories=list(seat.repositories),
        holder=seat.holder,
        checkpoint=CheckpointRef(size=seen.size, root=seen.root.hex()),
        reason=None,
        suspect_from_index=None,
    )
    return draft_wide(predicate)
