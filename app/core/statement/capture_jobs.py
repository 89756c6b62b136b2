# SPDX-License-Identifier: Apache-2.0
"""Capture kind ``jobs``: lanes of long work, each from its start to its end."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from app.core.identity import Count, Micros, Slug
from app.core.statement.header import Shape
from app.core.statement.observation import Clock, Observations


class LaneCounter(Shape, frozen=True):
    """A number that a lane counted; null: it was not read."""

    name: Slug
    value: Count | None


class Lane(Shape, frozen=True):
    """One worker and the jobs it did one after the other; offsets from slot start.

    Attributes:
        started_us: when its first job began; null: it never did.
        ended_us: when its work was over; null: it was not, or nobody saw it.
        observed_until_us: when the harness stopped looking.
        completed: jobs that came to an end; null: not counted, as in the next two.
        validated: jobs whose result was checked and right.
        failed: jobs that failed, or whose result was wrong.
        longest_idle_us: the longest time without progress; null: not watched.
    """

    lane: Annotated[int, Meta(ge=0, le=255)]
    started_us: Micros | None
    ended_us: Micros | None
    observed_until_us: Micros
    completed: Count | None
    validated: Count | None
    failed: Count | None
    longest_idle_us: Micros | None
    counters: Annotated[list[LaneCounter], Meta(max_length=64)]


class JobsCapture(Shape, frozen=True):
    """What lanes of long work came to.

    Attributes:
        boot_id: pseudonym of the server boot they ran against.
    """

    schema: Literal["urn:fairtrial:capture:jobs:v1"]
    clock: Clock
    boot_id: Slug | None
    lanes: Annotated[list[Lane], Meta(max_length=256)]
    observations: Observations
