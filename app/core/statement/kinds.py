# SPDX-License-Identifier: Apache-2.0
"""The closed union of statement kinds: for each its shape and its predicate type.

A kind joins by one file beside this one and one row here; admission then fails to type-check until
its rules exist.
"""

from __future__ import annotations

from typing import Any, Final, Literal

from app.core.statement.closure import ClosurePredicate
from app.core.statement.decision import DecisionPredicate
from app.core.statement.deviation import DeviationPredicate
from app.core.statement.genesis import GenesisPredicate
from app.core.statement.header import HeadSubject, Statement, ThingSubject
from app.core.statement.hold import HoldPredicate
from app.core.statement.key import KeyPredicate
from app.core.statement.place import PlaceSubject
from app.core.statement.policy import PolicyPredicate
from app.core.statement.protocol import ProtocolPredicate
from app.core.statement.receipt import ReceiptPredicate
from app.core.statement.ref import RefPredicate
from app.core.statement.refusal import RefusalPredicate
from app.core.statement.reservation import ReservationPredicate
from app.core.statement.review import ReviewPredicate
from app.core.statement.study import StudyPredicate
from app.core.statement.verdict import VerdictPredicate

Genesis = Statement[Literal["urn:fairtrial:genesis:v1"], ThingSubject, GenesisPredicate]
Key = Statement[Literal["urn:fairtrial:key:v1"], ThingSubject, KeyPredicate]
Policy = Statement[Literal["urn:fairtrial:policy:v1"], ThingSubject, PolicyPredicate]
Protocol = Statement[Literal["urn:fairtrial:protocol:v1"], ThingSubject, ProtocolPredicate]
Study = Statement[Literal["urn:fairtrial:study:v1"], HeadSubject, StudyPredicate]
Reservation = Statement[Literal["urn:fairtrial:reservation:v1"], HeadSubject, ReservationPredicate]
Receipt = Statement[Literal["urn:fairtrial:receipt:v1"], HeadSubject, ReceiptPredicate]
Deviation = Statement[Literal["urn:fairtrial:deviation:v1"], HeadSubject, DeviationPredicate]
Review = Statement[Literal["urn:fairtrial:review:v1"], HeadSubject, ReviewPredicate]
Hold = Statement[Literal["urn:fairtrial:hold:v1"], PlaceSubject, HoldPredicate]
Decision = Statement[Literal["urn:fairtrial:decision:v1"], HeadSubject, DecisionPredicate]
Ref = Statement[Literal["urn:fairtrial:ref:v1"], ThingSubject, RefPredicate]
Refusal = Statement[Literal["urn:fairtrial:refusal:v1"], HeadSubject, RefusalPredicate]
Closure = Statement[Literal["urn:fairtrial:closure:v1"], HeadSubject, ClosurePredicate]
Verdict = Statement[Literal["urn:fairtrial:verdict:v1"], HeadSubject, VerdictPredicate]

Predicate = (
    GenesisPredicate
    | KeyPredicate
    | PolicyPredicate
    | ProtocolPredicate
    | StudyPredicate
    | ReservationPredicate
    | ReceiptPredicate
    | DeviationPredicate
    | ReviewPredicate
    | HoldPredicate
    | DecisionPredicate
    | RefPredicate
    | RefusalPredicate
    | ClosurePredicate
    | VerdictPredicate
)

SHAPES: Final[dict[str, Any]] = {
    "genesis": Genesis,
    "key": Key,
    "policy": Policy,
    "protocol": Protocol,
    "study": Study,
    "reservation": Reservation,
    "receipt": Receipt,
    "deviation": Deviation,
    "review": Review,
    "hold": Hold,
    "decision": Decision,
    "ref": Ref,
    "refusal": Refusal,
    "closure": Closure,
    "verdict": Verdict,
}


def predicate_type(kind: str) -> str:
    """Return the ``predicateType`` of version 1 of ``kind``."""
    return f"urn:fairtrial:{kind}:v1"
