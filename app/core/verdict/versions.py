# SPDX-License-Identifier: Apache-2.0
"""The versions of a protocol, and what the log held of the earlier ones when each was locked.

A version scores only attempts reserved after its own lock; the gates it moves are EXPLORATORY for
what existed before (SCORING.md B10). What could be known then is counted from the log, below the
index of the lock: an entry stands there or it does not, and no clock is asked. Judgements are read
from the verdicts that the ledger appended, which anybody can compute again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from app.core.identity import Sha256Hex, Slug
from app.core.protocol.amend import Amended, amended, moved_gates
from app.core.reason import Reason
from app.core.statement.judgement import StateCount
from app.core.statement.protocol_document import ProtocolDocument
from app.core.statement.verdict import VerdictDocument
from app.core.study.attempts import candidates
from app.core.study.state import LockedProtocol, StudyState

_NONE = StateCount(PASS=0, FAIL=0, INCONCLUSIVE=0, INVALID=0, NOT_RUN=0)


@dataclass(frozen=True, slots=True)
class KnownAtLock:
    """What the log held, under the versions before, below the index of a lock.

    Attributes:
        studies: that were opened, exploratory ones and replays too.
        attempts: slots that were reserved, each as often as it was.
        receipts: of those attempts, late and second ones too.
        closed: of those studies, the ones whose closure stood there.
        judgements: of those, what gates of candidates that are not exploratory said.
    """

    studies: int = 0
    attempts: int = 0
    receipts: int = 0
    closed: int = 0
    judgements: StateCount = _NONE

    def __add__(self, other: KnownAtLock) -> KnownAtLock:
        """Return what both are together."""
        one, two = self.judgements, other.judgements
        return KnownAtLock(
            self.studies + other.studies,
            self.attempts + other.attempts,
            self.receipts + other.receipts,
            self.closed + other.closed,
            StateCount(
                PASS=one.PASS + two.PASS,
                FAIL=one.FAIL + two.FAIL,
                INCONCLUSIVE=one.INCONCLUSIVE + two.INCONCLUSIVE,
                INVALID=one.INVALID + two.INVALID,
                NOT_RUN=one.NOT_RUN + two.NOT_RUN,
            ),
        )


@dataclass(frozen=True, slots=True)
class ProtocolVersion:
    """One version of a protocol, beside those that it goes back to.

    Attributes:
        changes: every place that differs from the version that it supersedes.
        known: of all versions before, together.
        exploratory: its gates that say something else of what was reserved before its lock, in the
            document's order: of that evidence they are shown and never counted.
        reason: why there is such evidence, or none.
    """

    lock: LockedProtocol
    changes: tuple[Amended, ...]
    known: KnownAtLock
    exploratory: tuple[Slug, ...]
    reason: Reason

    @property
    def is_exploratory(self) -> bool:
        """Whether it demands something else of what was reserved before, if only by less gates."""
        return self.reason in _WORST_FIRST


_WORST_FIRST: Final = (
    Reason.LOCKED_AFTER_FAIL,
    Reason.LOCKED_AFTER_JUDGEMENT,
    Reason.LOCKED_AFTER_RECEIPT,
    Reason.LOCKED_AFTER_RESERVATION,
)


def chain_of(
    protocols: Mapping[Sha256Hex, LockedProtocol], digest: Sha256Hex
) -> tuple[LockedProtocol, ...]:
    """Return every version that a chain of ``supersedes`` joins to ``digest``, in log order."""
    known = {digest}
    ordered = sorted(protocols.values(), key=lambda one: one.index)
    for lock in (*reversed(ordered), *ordered):  # back to the first one, then on to the last
        joined = {lock.digest, lock.predicate.supersedes}
        if not known.isdisjoint(joined):
            known.update(each for each in joined if each is not None)
    return tuple(lock for lock in ordered if lock.digest in known)


def before(chain: Iterable[LockedProtocol], lock: LockedProtocol) -> tuple[LockedProtocol, ...]:
    """Return the versions that ``lock`` goes back to, the one it supersedes first."""
    by_digest = {each.digest: each for each in chain}
    found: list[LockedProtocol] = []
    at = by_digest.get(lock.predicate.supersedes or "")
    while at is not None and at.index < lock.index:
        found.append(at)
        lock, at = at, by_digest.get(at.predicate.supersedes or "")
    return tuple(found)


def known_on(
    studies: Iterable[StudyState], *, below: int, said: VerdictDocument | None
) -> dict[Sha256Hex, KnownAtLock]:
    """Return what the log held of one head's studies, by the protocol they were opened under.

    Args:
        studies: of the head.
        below: index of a lock: what stands at it or above was not known.
        said: the newest verdict on the head's line below that index; None: none stood there.
    """
    known: dict[Sha256Hex, KnownAtLock] = {}
    for study in studies:
        if study.index < below:
            protocol = study.lock.digest
            known[protocol] = known.get(protocol, KnownAtLock()) + _known_of(study, below, said)
    return known


def version_of(
    lock: LockedProtocol,
    earlier: Sequence[LockedProtocol],
    known: Mapping[Sha256Hex, KnownAtLock],
) -> ProtocolVersion:
    """Return a version with its mark.

    Each version before is asked by itself: who has moved a gate once is not cleared of it by
    locking the same again.

    Args:
        lock: the version.
        earlier: those before, as ``before`` has them.
        known: of each of those, by digest; one that is not there has no study.
    """
    of_each = [(each, known.get(each.digest, KnownAtLock())) for each in earlier]
    moved = [
        (moved_gates(each.document, lock.document), held)
        for each, held in of_each
        if held.attempts and _demands_else(each.document, lock.document)
    ]
    explored = frozenset[Slug]().union(*(gates for gates, _ in moved))
    total = sum((held for _, held in of_each), start=KnownAtLock())
    if moved:
        reason = min((_reason(held) for _, held in moved), key=_WORST_FIRST.index)
    elif not earlier:
        reason = Reason.FIRST_VERSION
    else:
        reason = Reason.GATES_NOT_MOVED if total.attempts else Reason.LOCKED_BEFORE_ATTEMPTS
    return ProtocolVersion(
        lock,
        amended(earlier[0].document, lock.document) if earlier else (),
        total,
        tuple(gate.id for gate in lock.document.gates if gate.id in explored),
        reason,
    )


def _demands_else(old: ProtocolDocument, new: ProtocolDocument) -> bool:
    """Tell whether a later version moves a gate, or has one less."""
    return bool(moved_gates(old, new)) or len(new.gates) < len(old.gates)


def _reason(known: KnownAtLock) -> Reason:
    """Return the worst that could be known of a version under which slots were reserved."""
    if known.judgements.FAIL:
        return Reason.LOCKED_AFTER_FAIL
    if known.closed:
        return Reason.LOCKED_AFTER_JUDGEMENT
    return Reason.LOCKED_AFTER_RECEIPT if known.receipts else Reason.LOCKED_AFTER_RESERVATION


def _known_of(study: StudyState, below: int, said: VerdictDocument | None) -> KnownAtLock:
    attempts = [
        attempt
        for slot in study.slots.values()
        for attempt in slot.attempts
        if attempt.reservation_index < below
    ]
    receipts = [one for attempt in attempts for one in attempt.receipts if one.index < below]
    closed = study.closure_index is not None and study.closure_index < below
    judgements = _judgements(study, said) if closed and said is not None else _NONE
    return KnownAtLock(1, len(attempts), len(receipts), int(closed), judgements)


def _judgements(study: StudyState, said: VerdictDocument) -> StateCount:
    asked = candidates(study)
    counts = Counter(
        judgement.state
        for record in said.studies
        if record.study == study.digest
        for judgement in record.judgements
        if judgement.arm in asked and judgement.role != "exploratory"
    )
    return StateCount(
        PASS=counts["PASS"],
        FAIL=counts["FAIL"],
        INCONCLUSIVE=counts["INCONCLUSIVE"],
        INVALID=counts["INVALID"],
        NOT_RUN=counts["NOT_RUN"],
    )
