# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a gate or a capture is any JSON
"""What one gate on reported results says of slots in a given state."""

from typing import Any

from app.core.protocol.plan import plan
from app.core.reason import Reason
from app.core.score.judge import ScoredSlot, StudyScore, judge_study
from app.core.statement.capture import Capture
from app.core.statement.protocol_document import ProtocolDocument
from tests.results import (
    CPU,
    DECIDED,
    LONG,
    with_cells,
)
from tests.scores import said

Said = tuple[str, str]
State = tuple[Any, Any, tuple[Reason, ...]]
COMPLETE: State = ("COMPLETE", None, (Reason.ALL_CHECKS_REPORTED,))
FAILED: State = ("FAILED", "sut", (Reason.SERVER_FAULT,))
NOTHING: State = ("MISSING", None, (Reason.MISSING,))
HELD = ("PASS", "CHECKS_PASSED")
BROKEN = ("FAIL", "CHECK_FAILED")


def judged(of: ProtocolDocument, captures: dict[str, Any], state: State = COMPLETE) -> StudyScore:
    """Judge a study whose slots hold ``captures`` by arm, each one or several."""
    slots = []
    for planned in plan(of):
        found = captures.get(planned.arm)
        held = found if isinstance(found, tuple) else () if found is None else (found,)
        slots.append(ScoredSlot(planned, *(state if held else NOTHING), held))
    return judge_study(of, slots)


def says(rule: Any, capture: Capture | tuple[Capture, ...], state: State = COMPLETE) -> Said:
    """Return what one gate says of a candidate's one slot."""
    (cell,) = [each for each in (CPU, LONG, DECIDED) if each["id"] == rule["population"]["cell"]]
    score = judged(with_cells(rule, cells=[cell]), {"B": capture, "A": capture}, state)
    return said(score.judgements[0])
