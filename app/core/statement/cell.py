# SPDX-License-Identifier: Apache-2.0
"""What a protocol plans to run: one shape of cell for each kind of capture that fills its slots.

The member ``capture`` says which. A review fills no slot: its cell only gives review gates a place.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from msgspec import UNSET, Meta, UnsetType

from app.core.identity import END, CellId, Count, Micros, Slug, StreamRole
from app.core.statement.capture_claim import ClaimTool
from app.core.statement.gate_record import EventOf, Operator
from app.core.statement.header import Shape

PositiveMicros = Annotated[int, Meta(ge=1, le=9007199254740991)]
Repetitions = Annotated[int, Meta(ge=1, le=1000)]


class TokenTarget(Shape, frozen=True):
    """How long a prompt is, in tokens, and how far it may be off."""

    target: Count
    tolerance: Count


class Start(Shape, frozen=True):
    """When a stream is submitted.

    ``at: slot_start`` at once; ``at: together`` in one instant with every other such stream;
    ``after`` an event of another stream. Each of them ``delay_us`` later.

    Attributes:
        tolerance_us: how much later than planned it may be sent, or how far from the others;
            absent: no later is too late, and together is one instant of the clock.
    """

    at: Literal["slot_start", "together"] | UnsetType = UNSET
    after: EventOf | UnsetType = UNSET
    delay_us: Micros | UnsetType = UNSET
    tolerance_us: Micros | UnsetType = UNSET


ExpectedAnswer = Annotated[str, Meta(pattern=r"^[ -~]{1,32}" + END, min_length=1, max_length=32)]


class PlannedStream(Shape, frozen=True):
    """One concurrent request of a cell."""

    role: StreamRole
    lane: Annotated[int, Meta(ge=0, le=255)]
    prompt_tokens: TokenTarget
    max_output_tokens: Annotated[int, Meta(ge=1, le=10000000)]
    exact_output: bool
    expected_answer: ExpectedAnswer | None
    answer_parts: Annotated[list[Slug], Meta(min_length=1, max_length=8)] | None
    starts: Start


class Warmup(Shape, frozen=True):
    """What is sent before the measured phase, kept and never scored."""

    requests: Annotated[int, Meta(ge=0, le=64)]
    role: StreamRole
    max_output_tokens: Annotated[int, Meta(ge=1, le=10000000)]


class Precondition(Shape, frozen=True):
    """An order of two instants without which a slot says nothing about the server."""

    left: EventOf
    op: Operator
    right: EventOf


class Cancel(Shape, frozen=True):
    """When the harness gives a stream up by rule: a grace after an event of another stream."""

    stream_role: StreamRole
    after: EventOf
    grace_us: Micros


class Ends(Shape, frozen=True):
    """When a slot ends.

    Attributes:
        slot_deadline_us: from slot start; a stream unfinished then has met its deadline.
        cancels: rules that end a stream earlier.
        cancel_is: a cancelled stream met its deadline (``deadline``) or was merely no longer
            watched (``censoring``).
    """

    slot_deadline_us: PositiveMicros
    cancels: Annotated[list[Cancel], Meta(max_length=16)]
    cancel_is: Literal["deadline", "censoring"]


class StreamsCell(Shape, frozen=True, tag_field="capture", tag="streams"):
    """A load shape of concurrent requests, and how often every arm runs it.

    Attributes:
        waves: how many repetitions in a row share one server boot, and with it their luck; absent:
            each repetition has a boot of its own.
    """

    id: CellId
    concurrency: Annotated[int, Meta(ge=1, le=256)]
    repetitions: Repetitions
    warmup: Warmup | None
    streams: Annotated[list[PlannedStream], Meta(min_length=1, max_length=256)]
    preconditions: Annotated[list[Precondition], Meta(max_length=16)]
    ends: Ends
    waves: Repetitions | UnsetType = UNSET


class ChecksCell(Shape, frozen=True, tag_field="capture", tag="checks"):
    """Checks that every arm runs, and how often.

    Attributes:
        suites: suites that must be reported.
        named: results that must be reported by name.
    """

    id: CellId
    repetitions: Repetitions
    suites: Annotated[list[Slug], Meta(max_length=256)]
    named: Annotated[list[Slug], Meta(max_length=4096)]


class JobsEnds(Shape, frozen=True):
    """When lanes of long work end.

    Attributes:
        slot_deadline_us: from slot start; a lane without an end then has met its deadline.
    """

    slot_deadline_us: PositiveMicros


class JobsCell(Shape, frozen=True, tag_field="capture", tag="jobs"):
    """Lanes of long work, and how often every arm runs them.

    Attributes:
        lanes: how many work side by side; they are numbered from 0.
    """

    id: CellId
    repetitions: Repetitions
    lanes: Annotated[int, Meta(ge=1, le=256)]
    ends: JobsEnds


class ClaimCell(Shape, frozen=True, tag_field="capture", tag="claim"):
    """Another tool's decision, and how often it is asked for.

    Attributes:
        tool: who decides.
    """

    id: CellId
    repetitions: Repetitions
    tool: ClaimTool


class ReviewCell(Shape, frozen=True, tag_field="capture", tag="review"):
    """Where people's reviews of the head are read; it plans no slot."""

    id: CellId


Cell: TypeAlias = StreamsCell | ChecksCell | JobsCell | ClaimCell | ReviewCell
"""Any cell; its ``capture`` member says of which kind it is."""
