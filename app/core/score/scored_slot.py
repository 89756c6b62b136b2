# SPDX-License-Identifier: Apache-2.0
"""A planned slot as scoring sees it: its computed state and the captures of its scored attempt."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

from app.core.protocol.plan import PlannedSlot
from app.core.reason import Reason
from app.core.receipt.faults import Fault
from app.core.score.observed import Absence
from app.core.statement.capture import Capture, ClaimCapture
from app.core.statement.judgement import SlotState

_NOT_STARTED: Final = frozenset(("OPEN", "RESERVED", "MISSING"))
_BLAMED: Final = (Reason.HARNESS_FAULT, Reason.ENVIRONMENT_FAULT)
_INVALID: Final = frozenset(("INVALID", "WARMUP_FAILED"))


@dataclass(frozen=True)
class ScoredSlot:
    """One slot of the denominator.

    Attributes:
        reasons: the deciding one first.
        captures: of the scored attempt: none, one, or several that contradict one another.
        timeouts_us: for each capture how long its client waited for an answer, as far as known.
        retried: a second attempt was made.
        doubted: a capture was signed for by a key under suspicion.
        deviated: a deviation from the protocol touches it.
    """

    planned: PlannedSlot
    state: SlotState
    fault: Fault | None
    reasons: tuple[Reason, ...]
    captures: tuple[Capture, ...]
    retried: bool = False
    doubted: bool = False
    deviated: bool = False
    timeouts_us: tuple[int | None, ...] = ()

    @cached_property
    def absence(self) -> Absence | None:
        """Return why nothing of the slot is measured; None: it is, by exactly one capture."""
        if self.state in _NOT_STARTED:
            return Absence.NOT_STARTED
        if self.state == "ABANDONED":
            return Absence.ABANDONED
        if self.state in _INVALID:
            # One capture is left where the second receipt came too late to be scored beside it.
            contradicted = Reason.CONFLICTING_RECEIPTS in self.reasons and self.captures
            return Absence.CONFLICT if contradicted else Absence.UNSCORABLE
        if self.doubted and self.captures:
            return Absence.DOUBTED
        # A warm-up that the server failed is the server's failure, although nothing was measured.
        if self.captures or self.state == "FAILED":
            return None
        return Absence.CAPTURE_MISSING

    @property
    def why(self) -> Reason | None:
        """Return why the slot is what it is; of a failed warm-up whose fault it was, if decided."""
        blamed = [reason for reason in self.reasons if reason in _BLAMED]
        if self.state == "WARMUP_FAILED" and blamed:
            return blamed[0]
        return self.reasons[0] if self.reasons else None

    @property
    def boot(self) -> str | None:
        """Return the server boot the slot ran in, where it was measured and says so."""
        if self.absence is not None or not self.captures:
            return None
        capture = self.captures[0]
        return None if isinstance(capture, ClaimCapture) else capture.boot_id
