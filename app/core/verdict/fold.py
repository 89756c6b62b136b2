# SPDX-License-Identifier: Apache-2.0
"""The verdict: a pure function of three lines below a tree size, a head, a claim and a log time.

What is decided where: which policies speak and what they demand in ``policies``; which studies
count in ``counting``; what a study shows in ``records``; what the studies say together in
``head_scopes``; what it stands on in ``head_base``; what people said in ``said``; which signatures
are doubted in ``taint``; the word in ``word``; who acts next in ``human``. This file puts them
together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.core.admission.people import RefState
from app.core.admission.state import HeadState, PolicyInForce, Standing
from app.core.errors import UnknownThing
from app.core.identity import Scope, Sha256Hex, instant_of
from app.core.reason import Reason
from app.core.statement.encoding import encode
from app.core.statement.study import Owners
from app.core.statement.verdict import AsOf, AttemptOf, StudyRecord, VerdictDocument
from app.core.study.attempts import attempts, attempts_by_scope
from app.core.study.slots import deadlines, study_phase
from app.core.study.state import StudyState
from app.core.verdict.counting import (
    MovedGates,
    countings,
    moved_gates,
)
from app.core.verdict.head_base import base_of, tip_of
from app.core.verdict.head_scopes import required_states, scope_states
from app.core.verdict.human import author_action_now, next_action
from app.core.verdict.policies import (
    claim_in,
    claims_named,
    demands_of,
    policies_about,
)
from app.core.verdict.records import Captures, ReadAs, masked_fails, scored_captures, study_record
from app.core.verdict.said import SaidHere, said_here
from app.core.verdict.taint import Tainted, tainted_rules, tainted_study
from app.core.verdict.word import Grounds, reasons_for, word_for


def give_verdict(
    standing: Standing, *, claim: str | None, log_time_us: int, captures: Captures
) -> VerdictDocument:
    """Return what is established about ``claim`` on the head of ``standing``.

    Args:
        standing: the three lines; the head's line may be empty.
        claim: one of ``claims_of(standing)``.
        log_time_us: log time of the tree size this is computed at.
        captures: gives the captures that ``captures_needed`` names.

    Raises:
        UnknownThing: ``unknown-head``, the standing holds no head; ``unknown-claim``.
        IntegrityBroken: ``ledger-unbalanced``: a study's slots do not add up, so no word is given.
    """
    if claim not in claims_of(standing):
        message = "No policy in force since this head's first study names that claim."
        raise UnknownThing(message, code="unknown-claim")
    return _document(_read(standing, log_time_us, captures), claim)


def give_verdicts(
    standing: Standing, *, log_time_us: int, captures: Captures
) -> dict[str | None, VerdictDocument]:
    """Return the verdict of every claim, in the order of ``claims_of``, scoring each study once.

    Raises:
        UnknownThing: ``unknown-head``.
        IntegrityBroken: ``ledger-unbalanced``.
    """
    read = _read(standing, log_time_us, captures)
    return {claim: _document(read, claim) for claim in claims_of(standing)}


def head_of(standing: Standing) -> HeadState:
    """Return the head a standing is about.

    Raises:
        UnknownThing: ``unknown-head``, it is about the wider lines only.
    """
    if standing.head is None:
        message = "A verdict is about one exact head; name its full commit id."
        raise UnknownThing(message, code="unknown-head")
    return standing.head


def claims_of(standing: Standing) -> tuple[str | None, ...]:
    """Return the claims there is a verdict for: those of all policies about the head, or one None.

    Raises:
        UnknownThing: ``unknown-head``, the standing holds no head.
    """
    return claims_named(policies_about(standing.repository, head_of(standing))) or (None,)


def captures_needed(standing: Standing, log_time_us: int) -> tuple[Sha256Hex, ...]:
    """Return the digests of the captures that a verdict at ``log_time_us`` reads.

    Those of open studies are sealed and not among them.
    """
    head = head_of(standing)
    time = settled_log_time(standing, log_time_us)
    closed = (study for study in head.studies if study_phase(study, time) == "CLOSED")
    found = (digest for study in closed for digest in scored_captures(study))
    return tuple(dict.fromkeys(found))


def settled_log_time(standing: Standing, log_time_us: int) -> int:
    """Return the earliest log time from which on everything reads as it does at ``log_time_us``.

    The log goes on growing elsewhere without changing a word here, so a verdict is dated by what
    changed it: the newest entry on its three lines, or the first instant past a deadline.
    """
    head = head_of(standing)
    passed = [d + 1 for s in head.studies for d in deadlines(s) if d < log_time_us]
    lines = (standing.ledger, standing.repository, head)
    return max(*(line.last_at_us for line in lines), *passed)


def verdict_bytes(document: VerdictDocument) -> bytes:
    """Return the JCS bytes of a verdict document: what is served, stored and compared."""
    return encode(document)


@dataclass(frozen=True, slots=True)
class _Read:
    """What is the same for every claim."""

    standing: Standing
    head: HeadState
    log_time_us: int
    policies: tuple[PolicyInForce, ...]
    studies: list[StudyRecord]
    masked: frozenset[tuple[Sha256Hex, Scope]]
    moved: tuple[MovedGates, ...]
    tainted: tuple[Tainted, ...]
    tip: RefState | None
    said: SaidHere


def _read(standing: Standing, log_time_us: int, captures: Captures) -> _Read:
    head = head_of(standing)
    time = settled_log_time(standing, log_time_us)
    keyring = standing.ledger.keyring
    counting = countings(head.studies, time, keyring)
    said = said_here(standing, head)
    numbers, of_scope = attempts(head.studies), attempts_by_scope(head.studies)
    records = [
        study_record(
            study,
            ReadAs(
                head.head,
                time,
                counting[study.digest],
                numbers.get(study.digest),
                of_scope.get(study.digest, {}),
                keyring,
                said.reviews,
            ),
            captures,
        )
        for study in head.studies
    ]
    policies = policies_about(standing.repository, head)
    pairs = zip(head.studies, records, strict=True)
    masked = frozenset(fail for study, record in pairs for fail in masked_fails(study, record))
    moved = moved_gates(head.studies, counting)
    tip = tip_of(standing.repository, policies)
    doubts = (
        *(tainted_study(study, keyring) for study in head.studies),
        tainted_rules(policies, tip, keyring),
    )
    return _Read(
        standing=standing,
        head=head,
        log_time_us=time,
        policies=policies,
        studies=records,
        masked=masked,
        moved=moved,
        tainted=tuple(doubt for doubt in doubts if doubt is not None),
        tip=tip,
        said=said,
    )


def _document(read: _Read, claim: str | None) -> VerdictDocument:
    lines = (read.standing.ledger, read.standing.repository, read.head)
    holds = read.said.holds_on(claim)
    grounds = Grounds(
        unknown=tuple(index for line in lines for index in line.unknown),
        has_policy=bool(read.policies),
        required=required_states(demands_of(read.policies, claim), read.studies),
        studies=read.studies,
        masked=read.masked,
        moved=read.moved,
        base=base_of(read.head.studies, read.policies, read.tip),
        tainted=read.tainted,
        holds=holds,
    )
    reasons = reasons_for(grounds)
    named = claim_in(read.policies, claim)
    return VerdictDocument(
        schema="urn:fairtrial:verdict-document:v1",
        repository=read.head.repository,
        head=read.head.head,
        claim=claim,
        question=None if named is None else named.question,
        policy=read.policies[-1].digest if read.policies else None,
        word=word_for(reasons),
        conflicting=any(reason.code == Reason.CONFLICTING for reason in reasons),
        reasons=reasons,
        next_action=next_action(reasons, grounds.required, _owners_of(read.head.studies), holds),
        author_action_now=author_action_now(holds),
        attempt=_attempt_of(read.studies),
        change=_change_of(read.head.studies) or next(reversed(read.said.changes), None),
        changes=list(read.said.changes),
        base=grounds.base,
        holds=holds,
        reviews=list(read.said.reviews),
        decisions=read.said.decisions_on(claim),
        required=list(grounds.required),
        scopes=scope_states(read.studies),
        studies=read.studies,
        as_of=AsOf(
            log_time=instant_of(read.log_time_us),
            ledger=read.standing.ledger.length,
            repository=read.standing.repository.length,
            head=read.head.length,
        ),
    )


def _attempt_of(studies: Sequence[StudyRecord]) -> AttemptOf:
    numbers = [study.attempt for study in studies if study.attempt is not None]
    return AttemptOf(k=numbers[-1] if numbers else 0, n=len(numbers))


def _owners_of(studies: Sequence[StudyState]) -> Owners | None:
    return studies[-1].predicate.owners if studies else None


def _change_of(studies: Sequence[StudyState]) -> str | None:
    """Return the change that the newest study names, where one does."""
    changes = (study.predicate.change for study in reversed(studies))
    return next((change for change in changes if change is not None), None)
