# SPDX-License-Identifier: Apache-2.0
"""Two persistent processes work for 5 h 16 min 57 s, and nothing under them is replaced."""

from __future__ import annotations

from typing import Final

from app.core.statement.capture_jobs import JobsCapture, Lane, LaneCounter
from app.core.statement.observation import ContainerIdentity, Counter, Observations
from app.core.statement.protocol_document import ProtocolDocument
from app.demo.captures import MONOTONIC
from app.demo.clock import HOUR, MINUTE, SECOND
from app.demo.told import Told, stand_in, tell_one_slot
from app.demo.writer import Writer

HEAD: Final = stand_in("endurance")
_WORKED_US: Final = 5 * HOUR + 16 * MINUTE + 57 * SECOND


async def write(writer: Writer, document: ProtocolDocument) -> None:
    """Open the study and tell its one slot, which closes it."""
    told = Told(
        HEAD,
        base=None,
        tested=HEAD.head,
        source="Public thread of change 180: two persistent processes on one service. "
        "The head's id was not published; the one here is a stand-in.",
        worked_us=_WORKED_US,
    )
    annotations = {
        "published": "5 h 16 min 57 s; 251 and 249 validated jobs; 8 and 7 compressions; peak "
        "prompts 494,550 and 494,443 tokens; identities unchanged, no restart, no OOM",
        "stand-in": "that both processes worked from the first instant to the last",
    }
    await tell_one_slot(writer, document, told, _endured(), annotations)


def _endured() -> JobsCapture:
    return JobsCapture(
        schema="urn:fairtrial:capture:jobs:v1",
        clock=MONOTONIC,
        boot_id=None,
        lanes=[
            _lane(0, jobs=251, compressions=8, peak_tokens=494_550),
            _lane(1, jobs=249, compressions=7, peak_tokens=494_443),
        ],
        observations=Observations(
            counters=[
                Counter(name="restarts", before=0, after=0),
                Counter(name="oom", before=0, after=0),
            ],
            gauges=[],
            events=[],
            identities=[
                ContainerIdentity(component=name, before=name, after=name, exited=False)
                for name in ("engine", "gateway")
            ],
        ),
    )


def _lane(lane: int, *, jobs: int, compressions: int, peak_tokens: int) -> Lane:
    return Lane(
        lane=lane,
        started_us=0,
        ended_us=_WORKED_US,
        observed_until_us=_WORKED_US,
        completed=jobs,
        validated=jobs,
        failed=0,
        longest_idle_us=None,
        counters=[
            LaneCounter(name="compressions", value=compressions),
            LaneCounter(name="peak_prompt_tokens", value=peak_tokens),
        ],
    )
