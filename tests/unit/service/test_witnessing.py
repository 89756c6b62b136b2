# SPDX-License-Identifier: Apache-2.0
"""Witnesses that are slow, gone, wrong or lying cost their own line, and never a write."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from app.core.errors import IntegrityBroken, LedgerBusy
from app.core.identity import Role
from app.core.log.checkpoint import open_checkpoint
from app.core.log.cosignature import Witness, cosign, cosignatures_of
from app.core.log.note import NoteVerifier, parse_note
from app.core.verdict.bundle import read_bundle
from app.runner.cosigner import Cosigner
from app.runner.witness_state import WitnessState
from app.service import witnessing as subject
from app.service.ledger import Ledger
from app.service.witnessing import NamedWitness, Witnessing, WitnessSilent
from tests.drafts import HEAD, ORIGIN, REPOSITORY, signing_key
from tests.fakes import FakeClock, MemoryStore, ledger_keys
from tests.ledgers import LiveLedger, founded

LOG = NoteVerifier(ORIGIN, signing_key("checkpoint").public)
AT_S = 1_790_000_000
NAMED = tuple(
    NamedWitness(Witness(f"w{n}.example", signing_key(f"w{n}").public), f"https://w{n}.example")
    for n in range(2)
)
VKEYS = [one.witness.to_vkey() for one in NAMED]


@dataclass
class Memory:
    """Keeps cosignatures in memory."""

    notes: dict[str, bytes] = field(default_factory=dict)
    mine: bool = True
    full: bool = False

    def kept(self) -> Mapping[str, bytes]:
        return dict(self.notes)

    def keep(self, vkey: str, note: bytes) -> None:
        if self.full:
            raise OSError(28, "No space left on device")
        self.notes[vkey] = note

    def is_mine(self) -> bool:
        return self.mine


@dataclass
class Callers:
    """Real witnesses at the other end, save those that a test has something else to say for."""

    witnesses: dict[str, Cosigner]
    said: dict[str, tuple[int, bytes]] = field(default_factory=dict)
    asked: list[tuple[str, bytes]] = field(default_factory=list)

    async def add_checkpoint(self, url: str, body: bytes) -> tuple[int, bytes]:
        self.asked.append((url, body))
        if url in self.said:
            if not self.said[url][0]:
                raise WitnessSilent(url)
            return self.said[url]
        answer = self.witnesses[url].add_checkpoint(body)
        return answer.status, answer.body


@dataclass
class Watched:
    """A ledger, its witnesses, and what is kept of them."""

    live: LiveLedger
    witnessing: Witnessing
    memory: Memory
    callers: Callers

    @property
    def ledger(self) -> Ledger:
        return self.live.ledger

    async def ask(self) -> None:
        await self.witnessing.ask_all(self.ledger.checkpoint, self.ledger._consistency_proof)

    async def cosigners(self) -> list[str]:
        note = parse_note(await self.ledger.checkpoint())
        open_checkpoint(note.to_bytes(), LOG, origin=ORIGIN)
        return [one.witness.name for one in cosignatures_of(note, [n.witness for n in NAMED])]


@pytest.fixture
async def watched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Watched]:
    monkeypatch.setattr(subject, "LOOK_EVERY_S", 3600.0)
    store = MemoryStore()
    make = await founded(store)
    logs = {ORIGIN: (LOG,)}
    real = {
        one.url: Cosigner(
            one.witness.name,
            signing_key(f"w{n}"),
            logs,
            WitnessState(tmp_path / f"w{n}.json"),
            lambda: AT_S,
        )
        for n, one in enumerate(NAMED)
    }
    memory, callers = Memory(), Callers(real)
    witnessing = Witnessing(NAMED, caller=callers, store=memory)
    clock = FakeClock()
    ledger = Ledger(store, signer=ledger_keys(), clock=clock, witnessing=witnessing)
    await ledger.start()
    try:
        yield Watched(LiveLedger(ledger, make, clock), witnessing, memory, callers)
    finally:
        await ledger.stop()


async def test_r16_named_witnesses_cosign_every_checkpoint_that_continues(watched: Watched) -> None:
    assert await watched.cosigners() == []
    await watched.ask()
    assert await watched.cosigners() == ["w0.example", "w1.example"]
    await watched.live.register("maintainer", Role.MAINTAINER)
    assert await watched.cosigners() == []  # of another tree; nothing is said of this one yet
    sizes = [one.size for one in watched.ledger.witnesses()]
    await watched.ask()
    assert await watched.cosigners() == ["w0.example", "w1.example"]
    assert [one.size for one in watched.ledger.witnesses()] == [size + 1 for size in sizes]
    asked = len(watched.callers.asked)
    await watched.ask()
    assert len(watched.callers.asked) == asked  # all of them have seen it


async def test_r16_the_checkpoint_of_a_bundle_carries_the_cosignatures(watched: Watched) -> None:
    await watched.live.begin()
    await watched.live.open()
    await watched.ask()
    bundle = read_bundle(await watched.ledger.bundle(REPOSITORY, HEAD))
    note = parse_note(bundle.signed.checkpoint.encode())
    assert len(cosignatures_of(note, [one.witness for one in NAMED])) == 2


async def test_a_witness_that_knows_another_size_is_asked_again_from_there(
    watched: Watched,
) -> None:
    await watched.ask()
    await watched.live.register("maintainer", Role.MAINTAINER)
    watched.memory.notes.clear()  # the file was lost; nothing of the ledger was
    await watched.ask()
    assert await watched.cosigners() == ["w0.example", "w1.example"]


@pytest.mark.parametrize(
    "said",
    [
        (0, b""),
        (500, b"no"),
        (409, b"no size\n"),
        (409, b"100000\n"),
        (409, b"0\n"),
        (200, b"no line\n"),
        (200, "\u2014 w0.example AAAAAAAA\n".encode()),
        (200, "\u2014 other.example AAAAAAAA\n".encode()),
    ],
)
async def test_r16_a_witness_that_fails_costs_its_own_line_only(
    watched: Watched, said: tuple[int, bytes]
) -> None:
    watched.callers.said[NAMED[0].url] = said
    await watched.ask()
    assert await watched.cosigners() == ["w1.example"]
    await watched.live.register("maintainer", Role.MAINTAINER)
    before = [url for url, _ in watched.callers.asked].count(NAMED[0].url)
    await watched.ask()  # it is left alone for a while
    assert [url for url, _ in watched.callers.asked].count(NAMED[0].url) == before
    watched.callers.said.clear()
    await watched.ask()
    assert await watched.cosigners() == ["w0.example", "w1.example"]


async def test_r16_a_cosignature_of_another_text_is_not_kept(watched: Watched) -> None:
    line = cosign("another text\n", "w0.example", signing_key("w0"), at_s=AT_S)
    watched.callers.said[NAMED[0].url] = (200, line.to_line().encode())
    await watched.ask()
    assert VKEYS[0] not in watched.memory.notes


@pytest.mark.parametrize("spoilt", [b"", b"no note", None])
async def test_r07_a_damaged_file_of_cosignatures_is_one_that_holds_nothing(
    watched: Watched, spoilt: bytes | None
) -> None:
    await watched.ask()
    kept = watched.memory.notes[VKEYS[0]]
    watched.memory.notes[VKEYS[0]] = kept.replace(b"\n1\n", b"\n2\n") if spoilt is None else spoilt
    assert await watched.cosigners() == ["w1.example"]
    assert watched.ledger.witnesses()[0].cosigned is None
    unsigned = parse_note(kept)
    watched.memory.notes[VKEYS[0]] = unsigned.to_bytes().split("\u2014 w0".encode())[0]
    assert watched.ledger.witnesses()[0].cosigned is None


async def test_a_ledger_that_cannot_be_read_now_is_not_shown_to_anybody(watched: Watched) -> None:
    for error in (LedgerBusy("busy"), IntegrityBroken("broken")):

        async def fails(error: Exception = error) -> bytes:
            raise error

        await watched.witnessing.ask_all(fails, watched.ledger._consistency_proof)
    assert watched.callers.asked == []


async def test_the_process_that_may_ask_asks_and_a_full_disk_costs_nothing_else(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    rounds = 0

    async def sleep(_seconds: float) -> None:
        nonlocal rounds
        rounds += 1
        watched.memory.mine = rounds != 1
        watched.memory.full = rounds == 2
        if rounds == 4:
            raise LedgerBusy("enough")

    monkeypatch.setattr("app.service.witnessing.asyncio.sleep", sleep)
    with pytest.raises(LedgerBusy):
        await watched.witnessing.run(watched.ledger.checkpoint, watched.ledger._consistency_proof)
    assert await watched.cosigners() == ["w0.example", "w1.example"]


async def test_a_ledger_that_names_nobody_asks_nobody(tmp_path: Path) -> None:
    nobody = Witnessing((), caller=Callers({}), store=Memory())
    assert nobody.cosigned(b"any note") == b"any note"
    assert nobody.standings() == ()
    store = MemoryStore()
    await founded(store)
    ledger = Ledger(store, signer=ledger_keys(), clock=FakeClock(), witnessing=nobody)
    await ledger.start()
    await ledger.stop()
    await nobody.run(ledger.checkpoint, ledger._consistency_proof)
    plain = Ledger(store, signer=ledger_keys(), clock=FakeClock())
    assert plain.witnesses() == ()
