# SPDX-License-Identifier: Apache-2.0
"""Capture kind ``streams``: concurrent requests to a server, each from submission to its end."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from app.core.identity import Count, Micros, Sha256Hex, Slug, StreamRole
from app.core.statement.header import Shape
from app.core.statement.observation import Clock, Observations

ErrorClass = Literal[
    "http_error",
    "connection_refused",
    "connection_reset",
    "name_resolution",
    "tls",
    "timeout",
    "deadline",
    "cancelled_by_rule",
    "cancelled_by_person",
    "error_event_in_stream",
    "malformed_stream",
    "interrupted",
]


class Phases(Shape, frozen=True):
    """How far the slot came."""

    warmup: Literal["none", "complete", "failed"]
    measured: Literal["not_started", "started"]


class Usage(Shape, frozen=True):
    """Token counts as the server reported them; each may be missing on its own."""

    prompt: Count | None
    completion: Count | None
    cached: Count | None
    reasoning: Count | None


class AnswerParts(Shape, frozen=True):
    """How many expected parts of an answer there were and how many came."""

    expected: Count
    matched: Count


class Stream(Shape, frozen=True):
    """One request, from submission to the end of its observation; offsets from slot start.

    Attributes:
        planned_us: when it should have been submitted; null when the event it waits for never came.
        submitted_us: when it was; null: never dispatched.
        first_generated_us: first non-empty content event, reasoning included.
        first_answer_us: first non-empty answer content.
        content_gaps_us: between successive content events; one fewer than there were events.
        last_content_us: the last content event.
        settled_us: completed or failed end of the stream.
        observed_until_us: when the harness stopped looking.
        done_marker: the stream's own end marker was seen; null: not recorded.
        usage: null: the server sent none.
        completion_basis: why the stream is taken for complete.
        token_basis: where token counts come from.
        prompt_sha256: digest of the prompt that was sent, for a seeded binding.
        answer_matched: the expected answer came; null: not recorded, or none was expected.
    """

    role: StreamRole
    lane: Annotated[int, Meta(ge=0, le=255)]
    phase: Literal["warmup", "measured"]
    planned_us: Micros | None
    submitted_us: Micros | None
    first_generated_us: Micros | None
    first_answer_us: Micros | None
    content_gaps_us: Annotated[list[Micros], Meta(max_length=1000000)]
    last_content_us: Micros | None
    settled_us: Micros | None
    observed_until_us: Micros
    http_status: Annotated[int, Meta(ge=100, le=599)] | None
    finish_reason: Literal["stop", "length", "tool_calls", "content_filter", "other"] | None
    done_marker: bool | None
    usage: Usage | None
    completion_basis: Literal[
        "finish_reason", "done_marker", "exact_usage_len", "tool_claim", "none"
    ]
    token_basis: Literal["usage", "client_tokenizer", "chunk_count", "requested_length", "unknown"]
    prompt_sha256: Sha256Hex | None
    answer_matched: bool | None
    answer_parts: AnswerParts | None
    error_class: ErrorClass | None


class StreamsCapture(Shape, frozen=True):
    """The facts of one slot.

    Attributes:
        boot_id: pseudonym of the server boot it ran in; slots of one boot share its luck.
    """

    schema: Literal["urn:fairtrial:capture:streams:v1"]
    clock: Clock
    boot_id: Slug | None
    phases: Phases
    streams: Annotated[list[Stream], Meta(max_length=512)]
    observations: Observations
