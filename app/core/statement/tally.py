# SPDX-License-Identifier: Apache-2.0
"""What was reported of one slot, as a judgement repeats it, so that it can be redone by hand."""

from __future__ import annotations

from app.core.identity import Count, Micros
from app.core.statement.header import Shape


class CheckTally(Shape, frozen=True):
    """How many checks of a slot passed, failed, and were not tested; null: nobody counted."""

    passed: Count | None
    failed: Count | None
    not_tested: Count | None


class LaneTally(Shape, frozen=True):
    """What one lane of long work came to; null: not known."""

    lane: Count
    duration_us: Micros | None
    validated: Count | None
    failed: Count | None
