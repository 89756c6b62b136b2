# SPDX-License-Identifier: Apache-2.0
"""May this person say that something did not go as locked, and end the study over it?"""

from __future__ import annotations

from app.core.admission.request import Effect, Request
from app.core.errors import Conflict, NotAllowed, UnknownThing
from app.core.identity import Role
from app.core.statement.deviation import DeviationPredicate
from app.core.study.slots import study_phase


def admit_deviation(request: Request, deviation: DeviationPredicate) -> Effect:
    """Admit a deviation.

    Raises:
        NotAllowed: ``role``, ``repository``, ``key-retired``, ``key-revoked``, ``not-a-runner``.
        UnknownThing: ``unknown-study``, ``unknown-slot``.
        Conflict: ``study-closed``.
    """
    # 1. Signed by its signer, for this ledger.
    request.require_header()
    # 2. A study of this head.
    study = request.require_study(deviation.study)
    # 3. A maintainer of the repository, or a runner of this very study.
    roles = (Role.MAINTAINER, Role.RUNNER)
    grant = request.require_role(roles, study.predicate.repository)
    if grant.role is Role.RUNNER and grant.id not in study.predicate.runners:
        raise NotAllowed("This study names other runners.", code="not-a-runner")
    # 4. About planned slots.
    if not study.slots.keys() >= set(deviation.slots):
        raise UnknownThing("The protocol plans no such slot.", code="unknown-slot")
    # 5. What is over cannot be ended; it can still be commented on.
    ended = study.ended_at_us is not None or study_phase(study, request.at_us) == "CLOSED"
    if deviation.ends_study and ended:
        raise Conflict("This study is ended or closed already.", code="study-closed")
    return Effect.ACCEPTED
