# SPDX-License-Identifier: Apache-2.0
"""What a statement must be in itself, beyond what its JSON Schema can say.

Instants exist, a key's id follows from the key, the subject is the thing the predicate speaks of,
names in a list are distinct, counts add up. Nothing here knows a ledger: what depends on other
statements is decided by admission, and what a receipt *claims* is never refused but judged.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from app.core.digest import from_base64, sha256_hex
from app.core.errors import Finding, MalformedDocument
from app.core.identity import Role
from app.core.statement.closure import ClosurePredicate
from app.core.statement.decision import DecisionPredicate
from app.core.statement.deviation import DeviationPredicate
from app.core.statement.encoding import encode
from app.core.statement.genesis import GenesisPredicate, PublicKeyRecord
from app.core.statement.header import HeadSubject, Statement, ThingSubject
from app.core.statement.hold import HoldPredicate
from app.core.statement.key import KeyPredicate
from app.core.statement.kinds import Predicate
from app.core.statement.people_checks import (
    decision_findings,
    hold_findings,
    ref_findings,
    review_findings,
)
from app.core.statement.policy import PolicyPredicate
from app.core.statement.protocol import ProtocolPredicate
from app.core.statement.receipt import ReceiptPredicate
from app.core.statement.ref import RefPredicate
from app.core.statement.refusal import RefusalPredicate
from app.core.statement.remarks import (
    Thing,
    distinct,
    finding,
    instant,
    is_head,
    is_thing,
    repository_subject,
)
from app.core.statement.reservation import ReservationPredicate
from app.core.statement.review import ReviewPredicate
from app.core.statement.schema import CAPTURES
from app.core.statement.study import StudyPredicate
from app.core.statement.verdict import VerdictPredicate

UNBOUND_ROLES: Final = frozenset({Role.ADMIN, Role.WITNESS})
"""Roles that are held for the whole ledger and so name no repository."""


def findings_of(statement: Statement[Any, Any, Any]) -> tuple[Finding, ...]:
    """Return what is wrong with ``statement``, with JSON pointers; empty when nothing is."""
    return tuple(_findings(statement.subject[0], statement.predicate))


def key_subject(key_id: str) -> Thing:
    """Return the subject of a key statement."""
    return f"key/{key_id}", key_id


def policy_subject(repository: str) -> Thing:
    """Return the subject of a policy: the repository and the digest of its name."""
    return repository_subject(repository)


def protocol_subject(predicate: ProtocolPredicate) -> Thing:
    """Return the subject of a lock: the document's name and the digest of its JCS bytes."""
    return f"protocol/{predicate.document.name}", sha256_hex(encode(predicate.document))


def _findings(  # noqa: C901, PLR0912  one case a kind of the closed union
    subject: Any,  # noqa: ANN401  each kind's own subject shape
    predicate: Predicate,
) -> Iterator[Finding]:
    # The kind decides the subject's type, and there is one case a kind.
    if (predicate.ledger.genesis is None) is not isinstance(predicate, GenesisPredicate):
        yield finding("ledger/genesis", "audience", "null in the genesis and only there")
    match predicate:
        case GenesisPredicate():
            yield from _genesis(subject, predicate)
        case KeyPredicate():
            yield from _key(subject, predicate)
        case PolicyPredicate():
            yield from _policy(subject, predicate)
        case ProtocolPredicate():
            yield from _protocol(subject, predicate)
        case StudyPredicate():
            yield from _study(subject, predicate)
        case ReservationPredicate() | DeviationPredicate():
            yield from distinct("slots", predicate.slots)
        case ReceiptPredicate():
            yield from _receipt(predicate)
        case RefusalPredicate():
            return
        case HoldPredicate():
            yield from hold_findings(subject, predicate)
        case ReviewPredicate():
            yield from review_findings(predicate)
        case DecisionPredicate():
            yield from decision_findings(predicate)
        case RefPredicate():
            yield from ref_findings(subject, predicate)
        case ClosurePredicate():
            yield from _closure(predicate)
        case VerdictPredicate():  # pragma: no branch - the last case of a closed union
            yield from _verdict(subject, predicate)


def _genesis(subject: ThingSubject, predicate: GenesisPredicate) -> Iterator[Finding]:
    keys = {"checkpoint_key": predicate.checkpoint_key, "statement_key": predicate.statement_key}
    if predicate.recovery_key is not None:
        keys["recovery_key"] = predicate.recovery_key
    keys |= {f"admins/{i}/key": admin.key for i, admin in enumerate(predicate.admins)}
    for place, key in keys.items():
        yield from _key_id(place, key)
    # One key in two places would be one thief with two powers.
    yield from distinct("", [key.id for key in keys.values()])
    if predicate.threshold > len(predicate.admins):
        yield finding("threshold", "maximum", "at most as many as there are admins")
    if subject.name != predicate.ledger.origin:
        yield finding("/subject/0/name", "subject", "the origin")


def _key(subject: ThingSubject, predicate: KeyPredicate) -> Iterator[Finding]:
    yield from _key_id("key", predicate.key)
    yield from is_thing(subject, key_subject(predicate.key.id))
    yield from distinct("repositories", predicate.repositories)
    if bool(predicate.repositories) is (predicate.role in UNBOUND_ROLES):
        expected = "none for an admin or a witness, at least one for every other role"
        yield finding("repositories", "role", expected)
    registers, revokes = predicate.action == "register", predicate.action == "revoke"
    if (predicate.reason is None) is not registers:
        yield finding("reason", "action", "null when registering, a reason otherwise")
    if (predicate.suspect_from_index is not None) is not revokes:
        yield finding("suspect_from_index", "action", "an index when revoking, null otherwise")


def _policy(subject: ThingSubject, predicate: PolicyPredicate) -> Iterator[Finding]:
    yield from is_thing(subject, policy_subject(predicate.repository))
    yield from distinct("claims", [claim.name for claim in predicate.claims])
    yield from distinct("holds_cleared_by", predicate.holds_cleared_by)
    for i, claim in enumerate(predicate.claims):
        yield from distinct(f"claims/{i}/required", [need.scope for need in claim.required])
        for j, need in enumerate(claim.required):
            yield from distinct(f"claims/{i}/required/{j}/protocols", need.protocols)


def _protocol(subject: ThingSubject, predicate: ProtocolPredicate) -> Iterator[Finding]:
    yield from is_thing(subject, protocol_subject(predicate))
    yield from distinct("acknowledged_warnings", predicate.acknowledged_warnings)
    if (predicate.supersedes is None) is not (predicate.reason is None):
        yield finding("reason", "supersedes", "a reason exactly when a version is superseded")


def _study(subject: HeadSubject, predicate: StudyPredicate) -> Iterator[Finding]:
    yield from is_head(subject, predicate.repository, predicate.head.commit)
    yield from instant("closes_at", predicate.closes_at)
    yield from distinct("runners", predicate.runners)
    yield from distinct("topology/hosts", predicate.topology.hosts)
    if predicate.replay is not None:
        yield from distinct("replay/not_published", predicate.replay.not_published)


def _receipt(predicate: ReceiptPredicate) -> Iterator[Finding]:
    if predicate.capture.schema not in CAPTURES:
        yield finding("capture/schema", "unknown-capture", "a kind and version read here")
    for member in ("started_at", "finished_at"):
        at = getattr(predicate, member)
        if at is not None:
            yield from instant(member, at)
    yield from distinct("originals", [original.name for original in predicate.originals])


def _closure(predicate: ClosurePredicate) -> Iterator[Finding]:
    flow = predicate.flow
    parts = (
        *(flow.open, flow.reserved, flow.missing, flow.abandoned, flow.warmup_failed),
        *(flow.complete, flow.partial, flow.failed, flow.invalid),
    )
    if flow.planned != sum(parts):
        yield finding("flow/planned", "balance", "the sum of the other nine")
    for member in ("missing", "abandoned"):
        slots = getattr(predicate, member)
        yield from distinct(member, slots)
        if len(slots) != getattr(flow, member):
            yield finding(member, "balance", "as many slots as the flow counts")


def _verdict(subject: HeadSubject, predicate: VerdictPredicate) -> Iterator[Finding]:
    document = predicate.document
    yield from is_head(subject, document.repository, document.head)
    yield from instant("document/as_of/log_time", document.as_of.log_time)
    for i, study in enumerate(document.studies):
        yield from instant(f"document/studies/{i}/opened_at", study.opened_at)
        yield from instant(f"document/studies/{i}/closes_at", study.closes_at)


def _key_id(place: str, key: PublicKeyRecord) -> Iterator[Finding]:
    try:
        identity = sha256_hex(from_base64(key.spki))
    except MalformedDocument:
        yield finding(f"{place}/spki", "base64", "standard, padded base64")
        return
    if identity != key.id:
        yield finding(f"{place}/id", "key-id", "the SHA-256 of the key's SubjectPublicKeyInfo")
