# SPDX-License-Identifier: Apache-2.0
"""A writer that is full, stopped, cancelled or at fault: everybody is answered, nothing is lost."""

import asyncio
from typing import NoReturn

import pytest

from app.core.errors import (
    IntegrityBroken,
    LedgerBusy,
)
from app.service.answers import Appended
from app.service.ledger import Ledger
from app.service.sequence import Capacity
from tests.fakes import FakeClock, MemoryStore, ledger_keys
from tests.ledgers import LiveLedger, founded


async def test_r17_full_queue_is_503_and_drops_nothing(
    opened: LiveLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opened.ledger.sequencer, "_capacity", Capacity(max_waiting=2))
    study = await opened.study()
    slots = await opened.slots()
    drafts = [opened.make.reservation(study.digest, [slot]) for slot in slots]
    answers = await asyncio.gather(
        *(opened.send(draft) for draft in drafts), return_exceptions=True
    )
    busy = [one for one in answers if isinstance(one, LedgerBusy)]
    assert [one.code for one in busy] == ["ledger-busy"]
    assert sum(isinstance(one, Appended) for one in answers) == 2


async def test_stopped_ledger_takes_nothing_and_finishes_what_waits(store: MemoryStore) -> None:
    make = await founded(store)
    live = LiveLedger(Ledger(store, signer=ledger_keys(), clock=FakeClock()), make)
    assert not await live.ledger.is_ready()
    await live.ledger.start()
    draft = make.key("runner", checkpoint=await live.checkpoint())
    waiting = asyncio.create_task(live.send(draft))
    await asyncio.sleep(0)
    await live.ledger.stop()
    assert (await waiting).created
    with pytest.raises(LedgerBusy):
        await live.send(draft)
    await live.ledger.stop()


async def test_ledger_that_could_not_start_can_be_stopped(
    store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(_self: object) -> NoReturn:
        message = "damage"
        raise IntegrityBroken(message, code="rollback")

    await founded(store)
    monkeypatch.setattr("app.service.sequence.Sequencer.close_overdue", broken)
    ledger = Ledger(store, signer=ledger_keys(), clock=FakeClock())
    with pytest.raises(IntegrityBroken):
        await ledger.start()
    await ledger.stop()
    assert not store.is_open


async def test_fault_in_our_own_code_fails_one_statement_and_writing_goes_on(
    opened: LiveLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = await opened.study()
    slots = await opened.slots()
    bad, *good = [opened.make.reservation(study.digest, [slot]) for slot in slots]
    admission = opened.ledger.sequencer._commit._admission
    take = admission.take

    async def faulty(draft: object, candidate: object) -> object:
        if candidate.parsed.digest == bad.digest:  # type: ignore[attr-defined]
            message = "a bug"
            raise ZeroDivisionError(message)
        return await take(draft, candidate)  # type: ignore[arg-type]

    monkeypatch.setattr(admission, "take", faulty)
    answers = await asyncio.gather(
        *(opened.send(draft) for draft in (good[0], bad, good[1])), return_exceptions=True
    )
    assert [type(one) for one in answers] == [Appended, ZeroDivisionError, Appended]
    assert await opened.ledger.is_ready()


async def test_fault_that_is_nobodys_stops_writing_until_a_person_acts(
    opened: LiveLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    def faulty(*_: object, **__: object) -> NoReturn:
        message = "a bug"
        raise ZeroDivisionError(message)

    monkeypatch.setattr(opened.ledger.sequencer._commit, "_log_time", faulty)
    with pytest.raises(IntegrityBroken):
        await opened.reserve("A/C2-canary/1")
    assert not await opened.ledger.is_ready()
    with pytest.raises(LedgerBusy):
        await opened.reserve("A/C2-canary/1")


async def test_statement_that_breaks_what_follows_it_is_left_out(
    opened: LiveLedger, monkeypatch: pytest.MonkeyPatch, store: MemoryStore
) -> None:
    admission = opened.ledger.sequencer._commit._admission
    settle = admission._settle
    study = await opened.study()
    slots = await opened.slots()
    bad, *good = [opened.make.reservation(study.digest, [slot]) for slot in slots]

    async def faulty(draft: object, name: object) -> None:
        if draft.place_of(bad.parsed) is not None:  # type: ignore[attr-defined]
            message = "it does not add up"
            raise IntegrityBroken(message, code="ledger-unbalanced")
        await settle(draft, name)  # type: ignore[arg-type]

    monkeypatch.setattr(admission, "_settle", faulty)
    answers = await asyncio.gather(
        *(opened.send(draft) for draft in (good[0], bad, good[1])), return_exceptions=True
    )
    assert [type(one) for one in answers] == [Appended, IntegrityBroken, Appended]
    assert bad.digest not in store.tables.statements


async def test_caller_that_went_away_is_not_answered(opened: LiveLedger) -> None:
    study = await opened.study()
    draft = opened.make.reservation(study.digest, ["A/C2-canary/1"])
    waiting = asyncio.create_task(opened.send(draft))
    await asyncio.sleep(0)
    waiting.cancel()
    await opened.register("runner-2")
    assert waiting.cancelled()


async def test_cancelled_writer_answers_those_who_wait(opened: LiveLedger) -> None:
    sequencer = opened.ledger.sequencer
    assert sequencer._task is not None
    async with sequencer._lock:
        waiting = asyncio.create_task(opened.reserve("A/C2-canary/1"))
        await asyncio.sleep(0.01)
        sequencer._task.cancel()
        await asyncio.sleep(0.01)
    with pytest.raises((IntegrityBroken, LedgerBusy)):
        await waiting
