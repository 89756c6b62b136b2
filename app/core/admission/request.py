# SPDX-License-Identifier: Apache-2.0
"""What every rule is asked about: one statement, who signed it, and the state it would join."""

from __future__ import annotations

from collections.abc import Callable, Collection
from enum import StrEnum
from typing import TypeAlias

import msgspec

from app.core.admission.state import HeadState, Standing
from app.core.errors import Finding, NotAuthenticated, UnknownThing, Unprocessable, WrongAudience
from app.core.identity import Role
from app.core.keyring.keyring import Grant
from app.core.statement.capture import Capture
from app.core.statement.parse import Parsed
from app.core.study.state import StudyState

RootAt: TypeAlias = Callable[[int], str | None]
"""Root in hex of the tree of a size; None where this process cannot say."""


class Effect(StrEnum):
    """What becomes of an admitted statement."""

    ACCEPTED = "accepted"
    SCORED = "scored"
    NOT_MEASURED = "not_measured"
    LATE = "late"
    CONFLICTING = "conflicting"


class Request(msgspec.Struct, frozen=True, gc=False):
    """A statement that asks to enter.

    Attributes:
        parsed: the statement.
        signers: key ids of its verified signatures.
        standing: the three lines, every entry below ``index`` applied.
        index: where it would stand.
        at_us: the log time it would get.
        capture: of a receipt.
        root_at: roots of older trees.
        stood: it stands in a log already and is only lived through again.
    """

    parsed: Parsed
    signers: frozenset[str]
    standing: Standing
    index: int
    at_us: int
    capture: Capture | None = None
    root_at: RootAt | None = None
    stood: bool = False

    @property
    def head(self) -> HeadState:
        """The head's line; empty where nothing stands on it yet."""
        return self.standing.head or HeadState()

    def require_header(self) -> None:
        """Demand the signer's signature and this ledger as audience.

        Raises:
            NotAuthenticated: ``unsigned``.
            WrongAudience: another ledger.
        """
        if self.parsed.signer not in self.signers:
            message = "The key the statement names as signer did not sign this envelope."
            raise NotAuthenticated(message, code="unsigned")
        if self.parsed.audience != self.standing.ledger.ref:
            raise wrong_audience("ledger", "Expected this ledger's origin and genesis.")

    def require_role(self, roles: Role | Collection[Role], repository: str | None) -> Grant:
        """Return the signer's grant at this index, or refuse with NotAllowed."""
        keyring = self.standing.ledger.keyring
        signer = self.parsed.signer
        return keyring.require(signer, roles, repository=repository, index=self.index)

    def require_study(self, digest: str) -> StudyState:
        """Return a study of this head.

        Raises:
            UnknownThing: ``unknown-study``.
        """
        study = self.head.study(digest)
        if study is None:
            message = "No study with this digest stands on this head."
            raise UnknownThing(message, code="unknown-study")
        return study


def wrong_audience(member: str, expected: str) -> WrongAudience:
    """Return the refusal of a statement made for another place, naming the member."""
    finding = Finding(f"/predicate/{member}", member.rpartition("/")[2], expected)
    return WrongAudience(f"Made for another {finding.rule}. {expected}", findings=(finding,))


def refuse(code: str, pointer: str, detail: str, *, rule: str | None = None) -> Unprocessable:
    """Return the refusal of a statement that could not be meant, naming the place and the rule."""
    finding = Finding(f"/predicate{pointer}", rule or code, detail)
    return Unprocessable(detail, code=code, findings=(finding,))
