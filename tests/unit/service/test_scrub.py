# SPDX-License-Identifier: Apache-2.0
"""The scrub that runs beside the service: round after round, and what was found stays found."""

import asyncio
import copy
from dataclasses import replace

import pytest

from app.core.errors import IntegrityBroken, LedgerBusy
from app.core.identity import instant_of
from app.service.read_log import LogReader
from app.service.scrub import Scrub
from app.service.stored_slice import Damage
from tests.fakes import MemoryStore
from tests.ledgers import LiveLedger, founded, served
from tests.unit.service.reforged import reforged

# ---- the scrub ----


async def test_scrub_goes_round_in_slices_and_begins_again(
    closed: LiveLedger, store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.service.scrub.SCRUB_SLICE", 4)
    positions = []
    for _ in range(6):
        positions.append((await closed.ledger.scrub()).position)
        if closed.ledger.scrubbed.rounds:
            break
    assert positions == [4, 8, 12, 0] or positions[-1] == 0
    assert closed.ledger.scrubbed.damage is None


async def test_scrub_finds_a_store_weakened_while_it_runs(
    closed: LiveLedger, store: MemoryStore
) -> None:
    store.weak = ("missing: trigger leaf_no_update",)
    await closed.ledger.scrub()
    (reason,) = await closed.ledger.unready()
    assert reason.rule == "weakened"
    store.weak = ()
    await closed.ledger.scrub()
    # What was found once stays found until somebody has looked.
    assert not await closed.ledger.is_ready()


async def test_scrub_waits_for_a_store_that_does_not_answer(
    closed: LiveLedger, store: MemoryStore
) -> None:
    store.down = LedgerBusy("gone", code="store-unavailable")
    assert (await closed.ledger.scrub()).damage is None
    store.down = IntegrityBroken("a page is damaged", code="store-damaged")
    assert (await closed.ledger.scrub()).damage == Damage(0, "store-damaged", "a page is damaged")


async def test_scrub_finds_records_that_are_not_the_trees(
    closed: LiveLedger, store: MemoryStore
) -> None:
    newest = store.tables.checkpoints[-1]
    state = await closed.ledger.to_scrub()
    other = reforged(store.tables, 2, at=instant_of(store.tables.leaves[1].at_us + 1))
    scrub = Scrub(MemoryStore(other), LogReader(MemoryStore(other)), closed.ledger.to_scrub)
    await scrub.step()
    assert scrub.state.damage is not None
    assert (scrub.state.damage.index, scrub.state.damage.code) == (0, "leaf-row")
    tables = copy.deepcopy(store.tables)
    tables.checkpoints[-1] = replace(newest, note=tables.checkpoints[0].note)
    scrub = Scrub(MemoryStore(tables), LogReader(MemoryStore(tables)), closed.ledger.to_scrub)
    await scrub.step()
    assert scrub.state.damage is not None
    assert scrub.state.damage.index == state.tree.size - 1


async def test_scrub_runs_beside_the_service(store: MemoryStore) -> None:
    make = await founded(store)
    async with served(store, make=make, scrub_pause_s=0.001) as live:
        await live.begin()
        async with asyncio.timeout(60):
            while live.ledger.scrubbed.rounds < 2:  # noqa: ASYNC110  the scrub has no event
                await asyncio.sleep(0.001)
        assert live.ledger.scrubbed.rounds > 1
        assert await live.ledger.is_ready()
