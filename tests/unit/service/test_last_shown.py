# SPDX-License-Identifier: Apache-2.0
"""Threat R06: nothing is served from a store that does not go on from what was shown."""

import copy

import pytest
from typing_extensions import override

from app.core.errors import Conflict, IntegrityBroken, LedgerBusy
from app.core.log.checkpoint import Checkpoint, sign_checkpoint
from app.service.last_shown import LastShown, checkpoint_of
from app.service.ports import StoreUnavailable
from tests.fakes import FakeClock, MemoryAnchor, MemoryStore, ledger_keys
from tests.ledgers import founded, served


def note(size: int, fill: int = 7) -> bytes:
    keys = ledger_keys()
    return sign_checkpoint(Checkpoint(keys.origin, size, bytes([fill]) * 32), [keys.checkpoint])


async def test_every_answer_stands_in_the_anchor_first(store: MemoryStore) -> None:
    anchor = MemoryAnchor()
    make = await founded(store, anchor=anchor)
    async with served(store, make=make, anchor=anchor) as live:
        await live.begin()
        assert anchor.note == await live.ledger.checkpoint()
        assert anchor.note == store.tables.checkpoints[-1].note


async def test_r06_store_set_back_does_not_start_and_signs_nothing(store: MemoryStore) -> None:
    anchor = MemoryAnchor()
    make = await founded(store, anchor=anchor)
    old = copy.deepcopy(store.tables)
    async with served(store, make=make, anchor=anchor) as live:
        await live.begin()
    with pytest.raises(IntegrityBroken) as refused:
        async with served(MemoryStore(old), make=make, anchor=anchor):
            pytest.fail("it must not start")
    assert refused.value.code == "rollback"
    assert len(old.checkpoints) == 1


async def test_r06_store_set_back_under_a_running_process_is_not_ready(
    store: MemoryStore,
) -> None:
    anchor = MemoryAnchor()
    make = await founded(store, anchor=anchor)
    old = copy.deepcopy(store.tables)
    async with served(store, make=make, anchor=anchor) as live:
        await live.begin()
        store.tables = old
        (reason,) = await live.ledger.unready()
        assert reason.rule == "rollback"
        with pytest.raises(IntegrityBroken):
            await live.ledger.checkpoint()


async def test_r06_fork_is_told_from_a_rollback(store: MemoryStore) -> None:
    anchor = MemoryAnchor()
    make = await founded(store, anchor=anchor)
    anchor.note = note(1)
    with pytest.raises(IntegrityBroken) as refused:
        async with served(store, make=make, anchor=anchor):
            pytest.fail("it must not start")
    assert refused.value.code == "fork"


@pytest.mark.parametrize(("stands", "code"), [(None, "no-anchor"), (b"no note", "anchor")])
async def test_r06_nothing_that_tells_what_was_shown_is_no_start(
    store: MemoryStore, stands: bytes | None, code: str
) -> None:
    make = await founded(store)
    with pytest.raises(IntegrityBroken) as refused:
        async with served(store, make=make, anchor=MemoryAnchor(stands)):
            pytest.fail("it must not start")
    assert refused.value.code == code


async def test_root_that_cannot_be_anchored_is_shown_to_nobody(store: MemoryStore) -> None:
    anchor = MemoryAnchor()
    make = await founded(store, anchor=anchor)
    async with served(store, make=make, anchor=anchor) as live:
        before = await live.ledger.checkpoint()
        draft = make.key("maintainer", checkpoint=await live.checkpoint())
        anchor.down = StoreUnavailable("disk")
        for _ in range(2):
            with pytest.raises(LedgerBusy) as busy:
                await live.send(draft)
            assert busy.value.code == "store-unavailable"
        with pytest.raises(LedgerBusy):
            await live.ledger.checkpoint()
        assert [one.rule for one in await live.ledger.unready()] == ["store-unavailable"]
        assert anchor.note == before
        anchor.down = None
        answer = await live.send(draft)
        # It was durable all the time, and is acknowledged once its root is anchored.
        assert (answer.created, answer.index, len(store.tables.leaves)) == (False, 1, 2)
        other = await live.register("runner")
        assert other.index == 2
        assert await live.ledger.is_ready()


async def test_start_needs_an_anchor_that_can_be_read(store: MemoryStore) -> None:
    shown = LastShown(store, MemoryAnchor(note(1), down=StoreUnavailable("disk")))
    with pytest.raises(LedgerBusy):
        await shown.refuse_other_store()


async def test_processes_share_one_anchor_and_only_ever_move_it_on(store: MemoryStore) -> None:
    anchor = MemoryAnchor()
    make = await founded(store, anchor=anchor)
    other_store = MemoryStore(store.tables)
    async with (
        served(store, make=make, anchor=anchor) as one,
        served(other_store, make=make, anchor=anchor) as two,
    ):
        for label in ("a", "b", "c"):
            await one.register(f"runner-{label}")
            await two.register(f"runner-{label}{label}")
            assert anchor.note == store.tables.checkpoints[-1].note
        # The first has not looked since; what it then shows is what the second anchored.
        assert await one.ledger.checkpoint() == anchor.note
        behind = store.tables.checkpoints[2]
        shown = LastShown(store, anchor)
        await shown.refuse_other_store()
        anchor.note, newest = store.tables.checkpoints[3].note, anchor.note
        await shown.advance(behind)
        assert anchor.note == store.tables.checkpoints[3].note
        anchor.note = newest


async def test_founding_cut_short_goes_on_and_a_lost_log_is_not_begun_again() -> None:
    cut_short = MemoryAnchor(note(1))
    await founded(MemoryStore(), anchor=cut_short)
    assert cut_short.note is not None
    assert checkpoint_of(cut_short.note).size == 1
    with pytest.raises(Conflict) as refused:
        await founded(MemoryStore(), anchor=MemoryAnchor(note(9)))
    assert refused.value.code == "ledger-exists"


async def test_founding_that_another_was_faster_at_is_refused() -> None:
    class Raced(MemoryAnchor):
        @override
        async def swap(self, old: bytes | None, new: bytes) -> bool:
            return False

    store = MemoryStore()
    with pytest.raises(Conflict):
        await founded(store, anchor=Raced())
    assert store.tables.checkpoints == []


async def test_r08_weakened_store_does_not_start(store: MemoryStore) -> None:
    make = await founded(store)
    store.weak = ("missing: trigger leaf_no_update",)
    with pytest.raises(IntegrityBroken, match="leaf_no_update") as refused:
        async with served(store, make=make):
            pytest.fail("it must not start")
    assert refused.value.code == "weakened"


async def test_r02_process_that_could_not_append_is_not_ready_for_a_while(
    store: MemoryStore,
) -> None:
    make = await founded(store)
    async with served(store, make=make, clock=FakeClock()) as live:
        store.fail = 3
        with pytest.raises(LedgerBusy) as busy:
            await live.register("runner")
        assert busy.value.code == "store-unavailable"
        assert [one.rule for one in await live.ledger.unready()] == ["store-unavailable"]
        live.clock.at_us += 31_000_000
        assert await live.ledger.is_ready()
        assert live.ledger.sequencer.trouble is None
        store.fail = 3
        with pytest.raises(LedgerBusy):
            await live.register("runner")
        assert (await live.register("runner")).index == 1
        assert await live.ledger.is_ready()
        await live.ledger.sequencer.stop()
        assert [one.rule for one in await live.ledger.unready()] == ["stopping"]
