# SPDX-License-Identifier: Apache-2.0
"""Case A1: a newcomer that got HTTP 200 and nothing else while the incumbent decoded."""

from __future__ import annotations

from typing import Final

from app.core.statement.header import LedgerRef
from app.core.statement.hold import AppliesTo, HoldPredicate, NextStep
from app.core.statement.protocol_document import ProtocolDocument
from app.demo.captures import starved_newcomer
from app.demo.clock import HOUR, MINUTE
from app.demo.facts import DECLARED, ReceiptFacts
from app.demo.told import CHANGE, HOST, REPOSITORY, TOOL, Told, candidate_of, first_slot, open_told
from app.demo.writer import Writer
from app.runner.compose import HeadPlace

HEAD: Final = HeadPlace(REPOSITORY, "4ffef088edb18797ba2763a84e38fd520d39a0f7")
_BASE: Final = "a9bbbadc4c7253870d0d519c3d445e4ee7b97540"


async def write(writer: Writer, document: ProtocolDocument) -> None:
    """Open the study, tell the one run that was published, and end it."""
    source = "Public thread of change 180: the hold that followed one measured contention run."
    told = Told(HEAD, base=_BASE, tested=None, source=source)
    study = await open_told(writer, document, told)
    candidate = candidate_of(document)
    slot = first_slot(document, candidate)
    taken = await writer.reserve(study, [slot], host=HOST)
    writer.pass_time(MINUTE)
    await writer.push(
        study,
        taken,
        starved_newcomer(),
        ReceiptFacts(
            basis=DECLARED,
            tool=TOOL,
            claims={"state": "partial"},
            annotations={
                "published": "incumbent: HTTP 200, 1024 tokens, about 21 s; newcomer: HTTP 200, no "
                "content, no usage, cancelled by rule after the incumbent had settled",
                "stand-in": "when the newcomer was submitted and the places of 21 s after the "
                "second were not published; the instants here keep the published order",
                "settings": "earlier scheduler settings than the head's",
            },
        ),
    )
    writer.pass_time(HOUR)
    await writer.deviate(
        study,
        "One run of the candidate was made and published; the other slots were never run.",
        phase="after",
    )
    writer.pass_time(HOUR)
    await writer.hold(_held)


def _held(ledger: LedgerRef, signer: str) -> HoldPredicate:
    return HoldPredicate(
        ledger=ledger,
        signer=signer,
        annotations={},
        repository=REPOSITORY,
        action="place",
        applies_to=AppliesTo(head=None, changes=[CHANGE], claim=None),
        checked_head=HEAD.head,
        why="A newcomer got no content until the incumbent had settled; both answered HTTP 200. "
        "The cause is not established.",
        tested=["One contention run of the candidate, with earlier scheduler settings."],
        not_tested=["The unchanged controls.", "Five repetitions.", "This exact head."],
        until="The locked canary passes for an exact head, and its controls with it.",
        next_action=NextStep(
            person="plotarmordev", what="Run the locked protocol on the head as it is"
        ),
        author_action_now="none",
        clears=None,
        supersedes=None,
        links=[],
    )
