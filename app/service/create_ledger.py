# SPDX-License-Identifier: Apache-2.0
"""Begins a log: the genesis at index 0, and nothing else ever does.

A log whose checkpoint is missing is damaged or somebody else's; making a new one in its place would
be the one mistake nobody could undo.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from app.core.admission.admit import admit
from app.core.admission.state import empty_standing
from app.core.digest import to_base64
from app.core.errors import Conflict
from app.core.identity import instant_of
from app.core.log.leaf import Leaf, ledger_line
from app.core.log.merkle import leaf_hash, root_of
from app.core.signing.envelope import Envelope, sign, to_json
from app.core.signing.keys import PublicKey, SigningKey
from app.core.statement.genesis import Admin, Continues, GenesisPredicate, PublicKeyRecord
from app.core.statement.header import (
    STATEMENT_TYPE,
    LedgerRef,
    PlainDigest,
    Statement,
    ThingSubject,
)
from app.core.statement.kinds import predicate_type
from app.core.statement.parse import encode, parse_statement
from app.service.last_shown import checkpoint_of
from app.service.ports import (
    Anchor,
    Batch,
    CheckpointRow,
    Clock,
    LeafRow,
    LedgerStore,
    LogSigner,
    StatementRow,
)

GENESIS = "genesis"


@dataclass(frozen=True, slots=True)
class FirstAdmin:
    """Somebody who governs the ledger from its first entry on, with the key that agrees to it."""

    holder: str
    key: SigningKey


@dataclass(frozen=True, slots=True)
class Founding:
    """What the genesis fixes for ever.

    Attributes:
        checkpoint_key: signs checkpoints, and nothing else.
        statement_key: signs what the ledger itself says, and nothing else.
        admins: the first admins; each signs the genesis.
        threshold: how many distinct admin keys a key statement needs.
        recovery_key: may replace lost admins; None: nobody may.
        read_access: who may read.
        continues: the log this one follows.
    """

    checkpoint_key: PublicKey
    statement_key: PublicKey
    admins: Sequence[FirstAdmin]
    threshold: int = 1
    recovery_key: PublicKey | None = None
    read_access: Literal["public", "private"] = "public"
    continues: Continues | None = None


async def create_ledger(
    store: LedgerStore,
    founding: Founding,
    *,
    signer: LogSigner,
    clock: Clock,
    anchor: Anchor | None = None,
) -> str:
    """Append the genesis to an empty, opened store and return its statement digest.

    Raises:
        Conflict: ``ledger-exists``: in the store, or a larger one by what the anchor says, which
            an empty store has lost.
        Unprocessable: ``equal-keys``, ``threshold``, ``weak-key``.
    """
    if await store.newest_checkpoint() is not None:
        raise _exists()
    payload = encode(
        Statement(
            type_=STATEMENT_TYPE,
            subject=[
                ThingSubject(name=signer.origin, digest=PlainDigest(sha256=secrets.token_hex(32)))
            ],
            predicate_type=predicate_type(GENESIS),
            predicate=_predicate(founding, signer),
        )
    )
    parsed = parse_statement(payload, expect=GENESIS)
    envelope = _signed_by_all(payload, founding, signer)
    at_us = clock.now_us()
    signers = frozenset(envelope.keyids)
    admit(parsed, signers=signers, standing=empty_standing(), index=0, at_us=at_us)
    leaf = Leaf(
        at=instant_of(at_us),
        kind=GENESIS,
        statement=parsed.digest,
        size=len(payload),
        key=parsed.signer,
        line=ledger_line(),
        seq=0,
        prev=None,
    )
    batch = _batch(leaf, payload, envelope, at_us=at_us, signer=signer)
    if anchor is not None:
        await _anchor_first(anchor, batch.checkpoint)
    if not await store.append(batch):
        raise _exists()
    return parsed.digest


async def _anchor_first(anchor: Anchor, genesis: CheckpointRow) -> None:
    """Anchor the genesis before it is durable: a log is never there without its anchor.

    A founding that was cut short here left an anchor of size 1 and an empty store, and goes on.
    """
    stands = await anchor.read()
    if stands is not None and checkpoint_of(stands).size > genesis.size:
        message = (
            "The checkpoint file is of a log that this store has lost. Restore it, or begin "
            "another log elsewhere that continues it."
        )
        raise Conflict(message, code="ledger-exists")
    if not await anchor.swap(stands, genesis.note):
        raise _exists()


def _predicate(founding: Founding, signer: LogSigner) -> GenesisPredicate:
    recovery = founding.recovery_key
    return GenesisPredicate(
        ledger=LedgerRef(origin=signer.origin, genesis=None),
        signer=founding.statement_key.key_id,
        annotations={},
        checkpoint_key=_record(founding.checkpoint_key),
        statement_key=_record(founding.statement_key),
        recovery_key=None if recovery is None else _record(recovery),
        admins=[Admin(holder=one.holder, key=_record(one.key.public)) for one in founding.admins],
        threshold=founding.threshold,
        read_access=founding.read_access,
        continues=founding.continues,
    )


def _record(key: PublicKey) -> PublicKeyRecord:
    return PublicKeyRecord(id=key.key_id, spki=to_base64(key.der))


def _signed_by_all(payload: bytes, founding: Founding, signer: LogSigner) -> Envelope:
    own = signer.sign_statement(payload)
    agreed = sign(payload, [admin.key for admin in founding.admins])
    return Envelope(own.payload_type, payload, own.signatures + agreed.signatures)


def _batch(
    leaf: Leaf, payload: bytes, envelope: Envelope, *, at_us: int, signer: LogSigner
) -> Batch:
    record = leaf.to_bytes()
    digest = leaf_hash(record)
    root = root_of([digest])
    row = LeafRow(
        index=0,
        record=record,
        hash=digest,
        statement=leaf.statement,
        kind=leaf.kind,
        line=leaf.line,
        seq=0,
        at_us=at_us,
    )
    return Batch(
        checkpoint=CheckpointRow(1, None, root, at_us, signer.sign_checkpoint(1, root)),
        leaves=[row],
        statements=[StatementRow(leaf.statement, payload, to_json(envelope))],
    )


def _exists() -> Conflict:
    message = "The store holds a ledger already; a log is begun once."
    return Conflict(message, code="ledger-exists")
