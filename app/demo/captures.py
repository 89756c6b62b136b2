# SPDX-License-Identifier: Apache-2.0
"""The facts of the demo's slots, as captures.

Two are replays of what was published and hold null wherever nothing was; the others belong to the
synthetic repository and their figures are made up, as their study says.
"""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from app.core.statement.capture import (
    Clock,
    ContainerIdentity,
    Counter,
    Observations,
    Phases,
    Stream,
    StreamsCapture,
    Usage,
)

SCHEMA: Final = "urn:fairtrial:capture:streams:v1"
MONOTONIC: Final = Clock(kind="monotonic", zero="slot_start", resolution_us=1)
_REPORTED: Final = "usage"
_UNKNOWN: Final = "unknown"
UNSAID: Final = Stream(
    role="incumbent",
    lane=0,
    phase="measured",
    planned_us=None,
    submitted_us=None,
    first_generated_us=None,
    first_answer_us=None,
    content_gaps_us=[],
    last_content_us=None,
    settled_us=None,
    observed_until_us=0,
    http_status=200,
    finish_reason=None,
    done_marker=None,
    usage=None,
    completion_basis="none",
    token_basis=_UNKNOWN,
    prompt_sha256=None,
    answer_matched=None,
    answer_parts=None,
    error_class=None,
)
"""A stream of which nothing but HTTP 200 is known; a story says the rest."""
NOTHING_READ: Final = Observations(counters=[], gauges=[], events=[], identities=[])
GRACE_US: Final = 200_000


def starved_newcomer() -> StreamsCapture:
    """Case A1: both streams answered 200; one ran to its end, the other gave nothing until then.

    Published: the incumbent's 1,024 tokens in about 21 s, the newcomer's silence, and that it was
    cancelled by rule once the incumbent had settled. ``submitted_us`` and the last places of 21 s
    are stand-ins that keep this order; the receipt's annotations say so.
    """
    incumbent = replace(
        UNSAID,
        role="incumbent",
        lane=0,
        submitted_us=1,
        last_content_us=21_000_000,
        settled_us=21_010_000,
        observed_until_us=21_010_000,
        usage=Usage(prompt=None, completion=1024, cached=None, reasoning=None),
        completion_basis="exact_usage_len",
        token_basis=_REPORTED,
    )
    newcomer = replace(
        UNSAID,
        role="newcomer",
        lane=1,
        submitted_us=680_000,
        observed_until_us=21_010_000 + GRACE_US,
        error_class="cancelled_by_rule",
    )
    return measured([incumbent, newcomer], NOTHING_READ)


def wrong_url() -> StreamsCapture:
    """Case A3: the first warm-up request went to the wrong path and was answered 404."""
    stream = replace(
        UNSAID,
        role="incumbent",
        lane=0,
        submitted_us=1,
        settled_us=9_000,
        observed_until_us=9_000,
        http_status=404,
        error_class="http_error",
        phase="warmup",
    )
    return StreamsCapture(
        schema=SCHEMA,
        clock=MONOTONIC,
        boot_id=None,
        phases=Phases(warmup="failed", measured="not_started"),
        streams=[stream],
        observations=NOTHING_READ,
    )


def answered(*, boot: str, incumbent_tokens: int, first_us: int = 2_400_000) -> StreamsCapture:
    """A synthetic slot in which the newcomer answers while the incumbent still decodes."""
    newcomer = replace(
        UNSAID,
        role="newcomer",
        lane=1,
        submitted_us=680_000,
        first_generated_us=680_000 + first_us,
        first_answer_us=680_000 + first_us,
        last_content_us=680_000 + first_us + 40_000,
        settled_us=680_000 + first_us + 50_000,
        observed_until_us=680_000 + first_us + 50_000,
        content_gaps_us=[40_000],
        usage=Usage(prompt=2048, completion=2, cached=0, reasoning=0),
        finish_reason="stop",
        done_marker=True,
        completion_basis="finish_reason",
        token_basis=_REPORTED,
        answer_matched=True,
    )
    return measured([_decoding(incumbent_tokens), newcomer], _engine(), boot=boot)


def starved(*, boot: str, incumbent_tokens: int) -> StreamsCapture:
    """A synthetic slot in which the newcomer gets nothing until the incumbent is done."""
    incumbent = _decoding(incumbent_tokens)
    newcomer = replace(
        UNSAID,
        role="newcomer",
        lane=1,
        submitted_us=680_000,
        observed_until_us=(incumbent.settled_us or 0) + GRACE_US,
        error_class="cancelled_by_rule",
    )
    return measured([incumbent, newcomer], _engine(), boot=boot)


def _decoding(tokens: int) -> Stream:
    gap = 20_000
    last = 430_000 + gap * (tokens - 1)
    return replace(
        UNSAID,
        role="incumbent",
        lane=0,
        submitted_us=1,
        first_generated_us=430_000,
        first_answer_us=430_000,
        last_content_us=last,
        settled_us=last + 10_000,
        observed_until_us=last + 10_000,
        content_gaps_us=[gap] * (tokens - 1),
        usage=Usage(prompt=64, completion=tokens, cached=0, reasoning=0),
        finish_reason="length",
        done_marker=True,
        completion_basis="finish_reason",
        token_basis=_REPORTED,
    )


def _engine() -> Observations:
    return Observations(
        counters=[
            Counter(name="restarts", before=0, after=0),
            Counter(name="oom", before=0, after=0),
        ],
        gauges=[],
        events=[],
        identities=[
            ContainerIdentity(component=f"engine-{host}", before=host, after=host, exited=False)
            for host in ("spark-1", "spark-2")
        ],
    )


def measured(
    streams: list[Stream], observations: Observations, *, boot: str | None = None
) -> StreamsCapture:
    """Return a capture whose warm-up came to its end and whose measured phase started."""
    return StreamsCapture(
        schema=SCHEMA,
        clock=MONOTONIC,
        boot_id=boot,
        phases=Phases(warmup="complete", measured="started"),
        streams=streams,
        observations=observations,
    )
