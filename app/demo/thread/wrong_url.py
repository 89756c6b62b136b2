# SPDX-License-Identifier: Apache-2.0
"""Case A3: the wrapper asked the wrong URL, so the first warm-up was a 404 and nothing else ran."""

from __future__ import annotations

from typing import Final

from app.core.statement.protocol_document import ProtocolDocument
from app.demo.captures import wrong_url
from app.demo.clock import MINUTE
from app.demo.facts import DECLARED, ReceiptFacts
from app.demo.told import HOST, REPOSITORY, TOOL, Told, candidate_of, first_slot, open_told
from app.demo.writer import Writer
from app.runner.compose import HeadPlace

HEAD: Final = HeadPlace(REPOSITORY, "587b39e058069a87bf39d02eb2cc8ea32bdf0a7e")
_BASE: Final = "b3bd1f6928930727b0e9521478340dfd074b16c8"


async def write(writer: Writer, document: ProtocolDocument) -> None:
    """Open the study, tell its one warm-up, and end it."""
    source = "Public thread of change 180: the acquisition that ended at its first warm-up."
    told = Told(HEAD, base=_BASE, tested=HEAD.head, source=source)
    study = await open_told(writer, document, told)
    control, candidate = document.order[0], candidate_of(document)
    taken = await writer.reserve(study, [first_slot(document, control)], host=HOST)
    writer.pass_time(MINUTE)
    await writer.push(
        study,
        taken,
        wrong_url(),
        ReceiptFacts(
            basis=DECLARED,
            tool=TOOL,
            claims={"wrapper-exit-status": "0"},
            annotations={
                "published": "first warm-up of arm A: HTTP 404; zero measured waves",
                "stand-in": "how long the 404 took was not published",
            },
        ),
    )
    writer.pass_time(10 * MINUTE)
    await writer.deviate(
        study,
        "The wrapper used the server's origin instead of the full completion URL; loading of the "
        "candidate had begun and was interrupted. The return to control was not run.",
        phase="warmup",
        slots=[first_slot(document, control), first_slot(document, candidate)],
    )
