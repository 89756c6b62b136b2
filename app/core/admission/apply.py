# SPDX-License-Identifier: Apache-2.0
"""One entry joins its line: a pure fold that never refuses, shared by every reader of the log.

The sequencer, a reload, a bundle's reader and the audit all come to the same state, because they
all come here. What may enter was decided by ``app.core.admission.admit``.
"""

from __future__ import annotations

from typing import TypeVar

from msgspec.structs import replace

from app.core.admission.people import Stated
from app.core.admission.rules.genesis import key_of
from app.core.admission.state import (
    HeadState,
    LedgerState,
    LineState,
    PolicyInForce,
    RepositoryState,
    Standing,
)
from app.core.identity import Role, micros_of
from app.core.keyring.keyring import Grant, Keyring, Suspicion
from app.core.log.leaf import challenge_of, head_line, ledger_line, repository_line
from app.core.protocol.parse import document_digest
from app.core.statement.capture import Capture
from app.core.statement.closure import ClosurePredicate
from app.core.statement.decision import DecisionPredicate
from app.core.statement.deviation import DeviationPredicate
from app.core.statement.entry import Entry
from app.core.statement.genesis import GenesisPredicate
from app.core.statement.header import Header
from app.core.statement.hold import HoldPredicate
from app.core.statement.key import KeyPredicate
from app.core.statement.policy import PolicyPredicate
from app.core.statement.protocol import ProtocolPredicate
from app.core.statement.receipt import ReceiptPredicate
from app.core.statement.ref import RefPredicate
from app.core.statement.refusal import RefusalPredicate
from app.core.statement.reservation import ReservationPredicate
from app.core.statement.review import ReviewPredicate
from app.core.statement.study import StudyPredicate
from app.core.statement.verdict import VerdictPredicate
from app.core.study import fold
from app.core.study.fold import Stamp
from app.core.study.state import LockedProtocol, NotRead, StudyState

LineT = TypeVar("LineT", bound=LineState)
PredicateT = TypeVar("PredicateT", bound=Header)


def apply(standing: Standing, entry: Entry, capture: Capture | NotRead | None = None) -> Standing:
    """Return the standing after ``entry``.

    An entry of a line that ``standing`` does not hold changes nothing.

    Args:
        standing: the three lines before it.
        entry: the leaf and the statement it names.
        capture: of a receipt; None where it is sealed or of a kind this reader does not know.
            ``NotRead``: only where the study is surely open (``app.core.study.unread``).
    """
    line, repository, head = entry.leaf.line, standing.repository, standing.head
    if line == ledger_line():
        return replace(standing, ledger=_ledger(_longer(standing.ledger, entry), entry))
    if line == repository_line(repository.repository):
        return replace(standing, repository=_repository(_longer(repository, entry), entry))
    if head is not None and line == head_line(head.repository, head.head):
        longer = _head(_longer(head, entry), entry, repository, capture)
        return replace(standing, head=longer)
    return standing


def _longer(line: LineT, entry: Entry) -> LineT:
    unknown = line.unknown if entry.parsed is not None else (*line.unknown, entry.index)
    return replace(
        line,
        length=line.length + 1,
        last_index=entry.index,
        last_at_us=micros_of(entry.leaf.at),
        unknown=unknown,
    )


def _stamp(entry: Entry) -> Stamp:
    return Stamp(entry.leaf.statement, entry.index, micros_of(entry.leaf.at))


def _stated(entry: Entry, predicate: PredicateT) -> Stated[PredicateT]:
    stamp = _stamp(entry)
    return Stated(stamp.digest, stamp.index, stamp.at_us, predicate)


def _ledger(line: LedgerState, entry: Entry) -> LedgerState:
    match entry.parsed and entry.parsed.predicate:
        case GenesisPredicate() as genesis:
            keyring = first_keyring(genesis, entry.index)
            digest = entry.leaf.statement
            return replace(line, genesis=genesis, genesis_digest=digest, keyring=keyring)
        case KeyPredicate() as step:
            return replace(line, keyring=_after_step(line.keyring, step, entry.index))
        case _:
            return line


def first_keyring(genesis: GenesisPredicate, index: int) -> Keyring:
    """Return the keyring that a genesis at ``index`` begins with."""
    recovery = [] if genesis.recovery_key is None else [genesis.recovery_key.id]
    grants = [
        Grant(admin.key.id, key_of(admin.key), Role.ADMIN, frozenset(), admin.holder, index)
        for admin in genesis.admins
    ]
    return Keyring(
        grants={grant.id: grant for grant in grants},
        statement_key=key_of(genesis.statement_key),
        reserved=frozenset({genesis.checkpoint_key.id, *recovery}),
        threshold=genesis.threshold,
    )


def _after_step(keyring: Keyring, step: KeyPredicate, index: int) -> Keyring:
    if step.action != "register":
        ended = keyring.ending(step.key.id, index=index, by=step.action)
        if step.suspect_from_index is None or step.suspect_from_index >= index:
            return ended  # nothing that stands is doubted, and nothing else can come
        return ended.doubting(step.key.id, Suspicion(step.suspect_from_index, index))
    key = key_of(step.key)
    grant = Grant(
        id=key.key_id,
        key=key,
        role=step.role,
        repositories=frozenset(step.repositories),
        holder=step.holder,
        from_index=index,
        granted_by=step.signer,
    )
    return keyring.granting(grant)


def _repository(line: RepositoryState, entry: Entry) -> RepositoryState:
    stamp = _stamp(entry)
    match entry.parsed and entry.parsed.predicate:
        case PolicyPredicate() as policy:
            in_force = PolicyInForce(stamp.index, stamp.at_us, stamp.digest, policy)
            return replace(line, policies=(*line.policies, in_force))
        case ProtocolPredicate() as lock:
            digest = document_digest(lock.document)
            locked = LockedProtocol(stamp.index, stamp.at_us, stamp.digest, digest, lock)
            return replace(line, protocols={**line.protocols, digest: locked})
        case HoldPredicate() as hold:
            return replace(line, holds=(*line.holds, _stated(entry, hold)))
        case RefPredicate() as ref:
            return replace(line, refs=(*line.refs, _stated(entry, ref)))
        case _:
            return line


def _head(
    line: HeadState, entry: Entry, repository: RepositoryState, capture: Capture | NotRead | None
) -> HeadState:
    match entry.parsed and entry.parsed.predicate:
        case StudyPredicate() as opened:
            lock = repository.protocols.get(opened.protocol)
            if lock is None:
                return line
            study = fold.open_study(opened, lock, _stamp(entry))
            return replace(line, studies=(*line.studies, study))
        case VerdictPredicate() as verdict:
            document = verdict.document
            return replace(line, words={**line.words, document.claim: document})
        case HoldPredicate() as hold:
            return replace(line, holds=(*line.holds, _stated(entry, hold)))
        case ReviewPredicate() as review:
            return replace(line, reviews=(*line.reviews, _stated(entry, review)))
        case DecisionPredicate() as decision:
            return replace(line, decisions=(*line.decisions, _stated(entry, decision)))
        case _:
            studies = (_study(study, entry, capture) for study in line.studies)
            return replace(line, studies=tuple(studies))


def _study(study: StudyState, entry: Entry, capture: Capture | NotRead | None) -> StudyState:
    """Return ``study`` after an entry of its head's line, most of which are about other studies."""
    stamp = _stamp(entry)
    match entry.parsed and entry.parsed.predicate:
        case ReservationPredicate(study=study.digest) as taken:
            return fold.reserve(study, taken, stamp, challenge=challenge_of(entry.leaf))
        case ReceiptPredicate(study=study.digest) as receipt:
            return fold.receive(study, receipt, stamp, capture)
        case RefusalPredicate(study=study.digest) as refusal:
            return fold.refuse(study, refusal)
        case DeviationPredicate(study=study.digest) as deviation:
            return fold.deviate(study, deviation, stamp)
        case ClosurePredicate(study=study.digest):
            return replace(study, closure_index=stamp.index)
        case _:
            return study
