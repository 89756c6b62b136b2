# SPDX-License-Identifier: Apache-2.0
"""What the statements of people must be in themselves, beyond what their JSON Schema can say."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import UNSET

from app.core.errors import Finding
from app.core.identity import HeadSha, Repository
from app.core.statement.decision import DecisionPredicate
from app.core.statement.header import CommitDigest, HeadSubject, PlainDigest, ThingSubject
from app.core.statement.hold import HoldPredicate
from app.core.statement.place import Link, PlaceDigest, PlaceSubject
from app.core.statement.ref import RefPredicate
from app.core.statement.remarks import (
    distinct,
    finding,
    instant,
    is_head,
    is_thing,
    repository_subject,
)
from app.core.statement.review import ReviewPredicate

_ONLY_PLACING = ("until", "next_action", "author_action_now")


def place_subject(repository: Repository, head: HeadSha | None) -> PlaceSubject:
    """Return the subject of something about one head, or about the whole repository."""
    if head is not None:
        return PlaceSubject(name=f"git+https://{repository}", digest=PlaceDigest(gitCommit=head))
    name, digest = repository_subject(repository)
    return PlaceSubject(name=name, digest=PlaceDigest(sha256=digest))


def hold_findings(subject: PlaceSubject, hold: HoldPredicate) -> Iterator[Finding]:
    """Find what is wrong with a hold."""
    yield from _is_place(subject, hold.repository, hold.applies_to.head)
    yield from distinct("applies_to/changes", hold.applies_to.changes)
    if hold.applies_to.head is not None and hold.applies_to.changes:
        yield finding("applies_to/changes", "applies-to", "none beside one exact head")
    yield from _links(hold.links)
    placing = hold.action == "place"
    for member in _ONLY_PLACING:
        if (getattr(hold, member) is not None) is not placing:
            yield finding(member, "action", "something when placing, null when clearing")
    if (hold.clears is None) is not placing:
        yield finding("clears", "action", "the hold it ends when clearing, null when placing")
    if hold.supersedes is not None and not placing:
        yield finding("supersedes", "action", "null when clearing")


def review_findings(review: ReviewPredicate) -> Iterator[Finding]:
    """Find what is wrong with a review."""
    yield from distinct("evidence", [one.sha256 for one in review.evidence])


def decision_findings(decision: DecisionPredicate) -> Iterator[Finding]:
    """Find what is wrong with a decision."""
    yield from _links(decision.links)
    if (decision.through is not None) is not (decision.decided == "landed_through"):
        yield finding("through", "decided", "where it landed, for landed_through and only there")
    elif decision.through is not None and not (decision.through.change or decision.through.head):
        yield finding("through", "through", "a change or a head")
    if (decision.scope is not None) is not (decision.decided == "waived"):
        yield finding("scope", "decided", "the scope that is waived, for waived and only there")
    if decision.expires_at is not None:
        if decision.decided != "waived":
            yield finding("expires_at", "decided", "null unless something is waived")
        yield from instant("expires_at", decision.expires_at)


def ref_findings(subject: ThingSubject, ref: RefPredicate) -> Iterator[Finding]:
    """Find what is wrong with a ref."""
    yield from is_thing(subject, repository_subject(ref.repository))


def _links(links: list[Link]) -> Iterator[Finding]:
    for i, link in enumerate(links):
        named = (link.change, link.head, link.statement)
        if sum(one is not None for one in named) != 1:
            yield finding(f"links/{i}", "link", "exactly one of change, head and statement")


def _is_place(
    subject: PlaceSubject, repository: Repository, head: HeadSha | None
) -> Iterator[Finding]:
    digest = subject.digest
    if head is not None and digest.sha256 is UNSET and digest.gitCommit is not UNSET:
        commit = CommitDigest(gitCommit=digest.gitCommit)
        yield from is_head(HeadSubject(name=subject.name, digest=commit), repository, head)
    elif head is None and digest.gitCommit is UNSET and digest.sha256 is not UNSET:
        plain = PlainDigest(sha256=digest.sha256)
        thing = ThingSubject(name=subject.name, digest=plain)
        yield from is_thing(thing, repository_subject(repository))
    else:
        expected = "gitCommit alone where one head is held, sha256 alone otherwise"
        yield finding("/subject/0/digest", "subject", expected)
