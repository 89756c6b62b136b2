# SPDX-License-Identifier: Apache-2.0
"""May a ledger begin like this?"""

from __future__ import annotations

from app.core.admission.request import Effect, Request, refuse
from app.core.digest import from_base64
from app.core.errors import Conflict, NotAuthenticated
from app.core.signing.keys import KeyAlgorithm, PublicKey, public_key_from_der, refuse_weak
from app.core.statement.genesis import GenesisPredicate, PublicKeyRecord


def key_of(record: PublicKeyRecord) -> PublicKey:
    """Return the key of a record.

    Raises:
        MalformedDocument: ``malformed-key``.
        Unprocessable: ``unsupported-key``.
    """
    return public_key_from_der(from_base64(record.spki))


def admit_genesis(request: Request, genesis: GenesisPredicate) -> Effect:
    """Admit the first leaf and no other.

    Raises:
        Conflict: ``genesis-exists``.
        NotAuthenticated: ``unsigned``, a ledger key or an admin did not sign.
        Unprocessable: ``weak-key``, ``unsupported-key``, ``checkpoint-key``.
    """
    # 1. A ledger begins once: at index 0, on an empty line.
    if request.index != 0 or request.standing.ledger.length:
        raise Conflict("This ledger has begun; a genesis enters once.", code="genesis-exists")
    # 2. No key that verifies what its holder never signed. That they are all different keys
    #    (threat S12) was asked when the statement was read.
    named = [genesis.checkpoint_key, genesis.statement_key, *(a.key for a in genesis.admins)]
    if genesis.recovery_key is not None:
        named.append(genesis.recovery_key)
    for record in named:
        refuse_weak(key_of(record))
    # 3. The checkpoints are signed as C2SP has it.
    if key_of(genesis.checkpoint_key).algorithm is not KeyAlgorithm.ED25519:
        raise refuse("checkpoint-key", "/checkpoint_key", "Expected an Ed25519 key.")
    # 4. It speaks through the statement key, and every first admin has agreed.
    needed = {genesis.statement_key.id, *(admin.key.id for admin in genesis.admins)}
    if genesis.signer != genesis.statement_key.id or not needed <= request.signers:
        message = "A genesis is signed by the ledger's statement key and by every first admin."
        raise NotAuthenticated(message, code="unsigned")
    return Effect.ACCEPTED
