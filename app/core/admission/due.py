# SPDX-License-Identifier: Apache-2.0
"""What the ledger owes a head: the closures of studies that are closed and not yet said to be."""

from __future__ import annotations

from dataclasses import dataclass

from app.core.admission.state import HeadState
from app.core.statement.closure import ClosurePredicate, Flow
from app.core.statement.header import LedgerRef
from app.core.study import slots
from app.core.study.slots import ClosingReason, closing_reason, flow, slot_standings, study_phase
from app.core.study.state import StudyState


@dataclass(frozen=True, slots=True)
class DueClosure:
    """A closure as it follows from the entries: everything but its header."""

    study: str
    reason: ClosingReason
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
    return tuple(
        _closure_of(study, log_time_us)
        for study in head.studies
        if study.closure_index is None and study_phase(study, log_time_us) == "CLOSED"
    )


def next_deadline(head: HeadState) -> int | None:
    """Return the earliest instant after which time alone closes a study of this head."""
    instants = (slots.next_deadline(study) for study in head.studies)
    return min((at for at in instants if at is not None), default=None)


def _closure_of(study: StudyState, log_time_us: int) -> DueClosure:
    standings = slot_standings(study, log_time_us)
    return DueClosure(
        study=study.digest,
        reason=closing_reason(study),
        flow=flow(study, standings),
        missing=tuple(name for name, each in standings.items() if each.state == "MISSING"),
        abandoned=tuple(name for name, each in standings.items() if each.state == "ABANDONED"),
    )
