# SPDX-License-Identifier: Apache-2.0
"""May this be where a branch stands, as far as this ledger knows?"""

from __future__ import annotations

from app.core.admission.people import newest_ref
from app.core.admission.request import Effect, Request
from app.core.errors import Conflict
from app.core.identity import Role
from app.core.statement.ref import RefPredicate


def admit_ref(request: Request, ref: RefPredicate) -> Effect:
    """Admit an observation of a branch, or of a pull request's head.

    Raises:
        NotAllowed: ``role``, ``repository``, ``key-retired``, ``key-revoked``.
        Conflict: ``ref-moved``.
    """
    # 1. Signed by its signer, for this ledger.
    request.require_header()
    # 2. The ledger itself, or a maintainer of this repository.
    if not request.standing.ledger.keyring.is_ledger(ref.signer):
        request.require_role(Role.MAINTAINER, ref.repository)
    # 3. It follows the observation before, which its author has therefore seen: also that makes a
    #    branch that returns to an old commit another statement than the one that stands.
    before = newest_ref(request.standing.repository.refs, ref.branch, ref.change)
    if ref.supersedes != (None if before is None else before.digest):
        message = "Another observation of this branch stands than the one this supersedes."
        raise Conflict(message, code="ref-moved")
    return Effect.ACCEPTED
