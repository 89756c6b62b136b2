# SPDX-License-Identifier: Apache-2.0
"""Case A5: the canary holds in every arm, and the controls differ too much to say anything else.

Five of five in each arm was published. That the performance cells exceeded the spread that was
allowed was published too, without figures: those here are synthetic and say so.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from app.core.statement.capture_streams import Stream, Usage
from app.core.statement.decision import DecisionPredicate, Through
from app.core.statement.header import LedgerRef
from app.core.statement.observation import ContainerIdentity, Counter, Observations
from app.core.statement.place import Link
from app.core.statement.protocol_document import ProtocolDocument
from app.demo.captures import UNSAID, measured
from app.demo.clock import HOUR, MINUTE
from app.demo.facts import DECLARED, ReceiptFacts
from app.demo.told import HOST, TOOL, Told, open_told, stand_in
from app.demo.writer import OpenStudy, Taken, Writer

HEAD: Final = stand_in("landing")
CHANGE: Final = "309"
_TOKENS: Final = 1024
_COUNTED: Final = "usage"
_SECONDS: Final = {"A": (15, 21, 16, 20, 18), "B": (16, 20, 17, 19, 18), "A2": (20, 15, 21, 16, 19)}
_CANARY: Final = "C2-canary"
_DECODE: Final = {"C1-decode": 1, "C2-decode": 2}
_SLOWER: Final = {"C1-decode": 2, "C2-decode": 3}
"""Halves of a second for each second above: two that share the machine take half as long again."""
_QUIET: Final = Observations(
    counters=[Counter(name="restarts", before=0, after=0), Counter(name="oom", before=0, after=0)],
    gauges=[],
    events=[],
    identities=[ContainerIdentity(component="engine", before="c-1", after="c-1", exited=False)],
)


async def write(writer: Writer, document: ProtocolDocument) -> None:
    """Open the study, tell all of its slots, and how the source landed."""
    told = Told(
        HEAD,
        base=HEAD.head,
        tested=HEAD.head,
        change=CHANGE,
        source="Public thread of changes 308 and 309: canary 5 of 5 in every arm; figures of the "
        "performance cells are synthetic. The head's id was not published; a stand-in.",
    )
    study = await open_told(writer, document, told)
    slots = [
        f"{arm}/{cell}/{number}"
        for arm in document.order
        for cell in (_CANARY, *_DECODE)
        for number in range(1, 6)
    ]
    taken = await writer.reserve(study, slots, host=HOST)
    writer.pass_time(MINUTE)
    for slot in slots:
        await _fill(writer, study, taken, slot)
    writer.pass_time(HOUR)
    await writer.decide(HEAD, _landed)


async def _fill(writer: Writer, study: OpenStudy, taken: Taken, slot: str) -> None:
    arm, cell, number = slot.split("/")
    synthetic = "every instant is synthetic; published was that the newcomer answered in each run"
    if cell == _CANARY:
        capture = measured(list(_answered()), _QUIET, boot=f"{arm.lower()}-{number}")
    else:
        synthetic = "synthetic figures; published was only that the controls spread too far"
        last_us = _SECONDS[arm][int(number) - 1] * _SLOWER[cell] * 500_000
        streams = [_decoded(f"decoder_{n}", n, last_us) for n in range(_DECODE[cell])]
        capture = measured(streams, _QUIET, boot=f"{arm.lower()}-{number}")
    facts = ReceiptFacts(basis=DECLARED, tool=TOOL, annotations={"stand-in": synthetic})
    await writer.push(study, taken, capture, facts)


def _answered() -> Iterator[Stream]:
    yield replace(_decoded("incumbent", 0, 21_000_000), usage=_usage(prompt=64, completion=_TOKENS))
    sent = 680_000
    yield replace(
        UNSAID,
        role="newcomer",
        lane=1,
        submitted_us=sent,
        first_generated_us=sent + 8_000_000,
        first_answer_us=sent + 8_000_000,
        last_content_us=sent + 8_100_000,
        content_gaps_us=[100_000],
        settled_us=sent + 8_100_000,
        observed_until_us=sent + 8_100_000,
        finish_reason="stop",
        completion_basis="finish_reason",
        token_basis=_COUNTED,
        usage=_usage(prompt=8037, completion=2),
        answer_matched=True,
    )


def _decoded(role: str, lane: int, last_us: int) -> Stream:
    first = 430_000
    return replace(
        UNSAID,
        role=role,
        lane=lane,
        submitted_us=1,
        first_generated_us=first,
        first_answer_us=first,
        last_content_us=last_us,
        content_gaps_us=[last_us - first],
        settled_us=last_us,
        observed_until_us=last_us,
        finish_reason="length",
        completion_basis="finish_reason",
        token_basis=_COUNTED,
        usage=_usage(prompt=2048, completion=_TOKENS),
    )


def _usage(*, prompt: int, completion: int) -> Usage:
    return Usage(prompt=prompt, completion=completion, cached=0, reasoning=0)


def _landed(ledger: LedgerRef, signer: str) -> DecisionPredicate:
    return DecisionPredicate(
        ledger=ledger,
        signer=signer,
        annotations={},
        decided="landed_through",
        claim="land",
        scope=None,
        through=Through(change=CHANGE, head=None, claim="land"),
        reason="The source landed with its defaults unchanged; the default of CHUNK=0 did not.",
        expires_at=None,
        links=[
            Link(
                relation="follow_up",
                change="308",
                head=None,
                statement=None,
                note="What the performance cells left open.",
            )
        ],
        supersedes=None,
    )
