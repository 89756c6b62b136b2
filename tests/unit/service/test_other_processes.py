# SPDX-License-Identifier: Apache-2.0
"""One store and several processes: every batch is admitted on the newest state, or not written."""

import asyncio
from collections.abc import Collection, Mapping
from typing import NoReturn

import pytest

from app.core.digest import sha256_hex
from app.core.errors import (
    FairtrialError,
    LedgerBusy,
    NotAllowed,
)
from app.core.identity import Role
from app.service import commit_batch, sequence
from app.service.ports import Batch, BlobRow, StoreUnavailable
from tests import documents, facts
from tests.documents import DAY_US
from tests.drafts import Draft
from tests.fakes import FakeClock, MemoryStore
from tests.ledgers import LiveLedger, assert_proven, founded, served


async def test_r19_lost_swap_admits_everything_again(store: MemoryStore) -> None:
    make = await founded(store)
    async with served(store, make=make) as one:
        await one.begin()
        await one.open()
        other_store = MemoryStore(store.tables)
        async with served(other_store, make=make, clock=one.clock) as other:
            study = await one.study()
            slot = (await one.slots())[0]
            mine = make.reservation(study.digest, [slot], host="driver-1")
            theirs = make.reservation(study.digest, [slot], host="driver-2")
            # Both admit against the same size; the second swap is lost and the slot is taken.
            answers = await asyncio.gather(
                one.send(mine), other.send(theirs), return_exceptions=True
            )
            assert sorted(type(answer).__name__ for answer in answers) == ["Appended", "Conflict"]
            assert store.turns + other_store.turns == 1
            assert await one.ledger.checkpoint() == await other.ledger.checkpoint()
            size = len(store.tables.leaves)
            assert [row.index for row in store.tables.leaves] == list(range(size))


async def test_key_registered_elsewhere_is_found(store: MemoryStore) -> None:
    make = await founded(store)
    async with (
        served(store, make=make) as one,
        served(MemoryStore(store.tables), make=make, clock=one.clock) as other,
    ):
        await one.begin()
        # The other process has not looked at the log since; it does when it knows no such key.
        assert (await other.send(make.lock(documents.document(name="other-canary")))).created
        with pytest.raises(FairtrialError, match="registered"):
            await other.send(make.policy(protocols=["a" * 64], signer="stranger"))


async def test_r19_refusal_is_decided_on_the_newest_state(store: MemoryStore) -> None:
    make = await founded(store)
    async with (
        served(store, make=make) as one,
        served(MemoryStore(store.tables), make=make, clock=one.clock) as other,
    ):
        await one.begin()
        await other.head()
        await one.open()
        draft = make.reservation((await one.study()).digest, ["A/C2-canary/1"])
        # The other process knows of no such study until it looks.
        assert (await other.send(draft)).created


async def test_study_opened_elsewhere_is_closed_here_when_its_process_died(
    store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sequence, "LOOK_EVERY_S", 0.01)
    make = await founded(store)
    async with served(store, make=make) as one:
        async with served(MemoryStore(store.tables), make=make, clock=one.clock) as other:
            await other.begin()
            await other.open()
        one.clock.at_us += 3 * DAY_US
        async with asyncio.timeout(5):
            while store.tables.leaves[-1].kind != "verdict":  # noqa: ASYNC110  the fake clock has no event
                await asyncio.sleep(0.01)


@pytest.mark.parametrize("lost", ["answer", "batch"])
async def test_r03_unknown_outcome_is_looked_up_in_the_chain(
    opened: LiveLedger, store: MemoryStore, lost: str
) -> None:
    if lost == "answer":
        store.lose_answers = 1
    else:
        store.fail = 1
    size = len(store.tables.leaves)
    answer = await opened.reserve(*await opened.slots())
    assert answer.created is (lost == "batch")
    assert (answer.index, len(store.tables.leaves)) == (size, size + 1)
    assert_proven(answer)


async def test_store_that_does_not_answer_is_503_and_nothing_is_lost(
    opened: LiveLedger, store: MemoryStore
) -> None:
    slots = await opened.slots()
    study = await opened.study()
    store.down = LedgerBusy("gone", code="store-unavailable")
    store.fail = 1
    draft = opened.make.reservation(study.digest, slots)
    with pytest.raises(LedgerBusy) as refused:
        await opened.send(draft)
    assert refused.value.code == "store-unavailable"
    assert not await opened.ledger.is_ready()
    store.down = None
    assert (await opened.send(draft)).created
    assert await opened.ledger.is_ready()


async def test_turn_that_cannot_be_taken_is_503(
    opened: LiveLedger, store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken() -> NoReturn:
        raise StoreUnavailable("gone")

    monkeypatch.setattr(MemoryStore, "turn", lambda _self: broken())
    store.fail = 1
    with pytest.raises(LedgerBusy) as refused:
        await opened.reserve("A/C2-canary/1")
    assert refused.value.code == "store-unavailable"


async def test_swap_lost_every_time_is_503(
    opened: LiveLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def never(_self: MemoryStore, _batch: Batch, *, has_turn: bool) -> bool:
        return False

    monkeypatch.setattr(commit_batch, "MAX_SWAPS", 3)
    monkeypatch.setattr(MemoryStore, "append", never)
    with pytest.raises(LedgerBusy) as refused:
        await opened.reserve("A/C2-canary/1")
    assert refused.value.code == "contended"


async def test_r14_r20_time_never_goes_back_and_a_clock_far_behind_stops_appending(
    opened: LiveLedger, store: MemoryStore
) -> None:
    opened.clock.at_us += 3_600_000_000
    await opened.register("runner-2")
    before = store.tables.leaves[-1].at_us
    opened.clock.at_us -= 60_000_000
    await opened.register("runner-3")
    assert store.tables.leaves[-1].at_us == before
    opened.clock.at_us -= 3_600_000_000
    with pytest.raises(LedgerBusy) as refused:
        await opened.register("runner-4")
    assert refused.value.code == "clock"
    opened.clock.at_us += 3_600_000_000
    assert (await opened.register("runner-4")).created
    times = [row.at_us for row in store.tables.leaves]
    assert times == sorted(times)


async def test_r20_process_with_a_clock_far_behind_starts_and_reads(store: MemoryStore) -> None:
    make = await founded(store)
    async with served(store, make=make, clock=FakeClock(0)) as live:
        assert await live.size() == 1
        with pytest.raises(LedgerBusy):
            await live.register("maintainer", Role.MAINTAINER)


async def test_r19_key_laid_down_elsewhere_is_refused_here(store: MemoryStore) -> None:
    make = await founded(store)
    async with (
        served(store, make=make) as one,
        served(MemoryStore(store.tables), make=make, clock=one.clock) as other,
    ):
        await one.begin()
        await one.open()
        await other.size()
        await one.register("runner", action="retire", reason="The laptop is replaced.")
        with pytest.raises(NotAllowed):
            await other.reserve("A/C2-canary/1")


# ---- captures that others' receipts name ----


async def receipts_for_all(one: LiveLedger) -> list[Draft]:
    """Reserve every slot by itself and return a receipt for each, none of them sent."""
    slots = await one.slots()
    for slot in slots:
        await one.reserve(slot)
    captures = [facts.capture(boot_id=f"boot-{n}") for n, _ in enumerate(slots)]
    return [await one.receipt(*each) for each in zip(slots, captures, strict=True)]


def captures_asked_for(store: MemoryStore, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the digests of the captures that are read from ``store`` from now on."""
    asked: list[str] = []
    blobs = MemoryStore.blobs

    async def noted(self: MemoryStore, digests: Collection[str]) -> Mapping[str, BlobRow]:
        if self is store:
            asked.extend(digests)
        return await blobs(self, digests)

    monkeypatch.setattr(MemoryStore, "blobs", noted)
    return asked


async def test_captures_of_others_receipts_are_read_when_the_study_may_be_closed(
    store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    make = await founded(store)
    async with served(store, make=make) as one:
        await one.begin()
        await one.open()
        first, second, third = await receipts_for_all(one)
        asked = captures_asked_for(store, monkeypatch)
        async with served(MemoryStore(store.tables), make=make, clock=one.clock) as other:
            assert (await other.send(first)).effect == "scored"
            assert (await one.send(second)).effect == "scored"
            assert asked == []
            assert (await one.send(third)).effect == "scored"
            assert asked == [sha256_hex(first.capture_bytes)]
            assert await one.head() == await other.head()
        kinds = [row.kind for row in store.tables.leaves[-2:]]
        assert kinds == ["closure", "verdict"]


@pytest.mark.parametrize("reads", ["deviation", "head"])
async def test_captures_of_others_receipts_are_read_before_anything_else_is_said(
    store: MemoryStore, monkeypatch: pytest.MonkeyPatch, reads: str
) -> None:
    make = await founded(store)
    async with served(store, make=make) as one:
        await one.begin()
        await one.open()
        study = await one.study()
        first, second, _ = await receipts_for_all(one)
        asked = captures_asked_for(store, monkeypatch)
        async with served(MemoryStore(store.tables), make=make, clock=one.clock) as other:
            await other.send(first)
            await one.send(second)
            assert asked == []
            if reads == "deviation":
                await one.send(make.deviation(study.digest))
            assert await one.head() == await other.head()
            assert asked == [sha256_hex(first.capture_bytes)]
