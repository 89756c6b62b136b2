# SPDX-License-Identifier: Apache-2.0
"""A strict helper takes exactly the published bytes, and writes nothing for any other.

That the files are those of the registry was published, their digests and lengths were not: the
protocol names stand-ins, and so does the capture.
"""

from __future__ import annotations

from typing import Final

from msgspec import UnsetType

from app.core.statement.capture_checks import Artifact, ChecksCapture, NamedResult, Suite
from app.core.statement.cell import ChecksCell
from app.core.statement.protocol_document import ProtocolDocument
from app.demo.captures import MONOTONIC, NOTHING_READ
from app.demo.told import Told, stand_in, tell_one_slot
from app.demo.writer import Writer

HEAD: Final = stand_in("strict helper registry")


async def write(writer: Writer, document: ProtocolDocument) -> None:
    """Open the study and tell its one slot, which closes it."""
    told = Told(
        HEAD,
        base=None,
        tested=HEAD.head,
        source="Public thread of change 180: the strict helper and its registry of files. "
        "The head's id was not published; the one here is a stand-in.",
    )
    annotations = {
        "published": "v1, v2 and v5 authenticated by SHA-256 and length; v6 idempotent; round "
        "trip equal; seven other inputs refused without a write; 30 and 5 policy checks",
        "stand-in": "digests and lengths of the files were not published",
    }
    await tell_one_slot(writer, document, told, _authenticated(document), annotations)


def _authenticated(document: ProtocolDocument) -> ChecksCapture:
    """Return the named results of the protocol, all passed, each file with its registered bytes."""
    cell = document.cells[0]
    assert isinstance(cell, ChecksCell)  # noqa: S101  the shipped protocol plans one such cell
    files = {
        file.name: Artifact(sha256=file.sha256, size=file.size)
        for gate in document.gates
        if not isinstance(gate.rule, UnsetType) and not isinstance(gate.rule.artifacts, UnsetType)
        for file in gate.rule.artifacts
    }
    return ChecksCapture(
        schema="urn:fairtrial:capture:checks:v1",
        clock=MONOTONIC,
        boot_id=None,
        suites=[
            Suite(name="fair-policy", passed=30, failed=0, skipped=0),
            Suite(name="concurrency-policy", passed=5, failed=0, skipped=0),
        ],
        named=[
            NamedResult(id=name, result="passed", artifact=files.get(name)) for name in cell.named
        ],
        values=[],
        observations=NOTHING_READ,
    )
