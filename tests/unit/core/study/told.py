# SPDX-License-Identifier: Apache-2.0
"""A story with reserved slots, and where they stand."""

from app.core.reason import Reason
from app.core.study.slots import slot_state
from tests.factories import Story, opened

A, B, A2 = "A/C2-canary/1", "B/C2-canary/1", "A2/C2-canary/1"


def state(story: Story, slot: str, at_us: int | None = None) -> tuple[str, tuple[Reason, ...]]:
    """Return where a slot stands now, or at another log time."""
    study = story.study()
    found = slot_state(study, study.slots[slot], story.now_us if at_us is None else at_us)
    return found.state, found.reasons


def reserved(*slots: str) -> Story:
    """Return a story whose one study has these slots reserved, by default all."""
    story = opened()
    story.reserve(*(slots or (A, B, A2)))
    return story
