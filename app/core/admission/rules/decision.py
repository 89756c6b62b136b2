# SPDX-License-Identifier: Apache-2.0
"""May this person say what was decided about this head?"""

from __future__ import annotations

from app.core.admission.request import Effect, Request
from app.core.admission.rules.claims import require_claim
from app.core.errors import Conflict, UnknownThing
from app.core.identity import Role, Sha256Hex
from app.core.statement.decision import DecisionPredicate


def admit_decision(request: Request, decision: DecisionPredicate, repository: str) -> Effect:
    """Admit a decision; it stands beside the computed word and changes nothing of it.

    Raises:
        NotAllowed: ``role``, ``repository``, ``key-retired``, ``key-revoked``.
        UnknownThing: ``unknown-claim``, ``unknown-decision``.
        Conflict: ``decision-moved``.
    """
    # 1. Signed by its signer, for this ledger.
    request.require_header()
    # 2. A maintainer of this repository.
    request.require_role(Role.MAINTAINER, repository)
    # 3. About a claim that some policy makes, here and where it landed.
    require_claim(request, decision.claim)
    if decision.through is not None:
        require_claim(request, decision.through.claim)
    # 4. What it takes back or restates stands on this head and was not taken back before.
    if decision.supersedes is not None:
        _require_newest(request, decision.supersedes)
    return Effect.ACCEPTED


def _require_newest(request: Request, digest: Sha256Hex) -> None:
    decisions = request.head.decisions
    if digest not in {one.digest for one in decisions}:
        message = "No decision with this digest stands on this head."
        raise UnknownThing(message, code="unknown-decision")
    if digest in {one.predicate.supersedes for one in decisions}:
        message = "Another decision supersedes that one; name it."
        raise Conflict(message, code="decision-moved")
