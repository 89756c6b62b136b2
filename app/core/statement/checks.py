# SPDX-License-Identifier: Apache-2.0
"""What a statement must be in itself, beyond what its JSON Schema can say.

Instants exist, a key's id follows from the key, the subject is the thing the predicate speaks of,
names in a list are distinct, counts add up. Nothing here knows a ledger: what depends on other
statements is decided by admission, and what a receipt *claims* is never refused but judged.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from app.core.digest import from_base64, sha256_hex
from app.core.errors import Finding, MalformedDocument, SchemaViolation
from app.core.identity import Role, micros_of
from app.core.statement.closure import ClosurePredicate
from app.core.statement.deviation import DeviationPredicate
from app.core.statement.encoding import encode
from app.core.statement.genesis import GenesisPredicate, PublicKeyRecord
from app.core.statement.header import HeadSubject, Statement, ThingSubject, head_name
from app.core.statement.key import KeyPredicate
from app.core.statement.kinds import Predicate
from app.core.statement.policy import PolicyPredicate
from app.core.statement.protocol import ProtocolPredicate
from app.core.statement.receipt import ReceiptPredicate
from app.core.statement.refusal import RefusalPredicate
from app.core.statement.reservation import ReservationPredicate
from app.core.statement.schema import CAPTURES
from app.core.statement.study import StudyPredicate
from app.core.statement.verdict import VerdictPredicate

UNBOUND_ROLES: Final = frozenset({Role.ADMIN, Role.WITNESS})
"""Roles that are held for the whole ledger and so name no repository."""

Thing = tuple[str, str]
"""A subject that is no head, as (name, SHA-256)."""


def findings_of(statement: Statement[Any, Any, Any]) -> tuple[Finding, ...]:
    """Return what is wrong with ``statement``, with JSON pointers; empty when nothing is."""
    return tuple(_findings(statement.subject[0], statement.predicate))


def key_subject(key_id: str) -> Thing:
    """Return the subject of a key statement."""
    return f"key/{key_id}", key_id


def policy_subject(repository: str) -> Thing:
    """Return the subject of a policy: the repository and the digest of its name."""
    return repository, sha256_hex(repository.encode())


def protocol_subject(predicate: ProtocolPredicate) -> Thing:
    """Return the subject of a lock: the document's name and the digest of its JCS bytes."""
    return f"protocol/{predicate.document.name}", sha256_hex(encode(predicate.document))


def _findings(subject: Any, predicate: Predicate) -> Iterator[Finding]:  # noqa: ANN401, C901
    # The kind decides the subject's type, and there is one case a kind.
    if (predicate.ledger.genesis is None) is not isinstance(predicate, GenesisPredicate):
        yield _finding("ledger/genesis", "audience", "null in the genesis and only there")
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
            yield from _distinct("slots", predicate.slots)
        case ReceiptPredicate():
            yield from _receipt(predicate)
        case RefusalPredicate():
            return
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
    yield from _distinct("", [key.id for key in keys.values()])
    if predicate.threshold > len(predicate.admins):
        yield _finding("threshold", "maximum", "at most as many as there are admins")
    if subject.name != predicate.ledger.origin:
        yield _finding("/subject/0/name", "subject", "the origin")


def _key(subject: ThingSubject, predicate: KeyPredicate) -> Iterator[Finding]:
    yield from _key_id("key", predicate.key)
    yield from _is(subject, key_subject(predicate.key.id))
    yield from _distinct("repositories", predicate.repositories)
    if bool(predicate.repositories) is (predicate.role in UNBOUND_ROLES):
        expected = "none for an admin or a witness, at least one for every other role"
        yield _finding("repositories", "role", expected)
    registers, revokes = predicate.action == "register", predicate.action == "revoke"
    if (predicate.reason is None) is not registers:
        yield _finding("reason", "action", "null when registering, a reason otherwise")
    if (predicate.suspect_from_index is not None) is not revokes:
        yield _finding("suspect_from_index", "action", "an index when revoking, null otherwise")


def _policy(subject: ThingSubject, predicate: PolicyPredicate) -> Iterator[Finding]:
    yield from _is(subject, policy_subject(predicate.repository))
    yield from _distinct("claims", [claim.name for claim in predicate.claims])
    yield from _distinct("holds_cleared_by", predicate.holds_cleared_by)
    for i, claim in enumerate(predicate.claims):
        yield from _distinct(f"claims/{i}/required", [need.scope for need in claim.required])
        for j, need in enumerate(claim.required):
            yield from _distinct(f"claims/{i}/required/{j}/protocols", need.protocols)


def _protocol(subject: ThingSubject, predicate: ProtocolPredicate) -> Iterator[Finding]:
    yield from _is(subject, protocol_subject(predicate))
    yield from _distinct("acknowledged_warnings", predicate.acknowledged_warnings)
    if (predicate.supersedes is None) is not (predicate.reason is None):
        yield _finding("reason", "supersedes", "a reason exactly when a version is superseded")


def _study(subject: HeadSubject, predicate: StudyPredicate) -> Iterator[Finding]:
    yield from _is_head(subject, predicate.repository, predicate.head.commit)
    yield from _instant("closes_at", predicate.closes_at)
    yield from _distinct("runners", predicate.runners)
    yield from _distinct("topology/hosts", predicate.topology.hosts)
    if predicate.replay is not None:
        yield from _distinct("replay/not_published", predicate.replay.not_published)


def _receipt(predicate: ReceiptPredicate) -> Iterator[Finding]:
    if predicate.capture.schema not in CAPTURES:
        yield _finding("capture/schema", "unknown-capture", "a kind and version read here")
    for member in ("started_at", "finished_at"):
        instant = getattr(predicate, member)
        if instant is not None:
            yield from _instant(member, instant)
    yield from _distinct("originals", [original.name for original in predicate.originals])


def _closure(predicate: ClosurePredicate) -> Iterator[Finding]:
    flow = predicate.flow
    parts = (
        *(flow.open, flow.reserved, flow.missing, flow.abandoned, flow.warmup_failed),
        *(flow.complete, flow.partial, flow.failed, flow.invalid),
    )
    if flow.planned != sum(parts):
        yield _finding("flow/planned", "balance", "the sum of the other nine")
    for member in ("missing", "abandoned"):
        slots = getattr(predicate, member)
        yield from _distinct(member, slots)
        if len(slots) != getattr(flow, member):
            yield _finding(member, "balance", "as many slots as the flow counts")


def _verdict(subject: HeadSubject, predicate: VerdictPredicate) -> Iterator[Finding]:
    document = predicate.document
    yield from _is_head(subject, document.repository, document.head)
    yield from _instant("document/as_of/log_time", document.as_of.log_time)
    for i, study in enumerate(document.studies):
        yield from _instant(f"document/studies/{i}/opened_at", study.opened_at)
        yield from _instant(f"document/studies/{i}/closes_at", study.closes_at)


def _is(subject: ThingSubject, thing: Thing) -> Iterator[Finding]:
    name, digest = thing
    if subject.name != name:
        yield _finding("/subject/0/name", "subject", "the name of what the predicate is about")
    if subject.digest.sha256 != digest:
        yield _finding("/subject/0/digest/sha256", "subject", "the digest of what it is about")


def _is_head(subject: HeadSubject, repository: str, commit: str) -> Iterator[Finding]:
    if subject.name != head_name(repository):
        yield _finding("/subject/0/name", "subject", "git+https:// and the predicate's repository")
    if subject.digest.gitCommit != commit:
        yield _finding("/subject/0/digest/gitCommit", "subject", "the predicate's head")


def _key_id(place: str, key: PublicKeyRecord) -> Iterator[Finding]:
    try:
        identity = sha256_hex(from_base64(key.spki))
    except MalformedDocument:
        yield _finding(f"{place}/spki", "base64", "standard, padded base64")
        return
    if identity != key.id:
        yield _finding(f"{place}/id", "key-id", "the SHA-256 of the key's SubjectPublicKeyInfo")


def _instant(place: str, instant: str) -> Iterator[Finding]:
    try:
        micros_of(instant)
    except SchemaViolation:
        yield _finding(place, "instant", "a day and a time that exist")


def _distinct(place: str, names: Iterable[str]) -> Iterator[Finding]:
    seen: set[str] = set()
    for i, name in enumerate(names):
        if name in seen:
            yield _finding(f"{place}/{i}" if place else "", "distinct", "each one once")
            return
        seen.add(name)


def _finding(place: str, rule: str, expected: str) -> Finding:
    absolute = place if place.startswith("/") else f"/predicate/{place}".rstrip("/")
    return Finding(absolute, rule, f"Expected {expected}.")
