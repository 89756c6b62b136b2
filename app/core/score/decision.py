# SPDX-License-Identifier: Apache-2.0
"""What another tool's decision says: only a result that it states itself (threat L22).

A label such as DESCRIPTIVE, an exit status of 0 or a word that nobody knows is no result: no gate
was evaluated. That the tool could not decide is an answer of its own.
"""

from __future__ import annotations

from typing import Final

from app.core.protocol.gate_results import DecisionGate
from app.core.reason import Reason
from app.core.score.observed import Absence, Observed, absent, unknown, zero_or_one
from app.core.statement.capture import ClaimCapture

_PASSED: Final = frozenset(("PASS",))
_FAILED: Final = frozenset(("FAIL", "REGRESSION"))
_UNDECIDED: Final = frozenset(("INCONCLUSIVE", "ERROR"))


def observe_decision(gate: DecisionGate, capture: ClaimCapture) -> Observed:
    """Return whether the tool decided PASS on what the lock names."""
    locked = (gate.policy_sha256, gate.collector_sha256, gate.workload_sha256)
    said = (capture.policy_sha256, capture.collector_sha256, capture.workload_sha256)
    if said != locked:
        return absent(Absence.UNSCORABLE, Reason.DECISION_NOT_BOUND)
    if capture.decision in _PASSED | _FAILED:
        return zero_or_one(value=capture.decision in _PASSED)
    if capture.decision in _UNDECIDED:
        return unknown(Reason.TOOL_UNDECIDED)
    return absent(Absence.NO_GATE, Reason.NO_GATE_EVALUATED)
