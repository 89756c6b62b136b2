# SPDX-License-Identifier: Apache-2.0
"""What every kind of capture may hold: its clock, and what was read beside the work itself."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from app.core.identity import Count, Micros, Slug
from app.core.statement.header import Shape


class Clock(Shape, frozen=True):
    """The clock behind every ``_us`` of the capture.

    Attributes:
        resolution_us: how far a reading may be off, either way.
    """

    kind: Literal["monotonic", "wall"]
    zero: Literal["slot_start"]
    resolution_us: Micros


class Counter(Shape, frozen=True):
    """A counter read before and after; null: not read."""

    name: Slug
    before: Count | None
    after: Count | None


class Gauge(Shape, frozen=True):
    """A gauge sampled during the slot: how often, and the greatest and least sample."""

    name: Slug
    unit: Slug
    interval_us: Micros | None
    samples: Count
    least: Count | None
    greatest: Count | None


class Event(Shape, frozen=True):
    """Something named that happened at an instant."""

    name: Slug
    at_us: Micros


class ContainerIdentity(Shape, frozen=True):
    """A component's container, by pseudonym, before and after: unequal means it was replaced.

    Attributes:
        before: null: not read.
        after: null: not read; a container that has exited still has its identity.
        exited: whether it had exited when it was read afterwards; null: not read.
    """

    component: Slug
    before: Slug | None
    after: Slug | None
    exited: bool | None


class Observations(Shape, frozen=True):
    """What was read beside the work: before it, during it and after it."""

    counters: Annotated[list[Counter], Meta(max_length=256)]
    gauges: Annotated[list[Gauge], Meta(max_length=256)]
    events: Annotated[list[Event], Meta(max_length=1000)]
    identities: Annotated[list[ContainerIdentity], Meta(max_length=16)]
