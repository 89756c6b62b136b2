# SPDX-License-Identifier: Apache-2.0
"""Assay sensitivity: a test that cannot see a known failure has not shown that there is none."""

from __future__ import annotations

from app.core.reason import Reason
from app.core.score.state import State


def with_assay(candidate: State, *, expected: State, shown: State) -> tuple[State, Reason | None]:
    """Return what is left of a candidate's state beside a control that was expected to show one.

    Only a PASS needs it: a FAIL is established by itself. None: the candidate's own reason.
    """
    if candidate is State.PASS and shown is not expected:
        return State.INCONCLUSIVE, Reason.NO_ASSAY_SENSITIVITY
    return candidate, None
