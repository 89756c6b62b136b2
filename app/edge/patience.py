# SPDX-License-Identifier: Apache-2.0
"""How long a silence may last, counted in looks and not by the clock alone.

When a machine stands still, timers that ran out meanwhile are served before sockets are read: by
the clock, whoever had sent everything long ago was silent for too long. Here time is cut into
looks, and between two of them everything that has come is read: a standstill of any length costs
one.
"""

from __future__ import annotations

import asyncio
import math
from asyncio import TimerHandle
from collections.abc import Callable
from typing import Final

LOOKS: Final = 10
"""Looks in one silence."""


class Patience:
    """One limit for whoever is waited for; it can be started again after it was stopped."""

    __slots__ = ("_all", "_each_s", "_end", "_left", "_silent", "_timer")

    def __init__(
        self, seconds: float, end: Callable[[], None], *, at_most_s: float = math.inf
    ) -> None:
        """Hold the longest silence, the longest wait in all, and what is done at the end of either.

        Args:
            seconds: longest silence, in seconds that somebody looked.
            end: called once when patience is at its end.
            at_most_s: longest wait from the start, however much is heard.
        """
        self._each_s = seconds / LOOKS
        self._all = at_most_s / self._each_s
        self._end = end
        self._silent, self._left = 0, self._all
        self._timer: TimerHandle | None = None

    def start(self) -> None:
        """Begin to wait; whoever waits already goes on."""
        if self._timer is None:
            self._silent, self._left = 0, self._all
            self._arm()

    def heard(self) -> None:
        """Note that something came: the silence begins anew."""
        self._silent = 0

    def stop(self) -> None:
        """Wait no longer."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _arm(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(self._each_s, self._look)

    def _look(self) -> None:
        self._silent += 1
        self._left -= 1
        if self._silent < LOOKS and self._left > 0:
            self._arm()
        else:
            self._timer = None
            self._end()
