# SPDX-License-Identifier: Apache-2.0
"""May this key be given a role, or lose it?"""

from __future__ import annotations

from typing import Final

from app.core.admission.request import Effect, Request, refuse
from app.core.admission.rules.genesis import key_of
from app.core.errors import Conflict, NotAuthenticated, UnknownThing
from app.core.identity import Role
from app.core.keyring.keyring import Grant
from app.core.signing.keys import refuse_weak
from app.core.statement.key import KeyPredicate

_ADMINS_WHO_DOUBT: Final = 2


def admit_key(request: Request, statement: KeyPredicate) -> Effect:
    """Admit a step in a key's life.

    Raises:
        NotAuthenticated: ``unsigned``, ``threshold``.
        NotAllowed: ``role``.
        Conflict: ``key-in-use``, ``key-ended``, ``last-admins``.
        UnknownThing: ``unknown-key``.
        Unprocessable: ``weak-key``, ``checkpoint``, ``grant``.
    """
    # 1. Signed by its signer, for this ledger.
    request.require_header()
    # 2. Made after a checkpoint of this very log, so that a request prepared for a fork or before
    #    this log began cannot be used here.
    _require_checkpoint(request, statement)
    if statement.action == "register":
        return _register(request, statement)
    return _end(request, statement)


def _register(request: Request, statement: KeyPredicate) -> Effect:
    keyring = request.standing.ledger.keyring
    # 3. The signer is an admin in force.
    request.require_role(Role.ADMIN, None)
    # 4. Enough distinct admins, each counted once however often it signed (threat S09).
    _require_threshold(request)
    # 5. The key itself signed too: nobody registers a key that another holds.
    if statement.key.id not in request.signers:
        message = "The key to be registered has not signed; its holder proves possession so."
        raise NotAuthenticated(message, code="unsigned")
    # 6. A fingerprint stands once in a ledger, whoever holds it (threat S15); the answer does not
    #    say for whom.
    if keyring.is_used(statement.key.id):
        raise Conflict("This key stands in this ledger already; make another.", code="key-in-use")
    # 7. A key that means one signer (threat S04).
    refuse_weak(key_of(statement.key))
    return Effect.ACCEPTED


def _end(request: Request, statement: KeyPredicate) -> Effect:
    grant = request.standing.ledger.keyring.grants.get(statement.key.id)
    # 3. There is a grant, and the statement names it as it is.
    if grant is None:
        raise UnknownThing("No grant stands for this key.", code="unknown-key")
    named = (statement.role, frozenset(statement.repositories), statement.holder)
    if named != (grant.role, grant.repositories, grant.holder):
        raise refuse("grant", "", "Expected role, repositories and holder as registered.")
    # 4. Doubting what stands already takes two admins, whoever signs first (threat S08); it may
    #    also come after the grant has ended, when a theft is found late.
    suspect = statement.suspect_from_index
    if suspect is not None and suspect < request.index:
        _require_two_admins(request, grant)
        if grant.holds_at(request.index):
            _require_admins_left(request, grant)
        return Effect.ACCEPTED
    # 5. A grant ends once.
    if not grant.holds_at(request.index):
        raise Conflict("This key's grant has ended already.", code="key-ended")
    # 6. A holder ends the own key alone; anybody else's takes the admins.
    if statement.signer != grant.id:
        request.require_role(Role.ADMIN, None)
        _require_threshold(request)
    # 7. Somebody must be left who can sign key statements.
    _require_admins_left(request, grant)
    return Effect.ACCEPTED


def _require_two_admins(request: Request, grant: Grant) -> None:
    """Demand two admins, or more where the genesis does, besides the key that is doubted."""
    keyring = request.standing.ledger.keyring
    if request.parsed.signer != grant.id:
        request.require_role(Role.ADMIN, None)
    admins = {one.id for one in keyring.active(Role.ADMIN, index=request.index)} - {grant.id}
    needed = max(keyring.threshold, _ADMINS_WHO_DOUBT)
    if len(admins & request.signers) < needed:
        message = f"Doubting what stands already needs {needed} distinct admin keys."
        raise NotAuthenticated(message, code="threshold")


def _require_checkpoint(request: Request, statement: KeyPredicate) -> None:
    size, root = statement.checkpoint.size, statement.checkpoint.root
    known = None if request.root_at is None else request.root_at(size)
    if not 1 <= size <= request.index or known not in {None, root}:
        raise refuse("checkpoint", "/checkpoint", "Expected size and root of this log as it was.")


def _require_threshold(request: Request) -> None:
    keyring = request.standing.ledger.keyring
    admins = {grant.id for grant in keyring.active(Role.ADMIN, index=request.index)}
    if len(admins & request.signers) < keyring.threshold:
        message = f"A key statement needs {keyring.threshold} distinct admin keys."
        raise NotAuthenticated(message, code="threshold")


def _require_admins_left(request: Request, grant: Grant) -> None:
    keyring = request.standing.ledger.keyring
    left = len(keyring.active(Role.ADMIN, index=request.index)) - 1
    if grant.role is Role.ADMIN and left < keyring.threshold:
        message = "Too few admins would be left to sign key statements; register another first."
        raise Conflict(message, code="last-admins")
