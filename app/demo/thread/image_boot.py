# SPDX-License-Identifier: Apache-2.0
"""Case A4, beside it: the control's image and the candidate's both booted, and no more."""

from __future__ import annotations

from typing import Final

from app.core.statement.capture_checks import ChecksCapture, NamedResult
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
        source="Public thread of changes 180 and 283: both images were built and booted.",
        ordinal=3,
    )
    annotations = {"published": "both images booted"}
    await tell_one_slot(writer, document, told, _booted(), annotations)


def _booted() -> ChecksCapture:
    return ChecksCapture(
        schema="urn:fairtrial:capture:checks:v1",
        clock=MONOTONIC,
        boot_id=None,
        suites=[],
        named=[
            NamedResult(id=name, result="passed", artifact=None)
            for name in ("control-image-boots", "candidate-image-boots")
        ],
        values=[],
        observations=NOTHING_READ,
    )
