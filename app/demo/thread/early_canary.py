# SPDX-License-Identifier: Apache-2.0
"""Case A2: an earlier head of the change, whose one canary passed for the image it was run with.

The newcomer's first content (8.837 s) and end (9.013 s) were published from its own submission, and
that its first content came 13.014 s before the incumbent's last: so that one lies between 21.851
and 22.027 s, and the capture's clock is read to half of that.
"""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from app.core.statement.capture import Clock, StreamsCapture, Usage
from app.core.statement.protocol_document import ProtocolDocument
from app.core.statement.study import Image
from app.demo.captures import NOTHING_READ, UNSAID, measured
from app.demo.clock import HOUR, MINUTE
from app.demo.facts import DECLARED, ReceiptFacts
from app.demo.told import HOST, REPOSITORY, TOOL, Told, candidate_of, first_slot, open_told
from app.demo.writer import Writer
from app.runner.compose import HeadPlace

HEAD: Final = HeadPlace(REPOSITORY, "14b6a9f6d4b6256ef4a51dade72581c4cf4a3175")
_TESTED: Final = "f906ee990596486e10ddbe381efa6f0e496f77e3"
_IMAGE: Final = "sha256:232573f48556c301b516ebc86a651501ed4f5c69aa72ef957168ff5a6ecd4fdf"
_SENT_US: Final = 680_000
_RESOLUTION_US: Final = 88_000


async def write(writer: Writer, document: ProtocolDocument) -> None:
    """Open the study, tell its one run of the candidate, and end it."""
    told = Told(
        HEAD,
        base=None,
        tested=_TESTED,
        source="Public thread of change 180: the one canary of an earlier head.",
        image=Image(digest=_IMAGE, of="manifest"),
    )
    study = await open_told(writer, document, told)
    taken = await writer.reserve(study, [first_slot(document, candidate_of(document))], host=HOST)
    writer.pass_time(MINUTE)
    await writer.push(
        study,
        taken,
        _answered(),
        ReceiptFacts(
            basis=DECLARED,
            tool=TOOL,
            claims={"result": "PASS"},
            annotations={
                "published": "newcomer: prompt of 8,037 tokens, first content after 8.837 s, OK "
                "after 9.013 s; incumbent: 1,024 tokens, its last content 13.014 s after the "
                "newcomer's first",
                "stand-in": "when each stream was submitted was not published; the instants here "
                "keep the published order and distances",
                "settings": "explicit settings on the deployed base, not the head's source",
            },
        ),
    )
    writer.pass_time(HOUR)
    await writer.deviate(
        study,
        "One run of the candidate was made and published; the controls were not run.",
        phase="after",
    )


def _answered() -> StreamsCapture:
    incumbent = replace(
        UNSAID,
        role="incumbent",
        lane=0,
        submitted_us=1,
        last_content_us=_SENT_US + 21_939_000,
        settled_us=_SENT_US + 21_939_000,
        observed_until_us=_SENT_US + 21_939_000,
        usage=Usage(prompt=None, completion=1024, cached=None, reasoning=None),
        completion_basis="exact_usage_len",
        token_basis="usage",  # noqa: S106  a count's source, no secret
    )
    newcomer = replace(
        UNSAID,
        role="newcomer",
        lane=1,
        submitted_us=_SENT_US,
        first_generated_us=_SENT_US + 8_837_000,
        last_content_us=_SENT_US + 9_013_000,
        settled_us=_SENT_US + 9_013_000,
        observed_until_us=_SENT_US + 9_013_000,
        usage=Usage(prompt=8037, completion=None, cached=None, reasoning=None),
        completion_basis="tool_claim",
        answer_matched=True,
    )
    whole = measured([incumbent, newcomer], NOTHING_READ)
    clock = Clock(kind="monotonic", zero="slot_start", resolution_us=_RESOLUTION_US)
    return replace(whole, clock=clock)
