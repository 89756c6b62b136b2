# SPDX-License-Identifier: Apache-2.0
"""May these be the repository's rules from here on?"""

from __future__ import annotations

from app.core.admission.request import Effect, Request, refuse
from app.core.errors import Conflict, UnknownThing
from app.core.identity import Role
from app.core.statement.policy import Claim, PolicyPredicate


def admit_policy(request: Request, policy: PolicyPredicate) -> Effect:
    """Admit a policy.

    Raises:
        NotAllowed: ``role``, ``repository``, ``key-retired``, ``key-revoked``.
        Conflict: ``policy-moved``.
        UnknownThing: ``unknown-protocol``.
        Unprocessable: ``scope``.
    """
    # 1. Signed by its signer, for this ledger.
    request.require_header()
    # 2. A maintainer of this repository.
    request.require_role(Role.MAINTAINER, policy.repository)
    # 3. It follows the policy in force, which its author has therefore seen.
    current = request.standing.repository.policy
    if policy.supersedes != (None if current is None else current.digest):
        message = "Another policy is in force than the one this supersedes; read it first."
        raise Conflict(message, code="policy-moved")
    # 4. Each required scope can be satisfied by what is locked here.
    for place, claim in enumerate(policy.claims):
        _require_scopes(request, claim, f"/claims/{place}/required")
    return Effect.ACCEPTED


def _require_scopes(request: Request, claim: Claim, pointer: str) -> None:
    locked = request.standing.repository.protocols
    for place, required in enumerate(claim.required):
        for digest in required.protocols:
            if digest not in locked:
                message = "A protocol the policy names is not locked in this repository."
                raise UnknownThing(message, code="unknown-protocol")
            if required.scope not in locked[digest].document.scopes:
                detail = "Expected protocols that judge this scope."
                raise refuse("scope", f"{pointer}/{place}/protocols", detail)
