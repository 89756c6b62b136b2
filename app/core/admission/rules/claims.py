# SPDX-License-Identifier: Apache-2.0
"""Is there such a claim in this repository?"""

from __future__ import annotations

from app.core.admission.request import Request
from app.core.errors import UnknownThing
from app.core.identity import Slug


def require_claim(request: Request, claim: Slug | None) -> None:
    """Demand that some policy of the repository, in force or before, makes the claim.

    Raises:
        UnknownThing: ``unknown-claim``.
    """
    policies = request.standing.repository.policies
    named = {one.name for policy in policies for one in policy.predicate.claims}
    if claim is not None and claim not in named:
        message = "No policy of this repository names that claim."
        raise UnknownThing(message, code="unknown-claim")
