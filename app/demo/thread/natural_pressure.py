# SPDX-License-Identifier: Apache-2.0
"""Case A4: three attempts at the control under natural pressure, none of which can be scored.

One trace was truncated and two streams timed out before the locked deadline: the harness's faults,
all three. What the allocator logged meanwhile is an observation, not a result.
"""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from app.core.statement.capture import ErrorClass
from app.core.statement.capture_streams import StreamsCapture
from app.core.statement.protocol_document import ProtocolDocument
from app.demo.captures import NOTHING_READ, UNSAID, measured
from app.demo.clock import HOUR, MINUTE
from app.demo.facts import DECLARED, ReceiptFacts
from app.demo.told import HOST, TOOL, Told, open_told, stand_in
from app.demo.writer import Writer

HEAD: Final = stand_in("natural pressure")
_CELL: Final = "natural-pressure"
_TRIALS: Final[tuple[tuple[str, ErrorClass], ...]] = (
    ("truncated trace", "interrupted"),
    ("stream timeout before the locked deadline", "timeout"),
    ("stream timeout before the locked deadline", "timeout"),
)


async def write(writer: Writer, document: ProtocolDocument) -> None:
    """Open the study, tell its three attempts at the control, and end it."""
    told = Told(
        HEAD,
        base=None,
        tested=HEAD.head,
        source="Public thread of changes 180 and 283: the natural-pressure baseline. "
        "The head's id was not published; the one here is a stand-in.",
    )
    study = await open_told(writer, document, told)
    control = document.order[0]
    for number, (published, error) in enumerate(_TRIALS, start=1):
        taken = await writer.reserve(study, [f"{control}/{_CELL}/{number}"], host=HOST)
        writer.pass_time(MINUTE)
        annotations = {
            "published": f"trial {number} of 3: invalid, {published}",
            "stand-in": "no instant of the trial was published",
        }
        facts = ReceiptFacts(basis=DECLARED, tool=TOOL, annotations=annotations)
        await writer.push(study, taken, _cut(error), facts)
    writer.pass_time(HOUR)
    await writer.deviate(
        study,
        "Three trials of the control gave nothing that can be scored; the candidate, the return "
        "and the performance cell were not run.",
        phase="after",
    )


def _cut(error: ErrorClass) -> StreamsCapture:
    incumbent = replace(
        UNSAID, role="incumbent", lane=0, submitted_us=1, observed_until_us=1_000_000
    )
    newcomer = replace(
        UNSAID,
        role="newcomer",
        lane=1,
        submitted_us=680_000,
        observed_until_us=1_000_000,
        error_class=error,
    )
    return measured([incumbent, newcomer], NOTHING_READ)
