# SPDX-License-Identifier: Apache-2.0
"""Whether a store and the keys at hand may be served as one ledger: refuse rather than guess."""

from __future__ import annotations

from collections.abc import Sequence

from app.core.admission.state import LedgerState
from app.core.errors import IntegrityBroken
from app.core.statement.header import LedgerRef
from app.service.ports import LogSigner


def refuse_weakened(found: Sequence[str]) -> None:
    """Refuse a store whose tables are not held append-only.

    Raises:
        IntegrityBroken: ``weakened``, naming the first of what is missing or not expected.
    """
    if found:
        message = (
            f"The store's guards are not all there ({len(found)}); the first: {found[0][:200]}. "
            "Find out who changed them, audit with `fairtrial fsck`, and restore them."
        )
        raise IntegrityBroken(message, code="weakened")


def audience_of(ledger: LedgerState, signer: LogSigner) -> LedgerRef:
    """Return whom statements are made for here, if the keys at hand are that ledger's.

    Raises:
        IntegrityBroken: ``ledger-keys``.
    """
    at_hand = (signer.origin, signer.checkpoint_key_id, signer.statement_key_id)
    genesis, ref = ledger.genesis, ledger.ref
    named = genesis and (genesis.ledger.origin, genesis.checkpoint_key.id, genesis.statement_key.id)
    if ref is None or named != at_hand:
        message = "The ledger's keys at hand are not those its genesis names."
        raise IntegrityBroken(message, code="ledger-keys")
    return ref
