# SPDX-License-Identifier: Apache-2.0
"""In which order the slots of a study are taken, where its protocol runs in blocks.

A block's slots run back to back and alternate which arm comes first, or the comparison judges the
clock. So such a study's slots are taken in running order, none left out, and a slot may be tried
again only while it is the last one taken: a retry behind the other half of its block would turn AB
into BA.
"""

from __future__ import annotations

from app.core.protocol.blocks import runs_in_blocks
from app.core.study.state import Slot, StudyState


def next_slots(study: StudyState) -> tuple[str, ...]:
    """Return the slots that were never taken, in running order."""
    return tuple(name for name, slot in study.slots.items() if not slot.attempts)


def is_next(study: StudyState, slots: tuple[str, ...]) -> bool:
    """Tell whether ``slots``, all free, may be taken now: in blocks only what comes next."""
    return not runs_in_blocks(study.document) or next_slots(study)[: len(slots)] == slots


def is_left_behind(study: StudyState, slot: Slot) -> bool:
    """Tell whether a slot that was taken in blocks has had a later one taken since."""
    taken = [one.planned.id for one in study.slots.values() if one.attempts]
    return runs_in_blocks(study.document) and taken[-1] != slot.planned.id
