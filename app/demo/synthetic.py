# SPDX-License-Identifier: Apache-2.0
"""A made-up repository with one head for every word: no figure here was measured anywhere.

Each head differs from the qualified one in a single thing, so that its page shows what that thing
does to the word.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from msgspec.structs import replace

from app.core.digest import sha256_hex
from app.core.identity import Scope
from app.core.protocol.cells import repetitions_of
from app.core.statement.capture import StreamsCapture
from app.core.statement.encoding import encode
from app.core.statement.gate_record import GateRecord
from app.core.statement.policy import Claim, RequiredScope
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
    StudyPredicate,
    StudyTopology,
)
from app.demo.captures import answered, starved
from app.demo.clock import DAY, HOUR, ScriptedClock
from app.demo.facts import OBSERVED, ReceiptFacts
from app.demo.writer import OpenStudy, Taken, Writer
from app.runner.compose import HeadPlace

REPOSITORY: Final = "synthetic.example/fairtrial/demo"
CLAIM: Final = "land"
OWNERS: Final = Owners(
    maintainer="synthetic-maintainer", author="synthetic-author", runner="synthetic-runner"
)
TOKENS: Final = 256
_CANDIDATE: Final = "B"
_HOST: Final = "spark-1"
_NOTE: Final = {"synthetic": "every figure of this receipt is made up"}


def _made_up(what: str) -> str:
    """Return a commit id that belongs to nothing."""
    return sha256_hex(f"fairtrial synthetic demo: {what}".encode())[:40]


@dataclass(frozen=True, slots=True)
class Told:
    """One study, and the one thing that is wrong with it.

    Attributes:
        tested: the candidate's commit where it is not the head.
        starved_in: the arm whose first slot starves the newcomer.
        stale_rank_in: the arm whose second rank runs another image.
    """

    head: str
    change: str
    ordinal: int = 1
    tested: str | None = None
    starved_in: str | None = None
    stale_rank_in: str | None = None


@dataclass(frozen=True, slots=True)
class Heads:
    """The heads, by what each of them shows."""

    qualified: str = _made_up("qualified")
    not_qualified: str = _made_up("not qualified")
    open_slots: str = _made_up("open slots")
    rank_mismatch: str = _made_up("rank mismatch")
    abandoned: str = _made_up("abandoned slot")
    other_commit: str = _made_up("other commit")
    gates_moved: str = _made_up("gates moved")
    conflicting: str = _made_up("conflicting")


HEADS: Final = Heads()
_BASE: Final = _made_up("base")


class SyntheticStory:
    """Writes the heads, one after the other."""

    def __init__(self, writer: Writer, document: ProtocolDocument) -> None:
        """Tell it under ``document``, version 1."""
        self._writer = writer
        self._document = document
        self._policy: str | None = None

    async def begin(self) -> None:
        """Lock the protocol and name the claim."""
        digest = await self._writer.lock(REPOSITORY, self._document)
        await self._set_policy([digest])

    async def write_closed(self) -> None:
        """Write every head whose studies are over."""
        await self._full(Told(HEADS.qualified, "1"))
        await self._full(Told(HEADS.not_qualified, "2", starved_in=_CANDIDATE))
        await self._full(Told(HEADS.rank_mismatch, "3", stale_rank_in=_CANDIDATE))
        await self._abandoned(Told(HEADS.abandoned, "4"))
        await self._full(Told(HEADS.other_commit, "5", tested=_made_up("another commit")))
        await self._full(Told(HEADS.conflicting, "6", starved_in=_CANDIDATE))
        await self._full(Told(HEADS.conflicting, "6", ordinal=2))
        await self._gates_moved()

    async def write_open(self) -> None:
        """Open a study, fill one slot of it and leave another reserved."""
        study = await self._open(Told(HEADS.open_slots, "8"), self._document)
        taken = await self._writer.reserve(study, self._slots("A"), host=_HOST)
        await self._writer.push(study, taken, _good("boot-a-1", 1), _facts())

    async def _full(self, told: Told, document: ProtocolDocument | None = None) -> None:
        """Fill every slot of a study, which closes it."""
        study = await self._open(told, document or self._document)
        slots = [slot for arm in study.document.order for slot in self._slots(arm)]
        taken = await self._writer.reserve(study, slots, host=_HOST)
        for slot in slots:
            await self._fill(study, taken, told, slot)
        self._writer.pass_time(HOUR)

    async def _abandoned(self, told: Told) -> None:
        """Leave the candidate's last slot reserved until its deadline is over."""
        study = await self._open(told, self._document)
        for arm in study.document.order:
            slots = self._slots(arm)
            taken = await self._writer.reserve(study, slots, host=_HOST)
            for slot in slots[:-1] if arm == _CANDIDATE else slots:
                await self._fill(study, taken, told, slot)
        self._writer.pass_time(self._document.reservation.allowance_us + HOUR)

    async def _fill(self, study: OpenStudy, taken: Taken, told: Told, slot: str) -> None:
        arm, _, number = slot.split("/")
        boot = f"boot-{arm.lower()}-{number}"
        is_first = number == "1"
        capture = (
            starved(boot=boot, incumbent_tokens=TOKENS)
            if arm == told.starved_in and is_first
            else _good(boot, int(number))
        )
        facts = _facts(stale_rank=1 if arm == told.stale_rank_in else None)
        await self._writer.push(study, taken, capture, facts)

    async def _gates_moved(self) -> None:
        """Pass under version 2, which was locked when version 1 had been reserved here."""
        await self._full(Told(HEADS.gates_moved, "7"))
        later = replace(self._document, version=2, gates=_looser(self._document))
        first = sha256_hex(encode(self._document))
        reason = "Synthetic: a limit was doubled when a result under the first one was known."
        second = await self._writer.lock(REPOSITORY, later, supersedes=first, reason=reason)
        await self._set_policy([first, second])
        await self._full(Told(HEADS.gates_moved, "7", ordinal=2), later)

    async def _set_policy(self, protocols: Sequence[str]) -> None:
        required = RequiredScope(scope=Scope.LIVE_CORRECTNESS, protocols=list(protocols))
        claim = Claim(
            name=CLAIM,
            question="Synthetic: may this source land with defaults unchanged?",
            required=[required],
        )
        self._policy = await self._writer.set_policy(REPOSITORY, [claim], supersedes=self._policy)

    async def _open(self, told: Told, applied: ProtocolDocument) -> OpenStudy:
        ledger, signer = self._writer.header()
        shape = applied.conditions.topology
        harness = applied.conditions.harness[0]
        predicate = StudyPredicate(
            ledger=ledger,
            signer=signer,
            annotations=dict(_NOTE),
            repository=REPOSITORY,
            protocol=sha256_hex(encode(applied)),
            ordinal=told.ordinal,
            head=Head(commit=told.head, tree=_made_up(f"tree of {told.head}")),
            base=_BASE,
            change=told.change,
            exploratory=False,
            replay=None,
            owners=OWNERS,
            arms={
                arm.id: ArmPin(
                    commit=(told.tested or told.head) if arm.role == "candidate" else _BASE,
                    image=_image("candidate" if arm.role == "candidate" else "control"),
                    settings=arm.settings,
                    settings_digest=sha256_hex(b"synthetic settings, salted"),
                    relation="another commit than the head" if told.tested is not None else None,
                )
                for arm in applied.arms
            },
            models=ModelPins(
                target=ModelPin(repository="synthetic/model", revision=_made_up("model")),
                draft=None,
            ),
            topology=StudyTopology(
                tensor_parallel=shape.tensor_parallel,
                draft_tensor_parallel=None,
                nodes=shape.nodes,
                hosts=["spark-1", "spark-2"],
                gpu_model=shape.gpu_model,
            ),
            harness=HarnessPin(
                name=harness.name,
                version=harness.version,
                sha256=sha256_hex(b"synthetic harness"),
            ),
            runners=[self._writer.runner],
            closes_at=self._writer.now(after_us=min(2 * DAY, applied.window.max_us) - HOUR),
        )
        return await self._writer.open(predicate, applied)

    def _slots(self, arm: str) -> list[str]:
        cell = self._document.cells[0]
        return [f"{arm}/{cell.id}/{number}" for number in range(1, repetitions_of(cell) + 1)]


async def write_synthetic(
    writer: Writer, document: ProtocolDocument, clock: ScriptedClock, *, open_at_us: int
) -> None:
    """Write every head; the one with open slots last, at ``open_at_us``, so that it stays open."""
    story = SyntheticStory(writer, document)
    await story.begin()
    await story.write_closed()
    clock.advance_to(open_at_us)
    await story.write_open()


def _looser(document: ProtocolDocument) -> list[GateRecord]:
    """Return the gates with every bound on a time doubled."""
    return [
        replace(
            gate, comparison=replace(gate.comparison, limit=str(2 * int(gate.comparison.limit)))
        )
        if gate.kind == "bound" and gate.comparison and gate.comparison.limit
        else gate
        for gate in document.gates
    ]


def places() -> dict[HeadPlace, str]:
    """Return the heads in the order they are worth reading, each with what it shows."""
    shown = {
        HEADS.qualified: "QUALIFIED: every slot and every gate",
        HEADS.not_qualified: "NOT_QUALIFIED: the newcomer starves in one slot of the candidate",
        HEADS.open_slots: "HOLD: the study is open and its captures are sealed",
        HEADS.rank_mismatch: "HOLD: one rank ran another image",
        HEADS.abandoned: "HOLD: a reserved slot was left",
        HEADS.other_commit: "HOLD: another commit was tested",
        HEADS.gates_moved: "HOLD: the gates moved after a result",
        HEADS.conflicting: "NOT_QUALIFIED and CONFLICTING: one study fails what another passes",
    }
    return {HeadPlace(REPOSITORY, head): what for head, what in shown.items()}


def _image(what: str) -> Image:
    return Image(digest="sha256:" + sha256_hex(f"synthetic image: {what}".encode()), of="manifest")


def _good(boot: str, number: int) -> StreamsCapture:
    return answered(boot=boot, incumbent_tokens=TOKENS, first_us=2_400_000 + 37_000 * number)


def _facts(*, stale_rank: int | None = None) -> ReceiptFacts:
    return ReceiptFacts(
        basis=OBSERVED,
        tool=Tool(name="fairtrial-demo", version="0.1.0"),
        annotations=_NOTE,
        stale_image_on_rank=stale_rank,
    )
