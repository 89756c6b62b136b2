# SPDX-License-Identifier: Apache-2.0
"""A short peer answers while a prompt of 999,095 tokens is still being processed.

The incumbent is in its prefill, so the peer starts after it was submitted, not after its first
content. When the peer was sent was not published; it answered in 1.455 s.
"""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from app.core.statement.capture_streams import AnswerParts, StreamsCapture, Usage
from app.core.statement.protocol_document import ProtocolDocument
from app.demo.captures import NOTHING_READ, UNSAID, measured
from app.demo.told import Told, stand_in, tell_one_slot
from app.demo.writer import Writer

HEAD: Final = stand_in("long-prefill overlap")
_SENT_US: Final = 1_000_000


async def write(writer: Writer, document: ProtocolDocument) -> None:
    """Open the study and tell its one slot, which closes it."""
    told = Told(
        HEAD,
        base=None,
        tested=HEAD.head,
        source="Public thread of change 180: the overlap of a long prefill with a short request. "
        "The head's id was not published; the one here is a stand-in.",
    )
    annotations = {
        "published": "999,095 tokens: first content after 856.319 s, all three markers "
        "after 858.149 s; its peer: OK after 1.455 s, meanwhile",
        "stand-in": "when the peer was submitted was not published; the instants here keep "
        "the published order and durations",
    }
    await tell_one_slot(writer, document, told, _overlapped(), annotations)


def _overlapped() -> StreamsCapture:
    incumbent = replace(
        UNSAID,
        role="incumbent",
        lane=0,
        submitted_us=0,
        first_generated_us=856_319_000,
        first_answer_us=856_319_000,
        last_content_us=858_149_000,
        settled_us=858_149_000,
        observed_until_us=858_149_000,
        usage=Usage(prompt=999_095, completion=None, cached=None, reasoning=None),
        completion_basis="tool_claim",
        answer_parts=AnswerParts(expected=3, matched=3),
    )
    peer = replace(
        UNSAID,
        role="newcomer",
        lane=1,
        submitted_us=_SENT_US,
        last_content_us=_SENT_US + 1_455_000,
        settled_us=_SENT_US + 1_455_000,
        observed_until_us=_SENT_US + 1_455_000,
        completion_basis="tool_claim",
        answer_matched=True,
    )
    return measured([incumbent, peer], NOTHING_READ)
