# SPDX-License-Identifier: Apache-2.0
"""The turn that a process takes after a lost batch: when it is taken, and who goes with it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from app.service import commit_batch
from app.service.answers import Appended
from app.service.ports import Batch, StoreUnavailable
from tests.fakes import MemoryAnchor, MemoryStore
from tests.ledgers import LiveLedger, founded, served


async def test_r19_turn_comes_first_where_others_append_and_no_longer(
    store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commit_batch, "COMPANY", 1)
    make = await founded(store)
    async with served(store, make=make) as one:
        await one.begin()
        await one.open()
        other_store = MemoryStore(store.tables)
        async with served(other_store, make=make, clock=one.clock) as other:
            study = await one.study()
            first, second, *rest = [
                make.reservation(study.digest, [slot]) for slot in await one.slots()
            ]
            await asyncio.gather(one.send(first), other.send(second))
            loser, store_of_it = (one, store) if store.turns else (other, other_store)
            assert store.turns + other_store.turns == 1
            # Its turn first, in which nobody else was seen: the next needs none.
            for draft in (rest[0], make.deviation(study.digest)):
                assert (await loser.send(draft)).created
                assert store_of_it.turns == 2


async def _loser(store: MemoryStore, one: LiveLedger, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let ``one`` lose a swap, so that it takes its turn from now on."""
    append = MemoryStore.append

    async def loses_once(self: MemoryStore, batch: Batch, *, has_turn: bool) -> bool:
        monkeypatch.setattr(MemoryStore, "append", append)
        return False

    monkeypatch.setattr(MemoryStore, "append", loses_once)
    await one.send(one.make.reservation((await one.study()).digest, [(await one.slots())[0]]))
    assert store.turns == 1


async def test_next_process_has_the_turn_before_this_one_has_written_its_anchor(
    store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    anchor, events = MemoryAnchor(), list[str]()
    make = await founded(store, anchor=anchor)
    async with served(store, make=make, anchor=anchor) as one:
        await one.begin()
        await one.open()
        await _loser(store, one, monkeypatch)

        @asynccontextmanager
        async def turn(_self: MemoryStore) -> AsyncIterator[None]:
            yield
            events.append("passed on")

        swap = MemoryAnchor.swap

        async def anchored(self: MemoryAnchor, old: bytes | None, new: bytes) -> bool:
            events.append("anchored")
            return await swap(self, old, new)

        monkeypatch.setattr(MemoryStore, "turn", turn)
        monkeypatch.setattr(MemoryAnchor, "swap", anchored)
        answer = await one.send(one.make.deviation((await one.study()).digest))
        assert events == ["passed on", "anchored"]
        assert anchor.note is not None
        assert f"\n{answer.size}\n" in anchor.note.decode()


async def test_turn_that_cannot_be_given_back_takes_no_answer_away(
    store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    make = await founded(store)
    async with served(store, make=make) as one:
        await one.begin()
        await one.open()
        await _loser(store, one, monkeypatch)

        @asynccontextmanager
        async def broken(_self: MemoryStore) -> AsyncIterator[None]:
            yield
            raise StoreUnavailable("the connection broke")

        monkeypatch.setattr(MemoryStore, "turn", broken)
        assert (await one.send(one.make.deviation((await one.study()).digest))).created


async def test_who_comes_while_the_turn_is_waited_for_joins_the_batch(
    store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    make = await founded(store)
    async with served(store, make=make) as one:
        await one.begin()
        await one.open()
        study = await one.study()
        _, first, late = [make.reservation(study.digest, [slot]) for slot in await one.slots()]
        await _loser(store, one, monkeypatch)
        before = len(store.tables.checkpoints)
        joins: list[asyncio.Task[Appended]] = []

        @asynccontextmanager
        async def slow(_self: MemoryStore) -> AsyncIterator[None]:
            joins.append(asyncio.create_task(one.send(late)))
            await asyncio.sleep(0.01)
            yield

        monkeypatch.setattr(MemoryStore, "turn", slow)
        answer = await one.send(first)
        assert (await joins[0]).size == answer.size
        assert len(store.tables.checkpoints) == before + 1
