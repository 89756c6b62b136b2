# SPDX-License-Identifier: Apache-2.0
"""The contention study that the thread asks for and that nobody has run yet.

Its protocol is locked and its slots are planned; it was ended without a run, and its page says that
nothing was measured.
"""

from __future__ import annotations

from typing import Final

from app.core.statement.protocol_document import ProtocolDocument
from app.demo.told import Told, open_told, stand_in
from app.demo.writer import Writer

HEAD: Final = stand_in("contention study")


async def write(writer: Writer, document: ProtocolDocument) -> None:
    """Open the study, say that it was not run, and end it."""
    told = Told(
        HEAD,
        base=None,
        tested=HEAD.head,
        source="Public thread of change 180: the study that its next steps ask for. "
        "The head's id was not published; the one here is a stand-in.",
    )
    study = await open_told(writer, document, told)
    await writer.deviate(
        study, "The study was planned in the thread and has not been run anywhere.", phase="before"
    )
