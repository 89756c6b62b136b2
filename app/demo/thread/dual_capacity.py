# SPDX-License-Identifier: Apache-2.0
"""Two prompts of about one million tokens, submitted together, both complete with every marker."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from app.core.statement.capture_streams import AnswerParts, Stream, StreamsCapture, Usage
from app.core.statement.observation import Counter, Gauge, Observations
from app.core.statement.protocol_document import ProtocolDocument
from app.demo.captures import UNSAID, measured
from app.demo.told import Told, stand_in, tell_one_slot
from app.demo.writer import Writer

HEAD: Final = stand_in("dual near-1M capacity")


async def write(writer: Writer, document: ProtocolDocument) -> None:
    """Open the study and tell its one slot, which closes it."""
    told = Told(
        HEAD,
        base=None,
        tested=HEAD.head,
        source="Public thread of change 180: two contexts near one million tokens at once. "
        "Concurrent completion, not both contexts resident at once; not a throughput claim. "
        "The head's id was not published; the one here is a stand-in.",
    )
    annotations = {
        "published": "999,090 and 999,094 tokens; first output after 1,572.371 and "
        "1,448.644 s, complete after 1,572.876 and 1,452.146 s; two active requests, no "
        "preemption, no prefix-cache hit, peak KV 87.09 %",
        "stand-in": "how often the gauges were read was not published; one reading each",
    }
    await tell_one_slot(writer, document, told, _both(), annotations)


def _both() -> StreamsCapture:
    observed = Observations(
        counters=[
            Counter(name="preemptions", before=0, after=0),
            Counter(name="prefix_cache_hits", before=0, after=0),
        ],
        gauges=[
            _sampled("requests_running", "1", greatest=2),
            _sampled("kv_cache_usage", "bps", greatest=8709),
        ],
        events=[],
        identities=[],
    )
    streams = [
        _request("first", 0, prompt=999_090, first_us=1_572_371_000, last_us=1_572_876_000),
        _request("second", 1, prompt=999_094, first_us=1_448_644_000, last_us=1_452_146_000),
    ]
    return measured(streams, observed)


def _request(role: str, lane: int, *, prompt: int, first_us: int, last_us: int) -> Stream:
    return replace(
        UNSAID,
        role=role,
        lane=lane,
        submitted_us=0,
        first_generated_us=first_us,
        first_answer_us=first_us,
        last_content_us=last_us,
        settled_us=last_us,
        observed_until_us=last_us,
        usage=Usage(prompt=prompt, completion=None, cached=None, reasoning=None),
        completion_basis="tool_claim",
        answer_parts=AnswerParts(expected=3, matched=3),
    )


def _sampled(name: str, unit: str, *, greatest: int) -> Gauge:
    return Gauge(name=name, unit=unit, interval_us=None, samples=1, least=None, greatest=greatest)
