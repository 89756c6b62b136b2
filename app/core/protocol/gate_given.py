# SPDX-License-Identifier: Apache-2.0
"""Members of a flat gate record that its kind demands, and those that it may leave out."""

from __future__ import annotations

from fractions import Fraction
from typing import TypeVar, cast

from msgspec import UnsetType

from app.core.protocol.gate_demand import Domain
from app.core.statement.gate_record import Metric

ValueT = TypeVar("ValueT")


def given(value: ValueT | UnsetType) -> ValueT:
    """Return the value; ``missing_members`` has made sure that it is there."""
    return cast("ValueT", value)


def maybe(value: ValueT | UnsetType) -> ValueT | None:
    """Return the value, or None for one that was left out."""
    return None if isinstance(value, UnsetType) else value


def domain_of(metric: Metric) -> Domain:
    """Return every value that the metric can have."""
    lo, hi = metric.domain
    return Domain(Fraction(str(lo)), None if hi is None else Fraction(hi))
