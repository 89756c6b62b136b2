# SPDX-License-Identifier: Apache-2.0
"""A server's failure is the worst value for what is demanded, whichever way that points.

A time that never came is later than any limit, and a rate of nothing is below any. A demand that
points the other way (a rate of at most something, a time of at least) would be met by failing, so
there the failure is at the other end.
"""

from __future__ import annotations

from typing import Final

from app.core.protocol.metrics import STREAM_METRICS
from app.core.score.interval import NEGATIVE_INFINITY, Interval
from app.core.score.observed import Basis, Observed, exact, never
from app.core.score.reading import Ending, Reading
from app.core.statement.gate_record import Metric, Operator

_QUANTITIES: Final = ("time", "rate", "tokens")
WHOLE_OUTPUT: Final = ("settlement", "decode_rate", "throughput")
"""Metrics that depend on how much was put out."""


def is_failed(metric: Metric, reading: Reading) -> bool:
    """Tell whether a stream's ``metric`` is what a failure of the server makes of it."""
    if STREAM_METRICS.get(metric.name) not in _QUANTITIES:
        return False
    short = reading.ending is Ending.SHORT and metric.name in WHOLE_OUTPUT
    return short or reading.ending is Ending.SERVER_FAILURE


def worst_for(op: Operator) -> Observed:
    """Return the value that breaks ``op`` against any limit; for ``==`` the one beyond all."""
    return exact(0) if op in (">", ">=") else never()


def is_no_number(observed: Observed) -> bool:
    """Tell whether a tool reported something that is no finite number."""
    interval = observed.interval
    return interval is not None and interval.is_point and interval.lo.rank != 0


def no_number(op: Operator) -> Observed:
    """Return what breaks ``op`` against any limit, those below zero too."""
    if op in (">", ">="):
        return Observed(Interval(NEGATIVE_INFINITY, NEGATIVE_INFINITY), Basis.EXACT)
    return never()
