# SPDX-License-Identifier: Apache-2.0
"""What REST answers about the versions of a protocol and what was known when each was locked."""

from __future__ import annotations

from typing import Any, Literal

from app.core.identity import instant_of
from app.core.verdict.versions import ProtocolVersion
from app.web.answer import Answer


class JudgementCounts(Answer):
    """How many judgements there are of each state."""

    PASS: int
    FAIL: int
    INCONCLUSIVE: int
    INVALID: int
    NOT_RUN: int


class KnownBefore(Answer):
    """What the log held of all earlier versions, below the index of the lock.

    Attributes:
        attempts: reserved slots, each as often as it was reserved.
        receipts: late and second ones too.
        closed: how many of the studies were closed, so that everybody could read their judgements.
        judgements: of the closed studies' candidates; exploratory gates are left out.
    """

    studies: int
    attempts: int
    receipts: int
    closed: int
    judgements: JudgementCounts


class ChangeEntry(Answer):
    """One place that differs from the version before; null: nothing stands there."""

    pointer: str
    where: str
    before: Any
    after: Any
    direction: Literal["tightened", "loosened", "changed"]


class VersionEntry(Answer):
    """One version of a protocol; its document is at ``/v1/protocols/{digest}``.

    Attributes:
        why: in the words of whoever locked it; null for a first version.
        exploratory: evidence existed that it demands something else of: for that it never counts.
        reason: the code that says why, or why not.
        exploratory_gates: its gates that were added or changed since then.
        changes: since the version that it supersedes.
    """

    digest: str
    statement: str
    index: int
    at: str
    version: int
    supersedes: str | None
    why: str | None
    exploratory: bool
    reason: str
    exploratory_gates: list[str]
    known: KnownBefore
    changes: list[ChangeEntry]


class ProtocolVersions(Answer):
    """A chain of versions in the order they were locked; ``newest`` ends the whole chain."""

    repository: str
    newest: str
    versions: list[VersionEntry]


def version_entry(found: ProtocolVersion) -> VersionEntry:
    """Return a version as it stands in the list."""
    lock, known = found.lock, found.known
    counts = known.judgements
    return VersionEntry(
        digest=lock.digest,
        statement=lock.statement,
        index=lock.index,
        at=instant_of(lock.at_us),
        version=lock.document.version,
        supersedes=lock.predicate.supersedes,
        why=lock.predicate.reason,
        exploratory=found.is_exploratory,
        reason=found.reason,
        exploratory_gates=list(found.exploratory),
        known=KnownBefore(
            studies=known.studies,
            attempts=known.attempts,
            receipts=known.receipts,
            closed=known.closed,
            judgements=JudgementCounts(
                PASS=counts.PASS,
                FAIL=counts.FAIL,
                INCONCLUSIVE=counts.INCONCLUSIVE,
                INVALID=counts.INVALID,
                NOT_RUN=counts.NOT_RUN,
            ),
        ),
        changes=[
            ChangeEntry(
                pointer=one.pointer,
                where=one.where,
                before=one.before,
                after=one.after,
                direction=one.direction,
            )
            for one in found.changes
        ],
    )
