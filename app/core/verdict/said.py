# SPDX-License-Identifier: Apache-2.0
"""Holds, reviews and decisions as records of a verdict document."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from app.core.admission.people import HoldStanding, Stated, hold_standings
from app.core.admission.state import HeadState, RepositoryState, Standing
from app.core.identity import ChangeNumber, Slug, instant_of, person_of
from app.core.keyring.keyring import Keyring
from app.core.statement.hold import AppliesTo
from app.core.statement.people_records import (
    DecisionRecord,
    HoldEnd,
    HoldRecord,
    ReviewRecord,
    SaidBy,
)
from app.core.statement.review import ReviewPredicate


@dataclass(frozen=True, slots=True)
class SaidHere:
    """What people said about one head, read once for all of its claims.

    Attributes:
        changes: the changes that the head belongs to.
        holds: that concern the head, whatever their claim, in log order.
        decisions: about the head, each with its record.
    """

    changes: tuple[ChangeNumber, ...]
    holds: tuple[HoldRecord, ...]
    reviews: tuple[ReviewRecord, ...]
    decisions: tuple[DecisionRecord, ...]

    def holds_on(self, claim: Slug | None) -> list[HoldRecord]:
        """Return the holds that concern ``claim``; without a policy there is none to tell apart."""
        return [one for one in self.holds if _is_about(one.applies_to.claim, claim)]

    def decisions_on(self, claim: Slug | None) -> list[DecisionRecord]:
        """Return the decisions about ``claim``, and those about the head as a whole."""
        return [one for one in self.decisions if _is_about(one.claim, claim)]


def said_here(standing: Standing, head: HeadState) -> SaidHere:
    """Return everything people said about ``head``."""
    keyring, repository = standing.ledger.keyring, standing.repository
    changes = changes_of(repository, head)
    holds = wide_holds(repository, keyring, changes)
    own = hold_standings(head.holds, keyring.is_suspect)
    holds += [_hold_record(one, keyring) for one in own]
    return SaidHere(
        changes=changes,
        holds=tuple(sorted(holds, key=lambda one: one.said.entry)),
        reviews=tuple(_reviews(head, keyring)),
        decisions=tuple(_decisions(head, keyring)),
    )


def wide_holds(
    repository: RepositoryState, keyring: Keyring, changes: Collection[ChangeNumber]
) -> list[HoldRecord]:
    """Return the holds wider than one head that concern a head of ``changes``, in log order."""
    return [
        _hold_record(one, keyring)
        for one in hold_standings(repository.holds, keyring.is_suspect)
        if _concerns(one.placed.predicate.applies_to, changes)
    ]


def _concerns(applies_to: AppliesTo, changes: Collection[ChangeNumber]) -> bool:
    return not applies_to.changes or not set(changes).isdisjoint(applies_to.changes)


def changes_of(repository: RepositoryState, head: HeadState) -> tuple[ChangeNumber, ...]:
    """Return every change that names the head, in the order in which they did.

    All count, so that a further study under another change's number escapes no hold.
    """
    refs = (
        (one.index, one.predicate.change)
        for one in repository.refs
        if one.predicate.tip == head.head
    )
    studies = ((study.index, study.predicate.change) for study in head.studies)
    named = (change for _, change in sorted((*refs, *studies), key=lambda pair: pair[0]))
    return tuple(dict.fromkeys(change for change in named if change is not None))


def _is_about(named: Slug | None, claim: Slug | None) -> bool:
    return named is None or claim is None or named == claim


def _said_by(stated: Stated[Any], keyring: Keyring) -> SaidBy:
    signer = stated.predicate.signer
    grant = keyring.grants[signer]
    return SaidBy(
        statement=stated.digest,
        entry=stated.index,
        at=instant_of(stated.at_us),
        key=signer,
        holder=grant.holder,
        role=grant.role.value,
        suspect=keyring.is_suspect(signer, stated.index),
    )


def _hold_record(standing: HoldStanding, keyring: Keyring) -> HoldRecord:
    placed = standing.placed
    hold = placed.predicate
    assert hold.until is not None  # noqa: S101  reading demands it of every placed hold
    assert hold.next_action is not None  # noqa: S101  reading demands it too
    assert hold.author_action_now is not None  # noqa: S101  reading demands it too
    return HoldRecord(
        said=_said_by(placed, keyring),
        in_force=standing.in_force,
        applies_to=hold.applies_to,
        checked_head=hold.checked_head,
        why=hold.why,
        tested=list(hold.tested),
        not_tested=list(hold.not_tested),
        until=hold.until,
        next_action=hold.next_action,
        author_action_now=hold.author_action_now,
        links=list(hold.links),
        ended=_end(standing, keyring),
    )


def _end(standing: HoldStanding, keyring: Keyring) -> HoldEnd | None:
    by = standing.cleared or standing.restated
    if by is None:
        return None
    said, why = _said_by(by, keyring), by.predicate.why
    return HoldEnd(how="cleared" if standing.cleared else "restated", said=said, why=why)


def _reviews(head: HeadState, keyring: Keyring) -> Iterator[ReviewRecord]:
    gone = {one.predicate.supersedes for one in head.reviews}
    trusted = [
        one for one in head.reviews if not keyring.is_suspect(one.predicate.signer, one.index)
    ]
    taken_back = {one.predicate.supersedes for one in trusted}
    tied = _tied_to(head, keyring)
    for one in head.reviews:
        review = one.predicate
        said = _said_by(one, keyring)
        yield ReviewRecord(
            said=said,
            base=review.base,
            scope=review.scope,
            outcome=review.outcome,
            did=list(review.did),
            did_not=list(review.did_not),
            evidence=list(review.evidence),
            relation=review.relation,
            independent=person_of(said.holder) not in tied and not _declares_a_tie(review),
            # A doubted word takes an acceptance back, and a demand for changes it does not.
            superseded=one.digest in (taken_back if _opposes(review) else gone),
        )


def _opposes(review: ReviewPredicate) -> bool:
    return review.outcome == "changes_requested"


def _tied_to(head: HeadState, keyring: Keyring) -> set[str]:
    """Return the holders who locked what the head is judged by, opened or ran it, or wrote it."""
    keys = {key for study in head.studies for key in study.predicate.runners}
    keys |= {study.lock.predicate.signer for study in head.studies}
    keys |= {study.predicate.signer for study in head.studies}
    holders = {keyring.grants[key].holder for key in keys if key in keyring.grants}
    owners = [study.predicate.owners for study in head.studies]
    holders |= {each.author for each in owners} | {each.runner for each in owners}
    return {person_of(each) for each in holders}


def _declares_a_tie(review: ReviewPredicate) -> bool:
    relation = review.relation
    return relation.author or relation.pushed or relation.locked or relation.ran


def _decisions(head: HeadState, keyring: Keyring) -> Iterator[DecisionRecord]:
    gone = {one.predicate.supersedes for one in head.decisions}
    for one in head.decisions:
        decision = one.predicate
        yield DecisionRecord(
            said=_said_by(one, keyring),
            decided=decision.decided,
            claim=decision.claim,
            scope=decision.scope,
            through=decision.through,
            reason=decision.reason,
            expires_at=decision.expires_at,
            links=list(decision.links),
            superseded=one.digest in gone,
        )
