# SPDX-License-Identifier: Apache-2.0
"""What a gate about drift says: of the environment, and so never a FAIL of any server."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from app.core.protocol.margin import Margin
from app.core.reason import Reason
from app.core.score.decide import nothing_measured
from app.core.score.drift import Drift, DriftState, drift_of
from app.core.score.sample import Sample
from app.core.score.state import State

_SAID: Final = {
    DriftState.STABLE: (State.PASS, Reason.CONTROLS_STABLE),
    DriftState.DRIFTED: (State.INCONCLUSIVE, Reason.CONTROL_DRIFT),
    DriftState.POSSIBLY_DRIFTED: (State.INCONCLUSIVE, Reason.CONTROL_DRIFT_POSSIBLE),
    DriftState.UNRESOLVED: (State.INCONCLUSIVE, Reason.BASELINE_SPREAD),
}


def judge_drift(
    first: Sample, back: Sample, *, margin: Margin, alpha: Fraction
) -> tuple[State, Reason, Drift]:
    """Return whether the control and its return are the same within the margin."""
    drift = drift_of(first.cautious, back.cautious, margin=margin, alpha=alpha)
    if not first.is_measured and not back.is_measured:
        return (*nothing_measured((*first.units, *back.units)), drift)
    if not first.is_measured:
        return State.INCONCLUSIVE, Reason.CONTROL_MISSING, drift
    if not back.is_measured:
        return State.INCONCLUSIVE, Reason.RETURN_CONTROL_MISSING, drift
    return (*_SAID[drift.state], drift)
