# SPDX-License-Identifier: Apache-2.0
"""The accounting identity of a study: planned slots are the sum of their states."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from app.core.protocol.plan import PlannedSlot
from app.core.reason import Reason
from app.core.score.scored_slot import ScoredSlot
from app.core.score.state import State


@dataclass(frozen=True, slots=True)
class Accounts:
    """How many slots there are, at every place where they divide.

    Attributes:
        planned: all of them: the denominator of every gate.
        not_started: open, reserved, missing or abandoned.
        started: the rest.
        warmup_failed: started and never measured.
        measured: started and measured, whatever came of it.
    """

    planned: int
    not_started: int
    started: int
    warmup_failed: int
    measured: int
    complete: int
    partial: int
    failed: int
    invalid: int

    @property
    def balanced(self) -> bool:
        """Whether every sum closes."""
        ended = self.complete + self.partial + self.failed + self.invalid
        return (
            self.planned == self.not_started + self.started
            and self.started == self.warmup_failed + self.measured
            and self.measured == ended
        )

    @property
    def denominator(self) -> int:
        """The planned slots; nothing is ever removed."""
        return self.planned

    @property
    def fully_observed(self) -> int:
        """Slots of which every stream is complete."""
        return self.complete

    @property
    def bounded_or_unknown(self) -> int:
        """Slots that enter gates as bounds or as unknown."""
        return self.planned - self.complete

    @property
    def broken(self) -> tuple[State, Reason] | None:
        """What every gate says when the sums do not close; None: they do."""
        return None if self.balanced else (State.INVALID, Reason.LEDGER_UNBALANCED)


def accounts_of(planned: Sequence[PlannedSlot], slots: Sequence[ScoredSlot]) -> Accounts:
    """Return the accounts of ``slots`` against the plan; another slot than planned is not one."""
    expected = {slot.id for slot in planned}
    counted = {slot.planned.id: slot.state for slot in slots if slot.planned.id in expected}
    states = Counter(counted.values())
    idle = sum(states[state] for state in ("OPEN", "RESERVED", "MISSING", "ABANDONED"))
    return Accounts(
        planned=len(planned),
        not_started=idle,
        started=len(slots) - idle,
        warmup_failed=states["WARMUP_FAILED"],
        measured=len(slots) - idle - states["WARMUP_FAILED"],
        complete=states["COMPLETE"],
        partial=states["PARTIAL"],
        failed=states["FAILED"],
        invalid=states["INVALID"],
    )
