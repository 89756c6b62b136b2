# SPDX-License-Identifier: Apache-2.0
"""The one clock of the process."""

from __future__ import annotations

import time


class SystemClock:
    """UTC as the machine keeps it."""

    def now_us(self) -> int:
        """Return microseconds since 1970-01-01T00:00:00Z."""
        return time.time_ns() // 1000
