# SPDX-License-Identifier: Apache-2.0
"""What people have said on a line, in log order, and which of their holds stand.

A hold ends by a statement that clears it or by one that restates it. An end that was signed by a
key under suspicion ends nothing: doubt only ever holds more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeAlias, TypeVar

import msgspec

from app.core.identity import KeyId, Sha256Hex
from app.core.statement.header import Header
from app.core.statement.hold import HoldPredicate
from app.core.statement.ref import RefPredicate

PredicateT = TypeVar("PredicateT", bound=Header)

IsSuspect: TypeAlias = Callable[[KeyId, int], bool]
"""Whether what a key signed at an index is doubted."""


class Stated(msgspec.Struct, Generic[PredicateT], frozen=True):
    """A statement of a person, where it stands.

    Attributes:
        digest: of the statement.
        index: of its entry.
        at_us: its log time.
        predicate: what it says.
    """

    digest: Sha256Hex
    index: int
    at_us: int
    predicate: PredicateT


HoldState: TypeAlias = Stated[HoldPredicate]
RefState: TypeAlias = Stated[RefPredicate]


class HoldStanding(msgspec.Struct, frozen=True):
    """A hold that was placed, and how it ended.

    Attributes:
        placed: the statement that placed it.
        cleared: the statement that cleared it; None: none did.
        restated: the later hold that took its place; None: none did.
    """

    placed: HoldState
    cleared: HoldState | None
    restated: HoldState | None

    @property
    def in_force(self) -> bool:
        """Whether it holds."""
        return self.cleared is None and self.restated is None


def hold_standings(
    statements: Sequence[HoldState], is_suspect: IsSuspect
) -> tuple[HoldStanding, ...]:
    """Return every hold that was placed on a line, in log order, as it stands."""
    cleared: dict[Sha256Hex, HoldState] = {}
    restated: dict[Sha256Hex, HoldState] = {}
    for one in statements:
        if is_suspect(one.predicate.signer, one.index):
            continue
        if one.predicate.clears is not None:
            cleared.setdefault(one.predicate.clears, one)
        elif one.predicate.supersedes is not None:
            restated.setdefault(one.predicate.supersedes, one)
    return tuple(
        HoldStanding(one, cleared.get(one.digest), restated.get(one.digest))
        for one in statements
        if one.predicate.action == "place"
    )


def newest_ref(refs: Sequence[RefState], branch: str, change: str | None = None) -> RefState | None:
    """Return the newest observation of a branch, or of a pull request's head; None: none."""
    named = (branch, change)
    found = [one for one in refs if (one.predicate.branch, one.predicate.change) == named]
    return found[-1] if found else None


def newest(statements: Sequence[Stated[PredicateT]]) -> Sha256Hex | None:
    """Return the digest of the newest of these statements; None: there is none."""
    return statements[-1].digest if statements else None
