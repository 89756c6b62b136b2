# SPDX-License-Identifier: Apache-2.0
"""Two studies retold from a public thread: a starved newcomer, and a wrong URL.

Figures and commits are as published. What never was is null and listed in ``replay.not_published``;
what a capture could not leave out says in its receipt's annotations that it is a stand-in. A replay
caps its head at HOLD, whatever it shows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from app.core.digest import sha256_hex
from app.core.identity import Scope
from app.core.statement.encoding import encode
from app.core.statement.policy import Claim, RequiredScope
from app.core.statement.protocol_document import ProtocolDocument
from app.core.statement.receipt import Tool
from app.core.statement.study import (
    ArmPin,
    HarnessPin,
    Head,
    ModelPin,
    ModelPins,
    Owners,
    Replay,
    StudyPredicate,
    StudyTopology,
)
from app.demo.captures import starved_newcomer, wrong_url
from app.demo.clock import DAY, HOUR, MINUTE
from app.demo.facts import DECLARED, ReceiptFacts
from app.demo.writer import OpenStudy, Writer
from app.runner.compose import HeadPlace

REPOSITORY: Final = "github.com/miaai-lab/glm-5.3-flash-exl3-2x-dgx-sparks"
CHANGE: Final = "180"
STARVED: Final = HeadPlace(REPOSITORY, "4ffef088edb18797ba2763a84e38fd520d39a0f7")
WRONG_URL: Final = HeadPlace(REPOSITORY, "587b39e058069a87bf39d02eb2cc8ea32bdf0a7e")
_BASE_OF_STARVED: Final = "a9bbbadc4c7253870d0d519c3d445e4ee7b97540"
_BASE_OF_WRONG_URL: Final = "b3bd1f6928930727b0e9521478340dfd074b16c8"
CLAIMS: Final = {
    "land": "May the source land with defaults unchanged?",
    "default-chunk0": "May TP=2 CHUNK=0 become the default?",
}
OWNERS: Final = Owners(maintainer="plotarmordev", author="krunkosaurus", runner="plotarmordev")
_TOOL: Final = Tool(name="fairtrial-replay", version="0.1.0")
_HOST: Final = "spark-1"
_HARNESS: Final = "check_concurrent_agents"
_ALWAYS_UNPUBLISHED: Final = (
    "head.tree",
    "arms.*.image",
    "arms.*.settings_digest",
    "models.*.revision",
    "harness.sha256",
)


@dataclass(frozen=True, slots=True)
class Told:
    """What the thread says about one study.

    Attributes:
        base: the commit the head was made on, which the control arms run.
        tested: the candidate's commit; None: it was never published.
        source: where the figures are from.
    """

    place: HeadPlace
    base: str
    tested: str | None
    source: str


async def write_replays(writer: Writer, document: ProtocolDocument) -> None:
    """Lock the shipped canary protocol, make the claims it serves, and retell both studies."""
    digest = await writer.lock(REPOSITORY, document)
    required = [RequiredScope(scope=Scope.LIVE_CORRECTNESS, protocols=[digest])]
    claims = [
        Claim(name=name, question=question, required=required) for name, question in CLAIMS.items()
    ]
    await writer.set_policy(REPOSITORY, claims)
    writer.pass_time(DAY)
    await _starved_newcomer(writer, document)
    writer.pass_time(2 * HOUR)
    await _wrong_url(writer, document)


async def _starved_newcomer(writer: Writer, document: ProtocolDocument) -> None:
    source = "Public thread of change 180: the hold that followed one measured contention run."
    told = Told(STARVED, base=_BASE_OF_STARVED, tested=None, source=source)
    study = await _open(writer, document, told)
    candidate = _candidate(document)
    slot = _first_slot(document, candidate)
    taken = await writer.reserve(study, [slot], host=_HOST)
    writer.pass_time(MINUTE)
    await writer.push(
        study,
        taken,
        starved_newcomer(),
        ReceiptFacts(
            basis=DECLARED,
            tool=_TOOL,
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


async def _wrong_url(writer: Writer, document: ProtocolDocument) -> None:
    source = "Public thread of change 180: the acquisition that ended at its first warm-up."
    told = Told(WRONG_URL, base=_BASE_OF_WRONG_URL, tested=WRONG_URL.head, source=source)
    study = await _open(writer, document, told)
    control, candidate = document.order[0], _candidate(document)
    taken = await writer.reserve(study, [_first_slot(document, control)], host=_HOST)
    writer.pass_time(MINUTE)
    await writer.push(
        study,
        taken,
        wrong_url(),
        ReceiptFacts(
            basis=DECLARED,
            tool=_TOOL,
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
        slots=[_first_slot(document, control), _first_slot(document, candidate)],
    )


async def _open(writer: Writer, document: ProtocolDocument, told: Told) -> OpenStudy:
    candidate = _candidate(document)
    commits = {arm.id: told.tested if arm.id == candidate else told.base for arm in document.arms}
    unpublished = list(_ALWAYS_UNPUBLISHED)
    if told.tested is None:
        unpublished.append(f"arms.{candidate}.commit")
    ledger, signer = writer.header()
    private = "private candidate that integrates the head"
    shape = document.conditions.topology
    harness = next(one for one in document.conditions.harness if one.name == _HARNESS)
    unknown = ModelPin(repository="not-published", revision=None)
    predicate = StudyPredicate(
        ledger=ledger,
        signer=signer,
        annotations={},
        repository=told.place.repository,
        protocol=sha256_hex(encode(document)),
        ordinal=1,
        head=Head(commit=told.place.head, tree=None),
        base=told.base,
        change=CHANGE,
        exploratory=False,
        replay=Replay(source=told.source, not_published=unpublished),
        owners=OWNERS,
        arms={
            arm.id: ArmPin(
                commit=commits[arm.id],
                image=None,
                settings=arm.settings,
                settings_digest=None,
                relation=private if commits[arm.id] is None else None,
            )
            for arm in document.arms
        },
        models=ModelPins(target=unknown, draft=unknown),
        topology=StudyTopology(
            tensor_parallel=shape.tensor_parallel,
            draft_tensor_parallel=shape.tensor_parallel,
            nodes=shape.nodes,
            hosts=["spark-1", "spark-2"],
            gpu_model=shape.gpu_model,
        ),
        harness=HarnessPin(name=harness.name, version=harness.version, sha256=None),
        runners=[writer.runner],
        closes_at=writer.now(after_us=DAY),
    )
    return await writer.open(predicate, document)


def _candidate(document: ProtocolDocument) -> str:
    return next(arm.id for arm in document.arms if arm.role == "candidate")


def _first_slot(document: ProtocolDocument, arm: str) -> str:
    return f"{arm}/{document.cells[0].id}/1"
