# SPDX-License-Identifier: Apache-2.0
"""Kind ``verdict`` and the verdict document, which is what REST serves and ``score`` prints.

The document is a pure function of the three lines' entries below ``as_of``, the head and the
claim. It holds codes and numbers; the sentences a person reads are made from the codes elsewhere,
so that a better wording never changes a signed byte.
"""

from __future__ import annotations

from typing import Literal

from app.core.identity import (
    ArmId,
    CellId,
    ChangeNumber,
    Count,
    HeadSha,
    Instant,
    Person,
    Repository,
    Scope,
    Sha256Hex,
    SlotId,
    Slug,
    Text,
)
from app.core.statement.closure import Flow
from app.core.statement.header import Header, Shape
from app.core.statement.interval import Interval, Number
from app.core.statement.judgement import (
    Code,
    Judgement,
    Observation,
    ScopeState,
    SlotState,
    State,
    StateCount,
    UnitCount,
)
from app.core.statement.people_records import DecisionRecord, HoldRecord, ReviewRecord
from app.core.statement.policy import Branch
from app.core.statement.study import PinPath

__all__ = [
    "AsOf",
    "AttemptOf",
    "AttemptRecord",
    "Base",
    "CellFlow",
    "Code",
    "DecisionRecord",
    "HoldRecord",
    "Interval",
    "Judgement",
    "NextAction",
    "Number",
    "Observation",
    "ProtocolRef",
    "Reason",
    "RequiredState",
    "ReviewRecord",
    "ScopeState",
    "SlotRecord",
    "SlotState",
    "State",
    "StateCount",
    "StudyRecord",
    "UnitCount",
    "VerdictDocument",
    "VerdictPredicate",
    "Word",
]

Word = Literal["QUALIFIED", "NOT_QUALIFIED", "HOLD"]


class AsOf(Shape, frozen=True):
    """Where the document stands.

    Attributes:
        log_time: the earliest log time at which it reads as it does: the newest of the three lines'
            last instants and of the deadlines passed by then.
        ledger: entries of the ledger's line that were read.
        repository: entries of the repository's line.
        head: entries of the head's line.
    """

    log_time: Instant
    ledger: Count
    repository: Count
    head: Count


class AttemptRecord(Shape, frozen=True):
    """One attempt at a slot; all are shown, the first that started its measured phase is scored.

    Attributes:
        receipts: those that came in time.
        late: those that did not.
        tainted: those of either that were signed by a key under suspicion.
    """

    attempt: Count
    reservation: Sha256Hex
    receipts: list[Sha256Hex]
    late: list[Sha256Hex]
    tainted: list[Sha256Hex]
    state: SlotState
    fault: Literal["sut", "harness", "environment", "identity", "unknown"] | None
    reasons: list[Code]


class SlotRecord(Shape, frozen=True):
    """A planned slot and what became of it."""

    slot: SlotId
    state: SlotState
    fault: Literal["sut", "harness", "environment", "identity", "unknown"] | None
    reasons: list[Code]
    attempts: list[AttemptRecord]


class CellFlow(Shape, frozen=True):
    """The accounting identity of one arm in one cell."""

    arm: ArmId
    cell: CellId
    flow: Flow


class ProtocolRef(Shape, frozen=True):
    """A locked protocol."""

    digest: Sha256Hex
    name: Slug
    version: Count


class StudyRecord(Shape, frozen=True):
    """One study on this head.

    Attributes:
        attempt: its place among the studies on this head that reserved a candidate slot, by first
            candidate reservation; null: it reserved none and is no attempt.
        counting: whether it counts towards the word, and if not, why.
        tested: the candidate's commit; null when never published.
        tests_head: whether that is this head (never when null).
        sealed: not closed: of what is computed from its captures only slot states stand here.
        tainted: a statement it rests on was signed by a key under suspicion.
        flags: what a reader should know although it changes no state.
        measured: slots of which an attempt started its measured phase; null while sealed.
    """

    study: Sha256Hex
    ordinal: Count
    attempt: Count | None
    protocol: ProtocolRef
    counting: Literal["counts", "exploratory", "replay", "void"]
    tested: HeadSha | None
    tests_head: bool
    state: Literal["OPEN", "DRAINING", "CLOSED"]
    sealed: bool
    tainted: bool
    closes_at: Instant
    opened_at: Instant
    measured: Count | None
    flow: Flow
    flows: list[CellFlow]
    scopes: list[ScopeState]
    judgements: list[Judgement]
    flags: list[Code]
    slots: list[SlotRecord]
    not_claimed: list[Text]
    not_published: list[PinPath]


class Reason(Shape, frozen=True):
    """Why the word is what it is: a code, and what it is about, where it is about one thing.

    Attributes:
        entry: log index of the entry it rests on when that is no study: a hold, an unknown
            statement, a lock.
    """

    code: Code
    scope: Scope | None
    study: Sha256Hex | None
    entry: Count | None


class RequiredState(Shape, frozen=True):
    """A scope the claim requires, and its state on this head.

    Attributes:
        protocols: document digests of the protocols that may satisfy it.
        studies: the studies whose states were combined.
    """

    scope: Scope
    protocols: list[Sha256Hex]
    state: State
    reason: Code
    studies: list[Sha256Hex]


class NextAction(Shape, frozen=True):
    """Who acts next, in which role, and about which reason.

    Attributes:
        role: ``named``: whoever a hold names, whatever that person's role is.
        what: in the words of the hold that names the person; null: it follows from the reason.
    """

    person: Person | None
    role: Literal["maintainer", "author", "runner", "reviewer", "named", "nobody"]
    reason: Code
    what: Text | None


class AttemptOf(Shape, frozen=True):
    """This is attempt ``k`` of ``n`` on this head: the newest study's that is one; 0 of 0: none."""

    k: Count
    n: Count


class Base(Shape, frozen=True):
    """What the head stands on and whether that moved.

    Attributes:
        commit: the base the newest study names.
        tracked_branch: the branch that the policy in force names.
        tip: that branch's last known commit.
        state: ``UNKNOWN``: a branch is named and no tip of it, or no base, is known; ``STALE``: a
            study that is not exploratory names another base than the tip.
    """

    commit: HeadSha | None
    tracked_branch: Branch | None
    tip: HeadSha | None
    state: Literal["NOT_TRACKED", "CURRENT", "STALE", "UNKNOWN"]


class VerdictDocument(Shape, frozen=True):
    """What is established about one claim on one exact head.

    Attributes:
        claim: null when no policy names any.
        question: what the claim asks, as the newest policy that names it puts it.
        policy: statement digest of the policy in force; null: there is none.
        reasons: in the order of DESIGN.md 4; the first decides the owner.
        conflicting: a FAIL and a PASS stand beside each other.
        author_action_now: ``none`` unless a statement says otherwise.
        changes: every change that a study on this head or a ref names it with.
        holds: all that concern this head and claim, in log order, ended ones too.
        reviews: of this head, in log order.
        decisions: about this head and claim, in log order; none of them changes the word.
    """

    schema: Literal["urn:fairtrial:verdict-document:v1"]
    repository: Repository
    head: HeadSha
    claim: Slug | None
    question: Text | None
    policy: Sha256Hex | None
    word: Word
    conflicting: bool
    reasons: list[Reason]
    next_action: NextAction
    author_action_now: Text
    attempt: AttemptOf
    change: ChangeNumber | None
    changes: list[ChangeNumber]
    base: Base
    holds: list[HoldRecord]
    reviews: list[ReviewRecord]
    decisions: list[DecisionRecord]
    required: list[RequiredState]
    scopes: list[ScopeState]
    studies: list[StudyRecord]
    as_of: AsOf


class VerdictPredicate(Header, frozen=True):
    """The ledger's own record of a verdict; a mismatch with recomputation is damage."""

    document: VerdictDocument
