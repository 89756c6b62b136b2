# SPDX-License-Identifier: Apache-2.0
"""What the three lines behind one head say so far: what a statement is admitted against."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from app.core.admission.people import HoldState, RefState, Stated
from app.core.keyring.keyring import Keyring
from app.core.statement.decision import DecisionPredicate
from app.core.statement.genesis import GenesisPredicate
from app.core.statement.header import LedgerRef
from app.core.statement.policy import PolicyPredicate
from app.core.statement.review import ReviewPredicate
from app.core.statement.verdict import VerdictDocument
from app.core.study.state import LockedProtocol, StudyState


class LineState(msgspec.Struct, frozen=True):
    """Where a line ends: what the next leaf's ``seq`` and ``prev`` follow from.

    Attributes:
        length: entries on the line.
        last_index: of its newest entry; None while it is empty.
        last_at_us: log time of its newest entry; 0 while it is empty.
        unknown: indices of entries this reader does not understand.
    """

    length: int = 0
    last_index: int | None = None
    last_at_us: int = 0
    unknown: tuple[int, ...] = ()


class LedgerState(LineState, frozen=True):
    """The line ``ledger``.

    Attributes:
        genesis: what the first leaf says; None before it.
        genesis_digest: its statement digest, every later statement's audience.
        keyring: the keys and grants so far.
    """

    genesis: GenesisPredicate | None = None
    genesis_digest: str | None = None
    keyring: Keyring = msgspec.field(default_factory=Keyring)

    @property
    def ref(self) -> LedgerRef | None:
        """The audience every statement of this ledger names; None before genesis."""
        if self.genesis is None:
            return None
        return LedgerRef(origin=self.genesis.ledger.origin, genesis=self.genesis_digest)


class PolicyInForce(msgspec.Struct, frozen=True):
    """A policy and since when it holds."""

    index: int
    at_us: int
    digest: str
    predicate: PolicyPredicate


class RepositoryState(LineState, frozen=True):
    """The line of one repository.

    Attributes:
        repository: its name.
        policies: every policy so far, the one in force last.
        protocols: locked protocols by document digest, in log order.
        holds: statements that place or clear what is wider than one head, in log order.
        refs: where branches and pull requests' heads were seen, in log order.
    """

    repository: str = ""
    policies: tuple[PolicyInForce, ...] = ()
    protocols: Mapping[str, LockedProtocol] = msgspec.field(default_factory=dict)
    holds: tuple[HoldState, ...] = ()
    refs: tuple[RefState, ...] = ()

    @property
    def policy(self) -> PolicyInForce | None:
        """The policy in force."""
        return self.policies[-1] if self.policies else None


class HeadState(LineState, frozen=True):
    """The line of one head.

    Attributes:
        repository: whose head.
        head: the full commit id.
        studies: by ordinal.
        words: the newest appended verdict per claim.
        holds: statements that place or clear holds on this head alone, in log order.
        reviews: in log order.
        decisions: in log order.
    """

    repository: str = ""
    head: str = ""
    studies: tuple[StudyState, ...] = ()
    words: Mapping[str | None, VerdictDocument] = msgspec.field(default_factory=dict)
    holds: tuple[HoldState, ...] = ()
    reviews: tuple[Stated[ReviewPredicate], ...] = ()
    decisions: tuple[Stated[DecisionPredicate], ...] = ()

    def study(self, digest: str) -> StudyState | None:
        """Return the study whose statement has ``digest``."""
        return next((study for study in self.studies if study.digest == digest), None)


class Standing(msgspec.Struct, frozen=True):
    """The three lines together; ``head`` is None where only the wider lines are concerned."""

    ledger: LedgerState
    repository: RepositoryState
    head: HeadState | None = None


def empty_standing(repository: str = "", head: str | None = None) -> Standing:
    """Return the standing before any entry."""
    return Standing(
        LedgerState(),
        RepositoryState(repository=repository),
        None if head is None else HeadState(repository=repository, head=head),
    )
