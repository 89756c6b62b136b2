# SPDX-License-Identifier: Apache-2.0
"""From a typed predicate to the signed envelope that a route takes.

What is composed here is read again by the core's own reader before it is signed, so that a
statement the ledger would refuse for its form is refused where it was written, with a JSON pointer.
Signing is deterministic: the same predicate and key give the same envelope, and the ledger answers
with the same index.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import msgspec
import zstandard

from app.core.canonical import JsonValue, canonical, parse_strict
from app.core.digest import sha256_hex, to_base64
from app.core.errors import SchemaViolation, UnknownThing
from app.core.signing.envelope import sign, to_json
from app.core.signing.keys import PublicKey, SigningKey
from app.core.statement.capture import Capture
from app.core.statement.checks import key_subject, policy_subject, protocol_subject
from app.core.statement.decision import DecisionPredicate
from app.core.statement.deviation import DeviationPredicate
from app.core.statement.genesis import PublicKeyRecord
from app.core.statement.header import (
    STATEMENT_TYPE,
    CommitDigest,
    HeadSubject,
    LedgerRef,
    PlainDigest,
    Statement,
    ThingSubject,
    head_name,
)
from app.core.statement.hold import HoldPredicate
from app.core.statement.key import KeyPredicate
from app.core.statement.kinds import predicate_type
from app.core.statement.parse import encode, parse_statement
from app.core.statement.people_checks import place_subject
from app.core.statement.place import PlaceSubject
from app.core.statement.policy import PolicyPredicate
from app.core.statement.protocol import ProtocolPredicate
from app.core.statement.receipt import CaptureRef, ReceiptPredicate
from app.core.statement.ref import RefPredicate
from app.core.statement.remarks import repository_subject
from app.core.statement.reservation import ReservationPredicate
from app.core.statement.review import ReviewPredicate
from app.core.statement.study import StudyPredicate

WidePredicate = (
    KeyPredicate
    | PolicyPredicate
    | ProtocolPredicate
    | StudyPredicate
    | HoldPredicate
    | RefPredicate
)
"""Predicates that name their own subject."""
StudyPart = ReservationPredicate | ReceiptPredicate | DeviationPredicate
"""Predicates about a study, whose head stands in the subject alone."""
HeadPredicate = StudyPart | ReviewPredicate | DecisionPredicate
"""Predicates whose head stands in the subject alone."""

WIDE: dict[str, type[WidePredicate]] = {
    "key": KeyPredicate,
    "policy": PolicyPredicate,
    "protocol": ProtocolPredicate,
    "study": StudyPredicate,
    "hold": HoldPredicate,
    "ref": RefPredicate,
}
OF_STUDY = ("reservation", "receipt", "deviation")
"""Kinds that name a study, and so a head."""
ON_HEAD: dict[str, type[HeadPredicate]] = {
    "reservation": ReservationPredicate,
    "receipt": ReceiptPredicate,
    "deviation": DeviationPredicate,
    "review": ReviewPredicate,
    "decision": DecisionPredicate,
}

_ZSTD_LEVEL = 3


@dataclass(frozen=True, slots=True)
class HeadPlace:
    """One exact head of one repository."""

    repository: str
    head: str


@dataclass(frozen=True, slots=True)
class Draft:
    """A statement's bytes, read once and not signed yet."""

    kind: str
    payload: bytes

    @property
    def digest(self) -> str:
        """The statement's identity."""
        return sha256_hex(self.payload)

    def signed(self, *keys: SigningKey) -> bytes:
        """Return the envelope's JSON with one signature per key."""
        return to_json(sign(self.payload, keys))


def draft_wide(predicate: WidePredicate) -> Draft:
    """Return the statement around a predicate that names its own subject.

    Raises:
        SchemaViolation: it could not enter any ledger.
    """
    match predicate:
        case KeyPredicate():
            return _draft("key", _thing(*key_subject(predicate.key.id)), predicate)
        case PolicyPredicate():
            return _draft("policy", _thing(*policy_subject(predicate.repository)), predicate)
        case ProtocolPredicate():
            return _draft("protocol", _thing(*protocol_subject(predicate)), predicate)
        case StudyPredicate():
            place = HeadPlace(predicate.repository, predicate.head.commit)
            return _draft("study", _head(place), predicate)
        case HoldPredicate():
            about = place_subject(predicate.repository, predicate.applies_to.head)
            return _draft("hold", about, predicate)
        case RefPredicate():
            return _draft("ref", _thing(*repository_subject(predicate.repository)), predicate)


def draft_on_head(predicate: HeadPredicate, place: HeadPlace) -> Draft:
    """Return the statement around a predicate about ``place``.

    Raises:
        SchemaViolation: it could not enter any ledger.
    """
    match predicate:
        case ReservationPredicate():
            return _draft("reservation", _head(place), predicate)
        case ReceiptPredicate():
            return _draft("receipt", _head(place), predicate)
        case DeviationPredicate():
            return _draft("deviation", _head(place), predicate)
        case ReviewPredicate():
            return _draft("review", _head(place), predicate)
        case DecisionPredicate():
            return _draft("decision", _head(place), predicate)


def draft_statement(payload: bytes) -> Draft:
    """Return a whole statement, in any spelling of its JSON, in its canonical one.

    Raises:
        MalformedDocument: not strict JSON.
        SchemaViolation: not a statement of a known kind.
    """
    data = canonical(parse_strict(payload))
    return Draft(parse_statement(data).kind, data)


def draft_from(
    kind: str,
    members: dict[str, JsonValue],
    *,
    ledger: LedgerRef,
    signer: str,
    place: HeadPlace | None = None,
) -> Draft:
    """Return the statement around a predicate read from a file.

    The header's members may be left out: ``ledger`` and ``signer`` are filled in, and so are empty
    annotations. What is there is never changed.

    Args:
        kind: of the statement.
        members: the predicate's.
        ledger: the audience.
        signer: key id of who will sign.
        place: the head, for a kind whose predicate does not name it.

    Raises:
        UnknownThing: ``unknown-kind``, no such kind is composed by a client.
        SchemaViolation: the predicate has not its kind's shape.
    """
    header: dict[str, JsonValue] = {
        "ledger": {"origin": ledger.origin, "genesis": ledger.genesis},
        "signer": signer,
        "annotations": {},
    }
    whole: dict[str, JsonValue] = {**header, **members}
    try:
        if kind in WIDE:
            return draft_wide(msgspec.convert(whole, WIDE[kind]))
        if kind in ON_HEAD:
            predicate = msgspec.convert(whole, ON_HEAD[kind])
            if place is None:
                raise UnknownThing(
                    "Say on which head of which repository it stands.", code="no-head"
                )
            return draft_on_head(predicate, place)
    except msgspec.ValidationError as error:
        raise _explained(kind, whole) from error
    message = f"A client composes statements of kind {', '.join((*WIDE, *ON_HEAD))}."
    raise UnknownThing(message, code="unknown-kind")


def has_form(written: object, form: Any) -> bool:  # noqa: ANN401  a form is any annotated type
    """Tell whether what a person wrote would be taken for a value of ``form``."""
    try:
        msgspec.convert(written, form)
    except msgspec.ValidationError:
        return False
    return True


def public_key_record(key: PublicKey) -> PublicKeyRecord:
    """Return a key as statements name it."""
    return PublicKeyRecord(id=key.key_id, spki=to_base64(key.der))


def capture_ref(capture: bytes, *, schema: str) -> CaptureRef:
    """Return the reference to a capture's JCS bytes."""
    return CaptureRef(sha256=sha256_hex(capture), size=len(capture), schema=schema)


def encoded_capture(capture: Capture) -> tuple[bytes, CaptureRef]:
    """Return a capture's JCS bytes and the reference that a receipt carries."""
    data = encode(capture)
    return data, capture_ref(data, schema=capture.schema)


def compressed(capture: bytes) -> bytes:
    """Return the zstd frame that travels beside a receipt."""
    return zstandard.ZstdCompressor(level=_ZSTD_LEVEL).compress(capture)


def receipt_body(envelope: bytes, capture: bytes) -> bytes:
    """Return the request body of a receipt: its envelope, and its capture in base64 of zstd."""
    return b'{"capture":"%b","envelope":%b}' % (to_base64(compressed(capture)).encode(), envelope)


def _head(place: HeadPlace) -> HeadSubject:
    return HeadSubject(name=head_name(place.repository), digest=CommitDigest(gitCommit=place.head))


def _thing(name: str, digest: str) -> ThingSubject:
    return ThingSubject(name=name, digest=PlainDigest(sha256=digest))


def _draft(
    kind: str,
    subject: HeadSubject | ThingSubject | PlaceSubject,
    predicate: WidePredicate | HeadPredicate,
) -> Draft:
    statement = Statement(
        type_=STATEMENT_TYPE,
        subject=[subject],
        predicate_type=predicate_type(kind),
        predicate=predicate,
    )
    payload = encode(statement)
    return Draft(parse_statement(payload, expect=kind).kind, payload)


def _explained(kind: str, members: dict[str, JsonValue]) -> SchemaViolation:
    """Return what the core's own reader says about a predicate that is not of its shape."""
    subject: JsonValue = (
        {"name": "git+https://h/o/n", "digest": {"gitCommit": "0" * 40}}
        if kind in ON_HEAD or kind == "study"
        else {"name": "h/o/n", "digest": {"sha256": "0" * 64}}
    )
    statement: JsonValue = {
        "_type": STATEMENT_TYPE,
        "subject": [subject],
        "predicateType": predicate_type(kind),
        "predicate": members,
    }
    try:
        parse_statement(canonical(statement), expect=kind)
    except SchemaViolation as error:
        return error
    return SchemaViolation(f"The predicate has not the shape of kind {kind}.")
