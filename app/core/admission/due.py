# SPDX-License-Identifier: Apache-2.0
"""What the ledger owes a head at a log time: closures of studies that are closed and not yet said so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from app.core.admission.state import HeadState
from app.core.statement.closure import ClosurePredicate, Flow
from app.core.statement.header import LedgerRef


@dataclass(frozen=True, slots=True)
class DueClosure:
    """A closure as it follows from the entries: everything but its header."""

    study: str
    reason: Literal["terminal", "overdue", "ended"]
    flow: Flow
    missing: tuple[str, ...]
    abandoned: tuple[str, ...]

    def predicate(self, *, ledger: LedgerRef, signer: str) -> ClosurePredicate:
        """Return the predicate the ledger signs."""
        return ClosurePredicate(
            ledger=ledger,
            signer=signer,
            annotations={},
            study=self.study,
            reason=self.reason,
            flow=self.flow,
            missing=list(self.missing),
            abandoned=list(self.abandoned),
        )


def due_closures(head: HeadState, log_time_us: int) -> tuple[DueClosure, ...]:
    """Return the closures to append, by ordinal."""
    raise NotImplementedError


def next_deadline(head: HeadState) -> int | None:
    """Return the earliest instant after which time alone closes a study of this head."""
    raise NotImplementedError
