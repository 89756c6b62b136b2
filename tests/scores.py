# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a gate is any JSON
"""Studies filled slot by slot, and their scores."""

from collections.abc import Mapping
from typing import Any

from app.core.protocol.plan import plan
from app.core.reason import Reason
from app.core.score.judge import ScoredSlot, StudyScore, judge_study
from app.core.statement.judgement import Judgement, ScopeState
from app.core.statement.protocol_document import ProtocolDocument
from tests import facts
from tests.documents import CELL, document

GOOD, STARVED = facts.capture(), facts.starved()
Filled = tuple[Any, ...]
COMPLETE: Filled = ("COMPLETE", None, (Reason.ALL_STREAMS_COMPLETE,), (GOOD,))
FAILED: Filled = ("FAILED", "sut", (Reason.SERVER_FAULT,), (STARVED,))
MISSING: Filled = ("MISSING", None, (Reason.MISSING,), ())
ABANDONED: Filled = ("ABANDONED", None, (Reason.ABANDONED,), ())
NOT_WARM: Filled = (
    "WARMUP_FAILED",
    "harness",
    (Reason.WARMUP_NOT_COMPLETED, Reason.HARNESS_FAULT),
    (),
)
OTHER_IMAGE: Filled = ("INVALID", "identity", (Reason.IMAGE_MISMATCH,), (GOOD,))


def protocol(*gates: Any, repetitions: int = 1, **changes: Any) -> ProtocolDocument:
    if not gates:
        return document(repetitions=repetitions, **changes)
    return document(repetitions=repetitions, gates=list(gates), **changes)


def study(
    of: ProtocolDocument, filled: Mapping[str, Filled], *, rest: Filled = COMPLETE
) -> StudyScore:
    """Judge a study whose slots are ``filled`` by number or arm; all others are as ``rest``."""
    slots = [
        ScoredSlot(slot, *filled.get(slot.id.replace(f"/{CELL}/", ""), filled.get(slot.arm, rest)))
        for slot in plan(of)
    ]
    return judge_study(of, slots)


def only(score: StudyScore, name: str) -> Judgement:
    return next(each for each in score.judgements if each.gate == name)


def scope(score: StudyScore) -> ScopeState:
    (state,) = score.scopes
    return state


def said(of: Judgement | ScopeState) -> tuple[str, str]:
    return (of.state, of.reason)
