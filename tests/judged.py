# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a gate is any JSON
"""Six blocks in which the candidate is as fast as its controls, or is not, and what that says."""

from dataclasses import replace
from typing import Any

from app.core.protocol.plan import PlannedSlot, plan
from app.core.score.judge import ScoredSlot, StudyScore, judge_study
from app.core.statement.judgement import Inference
from app.core.statement.protocol_document import ProtocolDocument
from tests.claims import answered, times
from tests.scores import Filled, only, protocol

FAST = [8_000_000 + 10_000 * each for each in range(6)]
SAME = [8_005_000 + 10_000 * each for each in range(6)]
SLOW = [9_900_000 + 10_000 * each for each in range(6)]
ARMS = {"A": FAST, "B": SAME, "A2": FAST}


def judged(record: Any, arms: Any = None, *, name: str = "comparison-b", **more: Any) -> Any:
    score = times(protocol(record, repetitions=6), {**ARMS, **(arms or {})}, **more)
    return only(score, name)


def record_of(score: StudyScore, name: str) -> Inference:
    record = only(score, name).inference
    assert isinstance(record, Inference)
    return record


def filled_by(value: Any, slot: PlannedSlot) -> Filled:
    boot = f"{slot.arm}{slot.repetition}"
    return answered(value, boot) if isinstance(value, int) else value


def filled(of: ProtocolDocument, **changes: Any) -> StudyScore:
    """Judge a good study with the members of single slots changed, by arm and repetition."""
    slots = []
    for slot in plan(of):
        own = ScoredSlot(slot, *filled_by(ARMS[slot.arm][slot.repetition - 1], slot))
        slots.append(replace(own, **changes.get(f"{slot.arm}{slot.repetition}", {})))
    return judge_study(of, slots)
