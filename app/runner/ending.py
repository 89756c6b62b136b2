# SPDX-License-Identifier: Apache-2.0
"""What ends a key: its holder lays it down, or admins take it away, from now on or from before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from app.core.canonical import JsonValue
from app.core.log.checkpoint import parse_checkpoint
from app.core.log.note import parse_note
from app.core.statement.genesis import PublicKeyRecord
from app.core.statement.header import LedgerRef
from app.core.statement.key import CheckpointRef, KeyPredicate
from app.runner.compose import Draft, draft_wide
from app.runner.registration import Seat

NOTHING_THAT_STANDS: Final = 2**53 - 1
"""An index no entry has: whatever joins the log before the revocation, none of it is doubted."""


@dataclass(frozen=True, slots=True)
class Ending:
    """How a key ends.

    Attributes:
        reason: why, in one line.
        suspect_from_index: since which entry what it signed is doubted; None: from now on
            alone.
    """

    action: Literal["retire", "revoke"]
    reason: str
    suspect_from_index: int | None = None


def ending(  # noqa: PLR0913  each is a part of the statement
    key: dict[str, JsonValue],
    seat: Seat,
    how: Ending,
    *,
    ledger: LedgerRef,
    signer: str,
    checkpoint: bytes,
) -> Draft:
    """Return the statement.

    Args:
        key: the key as its registration names it.
        seat: what its registration gave it.
        how: how it ends.
        ledger: the audience.
        signer: key id of who signs first: its holder, or an admin.
        checkpoint: the log's newest signed note.

    Raises:
        MalformedDocument: no checkpoint.
        SchemaViolation: the statement could not enter any ledger.
    """
    seen = parse_checkpoint(parse_note(checkpoint).text)
    suspect = how.suspect_from_index
    if suspect is None and how.action == "revoke":
        suspect = NOTHING_THAT_STANDS
    predicate = KeyPredicate(
        ledger=ledger,
        signer=signer,
        annotations={},
        action=how.action,
        key=PublicKeyRecord(id=str(key["id"]), spki=str(key["spki"])),
        role=seat.role,
        repositories=list(seat.repositories),
        holder=seat.holder,
        checkpoint=CheckpointRef(size=seen.size, root=seen.root.hex()),
        reason=how.reason,
        suspect_from_index=suspect,
    )
    return draft_wide(predicate)
