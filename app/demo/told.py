# SPDX-License-Identifier: Apache-2.0
"""How a study of a public thread is retold: its head, its commits, and what was never published.

Figures and commits are as published. What never was is null and listed in ``replay.not_published``;
what a capture could not leave out says in its receipt's annotations that it is a stand-in. A replay
caps its head at HOLD, whatever it shows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from app.core.digest import sha256_hex
from app.core.statement.capture import Capture
from app.core.statement.encoding import encode
from app.core.statement.protocol_document import ProtocolDocument
from app.core.statement.receipt import Tool
from app.core.statement.study import (
    ArmPin,
    HarnessPin,
    Head,
    Image,
    ModelPin,
    ModelPins,
    Owners,
    Replay,
    StudyPredicate,
    StudyTopology,
)
from app.demo.clock import DAY, MINUTE
from app.demo.facts import DECLARED, ReceiptFacts
from app.demo.writer import OpenStudy, Writer
from app.runner.compose import HeadPlace

REPOSITORY: Final = "github.com/miaai-lab/glm-5.3-flash-exl3-2x-dgx-sparks"
CHANGE: Final = "180"
OWNERS: Final = Owners(maintainer="plotarmordev", author="krunkosaurus", runner="plotarmordev")
TOOL: Final = Tool(name="fairtrial-replay", version="0.1.0")
HOST: Final = "spark-1"
_HARNESS: Final = "check_concurrent_agents"
_ALWAYS_UNPUBLISHED: Final = (
    "head.tree",
    "arms.*.settings_digest",
    "models.*.revision",
    "harness.sha256",
)


@dataclass(frozen=True, slots=True)
class Told:
    """What the thread says about one study.

    Attributes:
        base: the commit the head was made on, which the control arms run; None: not published.
        tested: the candidate's commit; None: it was never published.
        source: where the figures are from.
        change: the pull request; None: the head belongs to none.
        image: digest of the candidate's image, where it was published.
        ordinal: which study of the head it is.
        worked_us: how long a slot took.
    """

    place: HeadPlace
    base: str | None
    tested: str | None
    source: str
    change: str | None = CHANGE
    image: Image | None = None
    ordinal: int = 1
    worked_us: int = MINUTE


def stand_in(what: str) -> HeadPlace:
    """Return a head whose real id was never published: an id that nothing else has."""
    return HeadPlace(REPOSITORY, sha256_hex(f"stand-in head: {what}".encode())[:40])


async def open_told(writer: Writer, document: ProtocolDocument, told: Told) -> OpenStudy:
    """Open the study as far as it was published."""
    candidates = [arm.id for arm in document.arms if arm.role == "candidate"]
    commits = {arm.id: told.tested if arm.id in candidates else told.base for arm in document.arms}
    ledger, signer = writer.header()
    private = "private candidate that integrates the head"
    shape = document.conditions.topology
    named = document.conditions.harness
    harness = next((one for one in named if one.name == _HARNESS), named[0])
    unknown = ModelPin(repository="not-published", revision=None)
    predicate = StudyPredicate(
        ledger=ledger,
        signer=signer,
        annotations={},
        repository=told.place.repository,
        protocol=sha256_hex(encode(document)),
        ordinal=told.ordinal,
        head=Head(commit=told.place.head, tree=None),
        base=told.base,
        change=told.change,
        exploratory=False,
        replay=Replay(source=told.source, not_published=_unpublished(document, told)),
        owners=OWNERS,
        arms={
            arm.id: ArmPin(
                commit=commits[arm.id],
                image=told.image if arm.id in candidates else None,
                settings=arm.settings,
                settings_digest=None,
                relation=private if arm.id in candidates and told.tested is None else None,
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


async def tell_one_slot(
    writer: Writer,
    document: ProtocolDocument,
    told: Told,
    capture: Capture,
    annotations: Mapping[str, str],
) -> None:
    """Open the study and fill the candidate's first slot, which it took some time to run."""
    study = await open_told(writer, document, told)
    taken = await writer.reserve(study, [first_slot(document, candidate_of(document))], host=HOST)
    writer.pass_time(told.worked_us)
    facts = ReceiptFacts(basis=DECLARED, tool=TOOL, annotations=annotations)
    await writer.push(study, taken, capture, facts)


def candidate_of(document: ProtocolDocument) -> str:
    """Return the arm that is being qualified."""
    return next(arm.id for arm in document.arms if arm.role == "candidate")


def first_slot(document: ProtocolDocument, arm: str) -> str:
    """Return the first slot of an arm."""
    return f"{arm}/{document.cells[0].id}/1"


def _unpublished(document: ProtocolDocument, told: Told) -> list[str]:
    """Return the members that were never published, as they stand in the study."""
    candidates = [arm.id for arm in document.arms if arm.role == "candidate"]
    others = [arm.id for arm in document.arms if arm.role != "candidate"]
    images = ["*"] if told.image is None else others
    commits = [*(candidates if told.tested is None else ()), *(others if told.base is None else ())]
    return [
        *_ALWAYS_UNPUBLISHED,
        *(f"arms.{arm}.image" for arm in images),
        *(f"arms.{arm}.commit" for arm in commits),
        *(["base"] if told.base is None else []),
    ]
