# SPDX-License-Identifier: Apache-2.0
"""Case A4, beside it: the repository's own checks, 379 passed and 65 skipped.

What was skipped was not tested; its scope says nothing about a server.
"""

from __future__ import annotations

from typing import Final

from app.core.statement.capture_checks import ChecksCapture, Suite
from app.core.statement.protocol_document import ProtocolDocument
from app.demo.captures import MONOTONIC, NOTHING_READ
from app.demo.thread import natural_pressure
from app.demo.told import Told, tell_one_slot
from app.demo.writer import Writer

HEAD: Final = natural_pressure.HEAD


async def write(writer: Writer, document: ProtocolDocument) -> None:
    """Open the study and tell its one slot, which closes it."""
    told = Told(
        HEAD,
        base=None,
        tested=HEAD.head,
        source="Public thread of changes 180 and 283: the repository's checks at that head.",
        ordinal=2,
    )
    annotations = {"published": "379 passed, 65 skipped"}
    await tell_one_slot(writer, document, told, _checked(), annotations)


def _checked() -> ChecksCapture:
    return ChecksCapture(
        schema="urn:fairtrial:capture:checks:v1",
        clock=MONOTONIC,
        boot_id=None,
        suites=[Suite(name="repository", passed=379, failed=0, skipped=65)],
        named=[],
        values=[],
        observations=NOTHING_READ,
    )
