# SPDX-License-Identifier: Apache-2.0
"""May this protocol be applied to this head, with these pins?"""

from __future__ import annotations

from app.core.admission.request import Effect, Request, refuse
from app.core.admission.rules.pins import require_pins
from app.core.errors import Conflict, FairtrialError, Finding, UnknownThing
from app.core.identity import Role, micros_of
from app.core.protocol.attainable import out_of_reach, told
from app.core.statement.protocol_document import ProtocolDocument
from app.core.statement.study import StudyPredicate
from app.core.study.attempts import next_attempts


def admit_study(request: Request, study: StudyPredicate) -> Effect:
    """Admit the opening of a study.

    Raises:
        NotAllowed: ``role``, ``repository``, ``key-retired``, ``key-revoked``.
        UnknownThing: ``unknown-protocol``.
        Conflict: ``ordinal``, ``alpha-spent``.
        Unprocessable: ``conditions``, ``runner``, ``closes-at`` and the codes of
            ``require_pins``.
    """
    # 1. Signed by its signer, for this ledger.
    request.require_header()
    # 2. A maintainer of this repository.
    request.require_role(Role.MAINTAINER, study.repository)
    # 3. The protocol is locked, here, already: gates come before evidence.
    lock = request.standing.repository.protocols.get(study.protocol)
    if lock is None:
        message = "No protocol with this digest is locked in this repository; lock it first."
        raise UnknownThing(message, code="unknown-protocol")
    # 4. Every study on a head has the next number, so that none can be left out later.
    if study.ordinal != len(request.head.studies) + 1:
        message = f"The next study on this head is number {len(request.head.studies) + 1}."
        raise Conflict(message, code="ordinal")
    # 5. The conditions that the protocol locks for every capture.
    _require_conditions(lock.document, study)
    # 6. One pin an arm, complete, and different only where the protocol says arms differ.
    require_pins(lock.document, study)
    # 7. Runners that could act here.
    _require_runners(request, study)
    # 8. It ends, after it began and within the locked window.
    left = micros_of(study.closes_at) - request.at_us
    if not 0 < left <= lock.document.window.max_us:
        detail = "Expected an instant after now and within the protocol's window."
        raise refuse("closes-at", "/closes_at", detail)
    # 9. It could still pass: each attempt before it on this head has spent alpha. What counts for
    #    nothing, or tells a story again, needs none.
    if not (study.exploratory or study.replay is not None or request.stood):
        _require_reach(request, lock.document)
    return Effect.ACCEPTED


def _require_reach(request: Request, document: ProtocolDocument) -> None:
    lost = out_of_reach(document, next_attempts(request.head.studies))
    if lost:
        pairs = zip(lost, told(lost), strict=True)
        raise Conflict(
            "This study could no longer pass on this head, whatever its slots show; the findings "
            "name the gates and the number of units they would need.",
            code="alpha-spent",
            findings=tuple(
                Finding(f"/gates/{one.index}", "E_N_UNATTAINABLE", detail) for one, detail in pairs
            ),
        )


def _require_conditions(document: ProtocolDocument, study: StudyPredicate) -> None:
    planned, pinned = document.conditions.topology, study.topology
    expected = (planned.tensor_parallel, planned.nodes, planned.gpu_model)
    if (pinned.tensor_parallel, pinned.nodes, pinned.gpu_model) != expected:
        detail = "Expected tensor_parallel, nodes and gpu_model of the protocol's conditions."
        raise refuse("conditions", "/topology", detail)
    if len(pinned.hosts) != pinned.nodes:
        detail = "Expected as many hosts as there are nodes."
        raise refuse("conditions", "/topology/hosts", detail)
    allowed = {(one.name, one.version) for one in document.conditions.harness}
    if (study.harness.name, study.harness.version) not in allowed:
        detail = "Expected a harness that the protocol's conditions list."
        raise refuse("conditions", "/harness", detail)


def _require_runners(request: Request, study: StudyPredicate) -> None:
    keyring = request.standing.ledger.keyring
    for place, key_id in enumerate(study.runners):
        try:
            keyring.require(key_id, Role.RUNNER, repository=study.repository, index=request.index)
        except FairtrialError as error:
            detail = "Expected keys in force with the role runner for this repository."
            raise refuse("runner", f"/runners/{place}", detail) from error
