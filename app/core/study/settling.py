# SPDX-License-Identifier: Apache-2.0
"""Keeps what a study's slots wait for in step with its slots.

``slot_state`` stays the one authority: a slot is asked at the study's opening, before any deadline,
so that what time changes is left to those who know a time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

from msgspec.structs import replace

from app.core.statement.judgement import SlotState
from app.core.study.slots import is_retryable, slot_state
from app.core.study.state import Settling, StudyState

_Wait = SlotState | Literal["RETRYABLE"]


def settled_anew(study: StudyState) -> StudyState:
    """Return the study with what all of its slots wait for."""
    return _moved(study, Settling(), {}, {name: _waits(study, name) for name in study.slots})


def resettled(before: StudyState, after: StudyState, changed: Iterable[str]) -> StudyState:
    """Return ``after`` with what its slots wait for, where only ``changed`` differ in themselves.

    An ended study makes every open slot missing, and the drivers of a control decide about its
    return: then all are asked again.
    """
    if (after.ended_at_us, after.drivers) != (before.ended_at_us, before.drivers):
        return settled_anew(after)
    names = tuple(changed)
    left = {name: _waits(before, name) for name in names}
    return _moved(after, before.settling, left, {name: _waits(after, name) for name in names})


def _moved(
    study: StudyState, settling: Settling, left: Mapping[str, _Wait], joined: Mapping[str, _Wait]
) -> StudyState:
    """Return the study with slots of ``settling`` gone as they were and come back as they are."""
    counts = dict(settling.counts)
    waiting = dict(settling.waiting)
    for name, wait in left.items():
        counts[wait] -= 1
        waiting.pop(name, None)
    for name, wait in joined.items():
        counts[wait] = counts.get(wait, 0) + 1
        if wait == "RESERVED":
            waiting[name] = study.slots[name].attempts[-1].deadline_us
    retryable = {name for name, wait in joined.items() if wait == "RETRYABLE"}
    still = (settling.retryable - left.keys()) | retryable
    some = {wait: count for wait, count in counts.items() if count}
    return replace(study, settling=Settling(some, waiting, still))


def _waits(study: StudyState, name: str) -> _Wait:
    slot = study.slots[name]
    if is_retryable(slot):
        return "RETRYABLE"
    return slot_state(study, slot, study.opened_at_us).state
