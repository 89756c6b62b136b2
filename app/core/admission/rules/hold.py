# SPDX-License-Identifier: Apache-2.0
"""May this person hold something here, or end a hold?"""

from __future__ import annotations

from collections.abc import Sequence

from app.core.admission.people import HoldStanding, HoldState, hold_standings
from app.core.admission.request import Effect, Request, refuse
from app.core.admission.rules.claims import require_claim
from app.core.errors import Conflict, NotAllowed, UnknownThing
from app.core.identity import Role, Sha256Hex
from app.core.keyring.keyring import Grant
from app.core.statement.hold import HoldPredicate


def admit_hold(request: Request, hold: HoldPredicate) -> Effect:
    """Admit a hold, or the end of one.

    Raises:
        NotAllowed: ``role``, ``repository``, ``key-retired``, ``key-revoked``, ``hold-clear``.
        UnknownThing: ``unknown-claim``, ``unknown-hold``.
        Conflict: ``hold-ended``.
        Unprocessable: ``applies-to``.
    """
    # 1. Signed by its signer, for this ledger.
    request.require_header()
    # 2. A reviewer or a maintainer of this repository.
    grant = request.require_role((Role.REVIEWER, Role.MAINTAINER), hold.repository)
    # 3. About a claim that some policy makes: a misspelt one would hold nothing.
    require_claim(request, hold.applies_to.claim)
    # 4. The hold it names, if any, stands on this very line and is about the same.
    named = hold.clears or hold.supersedes
    earlier = None if named is None else _named(request, named, hold)
    if hold.clears is not None:
        # 5. What ended stays ended.
        if earlier is not None and not earlier.in_force:
            raise Conflict("That hold has ended already.", code="hold-ended")
        # 6. The policy in force says who may clear holds; without one nobody may.
        _require_may_clear(request, grant)
    elif earlier is not None:
        # 5. A hold is restated once; the next names the newest.
        if earlier.restated is not None:
            raise Conflict("Another hold restates that one; name it.", code="hold-ended")
        # 6. By whoever placed it, or by those who may clear it: its owner and its condition change.
        if not _is_holders_own(request, earlier.placed, grant):
            _require_may_clear(request, grant)
    return Effect.ACCEPTED


def _named(request: Request, digest: Sha256Hex, hold: HoldPredicate) -> HoldStanding:
    standing, keyring = request.standing, request.standing.ledger.keyring
    on_head = hold.applies_to.head is not None
    line: Sequence[HoldState] = request.head.holds if on_head else standing.repository.holds
    holds = hold_standings(line, keyring.is_suspect)
    found = next((one for one in holds if one.placed.digest == digest), None)
    if found is None:
        message = "No hold with this digest was placed on this line."
        raise UnknownThing(message, code="unknown-hold")
    if found.placed.predicate.applies_to != hold.applies_to:
        detail = "Expected exactly what the hold that it names applies to."
        raise refuse("applies-to", "/applies_to", detail)
    return found


def _require_may_clear(request: Request, grant: Grant) -> None:
    policy = request.standing.repository.policy
    roles = [] if policy is None else policy.predicate.holds_cleared_by
    if grant.role not in roles:
        message = "The policy in force does not let this role clear holds."
        raise NotAllowed(message, code="hold-clear")


def _is_holders_own(request: Request, placed: HoldState, grant: Grant) -> bool:
    before = request.standing.ledger.keyring.grants.get(placed.predicate.signer)
    return before is not None and before.holder == grant.holder
