# SPDX-License-Identifier: Apache-2.0
"""A clock that stands still until the story moves it, so that days pass in a second."""

from __future__ import annotations

from typing import Final

SECOND: Final = 1_000_000
MINUTE: Final = 60 * SECOND
HOUR: Final = 60 * MINUTE
DAY: Final = 24 * HOUR


class ScriptedClock:
    """Log time as the story tells it."""

    def __init__(self, start_us: int) -> None:
        """Stand at ``start_us``."""
        self._now_us = start_us

    def now_us(self) -> int:
        """Return microseconds since 1970-01-01T00:00:00Z."""
        return self._now_us

    def advance(self, us: int) -> None:
        """Let ``us`` pass."""
        self._now_us += us

    def advance_to(self, us: int) -> None:
        """Stand at ``us``, or stay where that is over already."""
        self._now_us = max(self._now_us, us)
