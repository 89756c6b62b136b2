# SPDX-License-Identifier: Apache-2.0
"""The source was read at one head against its recorded base, and commented on: no more."""

from __future__ import annotations

from typing import Final

from app.core.identity import Scope
from app.core.statement.header import LedgerRef
from app.core.statement.protocol_document import ProtocolDocument
from app.core.statement.review import Relation, ReviewPredicate
from app.demo.clock import HOUR
from app.demo.told import Told, open_told, stand_in
from app.demo.writer import Writer

HEAD: Final = stand_in("source review")
_BASE: Final = "a9bbbadc4c7253870d0d519c3d445e4ee7b97540"


async def write(writer: Writer, document: ProtocolDocument) -> None:
    """Open the study, which plans no slot, and give the review."""
    told = Told(
        HEAD,
        base=_BASE,
        tested=HEAD.head,
        source="Public thread of change 180: a review of the source. "
        "The head's id was not published; the one here is a stand-in.",
    )
    await open_told(writer, document, told)
    writer.pass_time(HOUR)
    await writer.review(HEAD, _commented)


def _commented(ledger: LedgerRef, signer: str) -> ReviewPredicate:
    return ReviewPredicate(
        ledger=ledger,
        signer=signer,
        annotations={},
        base=_BASE,
        scope=Scope.SOURCE,
        outcome="comment",
        did=["Read the supplied evidence and the focused deltas at this head and its base."],
        did_not=["No tests, live endpoints or GPU operations were run here."],
        evidence=[],
        relation=Relation(author=False, pushed=True, locked=True, ran=False),
        supersedes=None,
    )
