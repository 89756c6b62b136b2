# SPDX-License-Identifier: Apache-2.0
"""May this person say what a look at this head showed?"""

from __future__ import annotations

from app.core.admission.people import newest
from app.core.admission.request import Effect, Request
from app.core.errors import Conflict
from app.core.identity import Role, person_of
from app.core.keyring.keyring import Grant
from app.core.statement.review import ReviewPredicate


def admit_review(request: Request, review: ReviewPredicate, repository: str) -> Effect:
    """Admit a review.

    Raises:
        NotAllowed: ``role``, ``repository``, ``key-retired``, ``key-revoked``.
        Conflict: ``review-moved``.
    """
    # 1. Signed by its signer, for this ledger.
    request.require_header()
    # 2. A reviewer of this repository.
    grant = request.require_role(Role.REVIEWER, repository)
    # 3. A person has one say on a head and scope: the next names the one before, whichever of the
    #    person's keys signed it.
    if review.supersedes != _before(request, review, grant):
        message = "Your newest review of this head and scope is another than the one superseded."
        raise Conflict(message, code="review-moved")
    return Effect.ACCEPTED


def _before(request: Request, review: ReviewPredicate, grant: Grant) -> str | None:
    grants = request.standing.ledger.keyring.grants
    return newest(
        [
            one
            for one in request.head.reviews
            if one.predicate.scope == review.scope
            and person_of(grants[one.predicate.signer].holder) == person_of(grant.holder)
        ]
    )
