# SPDX-License-Identifier: Apache-2.0
"""What the ledger appends by itself, and when: closures, and verdicts that say something new."""

import asyncio

import pytest

from app.core.statement.encoding import encode
from app.core.statement.verdict import VerdictPredicate
from app.service import sequence
from tests import facts
from tests.documents import DAY_US
from tests.fakes import FakeClock, MemoryStore
from tests.ledgers import LiveLedger, founded, served


def kinds(store: MemoryStore) -> list[str]:
    return [row.kind for row in store.tables.leaves]


async def test_last_terminal_slot_closes_and_gives_verdicts_in_the_same_batch(
    opened: LiveLedger, store: MemoryStore
) -> None:
    await opened.fill()
    assert kinds(store)[-3:] == ["receipt", "closure", "verdict"]
    newest = store.tables.checkpoints[-1]
    assert newest.prev_size == newest.size - 3
    given = await opened.ledger.verdict(opened.make.repository, opened.make.head)
    (appended,) = (await opened.head()).words.values()
    assert appended.word == "QUALIFIED"
    assert b'"word":"QUALIFIED"' in given.document


async def test_appended_verdict_is_what_the_entries_below_it_give(
    opened: LiveLedger, store: MemoryStore
) -> None:
    await opened.send(
        opened.policy(claims=("land", "default"), supersedes=await opened.policy_in_force())
    )
    await opened.fill(facts.starved())
    found = 0
    for row in store.tables.leaves:
        if row.kind != "verdict":
            continue
        statement = await opened.ledger.statement(row.statement)
        assert statement.entry.parsed is not None
        predicate = statement.entry.parsed.predicate
        assert isinstance(predicate, VerdictPredicate)
        again = await opened.ledger.verdict(
            opened.make.repository,
            opened.make.head,
            claim=predicate.document.claim,
            at_size=row.index,
        )
        said, derived = predicate.document, again.document
        assert said.as_of.head == row.seq
        assert derived == encode(said)
        assert said.word == "NOT_QUALIFIED"
        found += 1
    assert found == 2


async def test_time_alone_closes_a_study_and_gives_a_verdict(
    opened: LiveLedger, store: MemoryStore
) -> None:
    await opened.reserve("A/C2-canary/1")
    opened.clock.at_us += 3 * DAY_US
    await opened.ledger.close_overdue()
    assert kinds(store)[-2:] == ["closure", "verdict"]
    size = len(store.tables.leaves)
    await opened.ledger.close_overdue()
    assert len(store.tables.leaves) == size


async def test_timer_closes_without_being_asked(
    store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sequence, "LOOK_EVERY_S", 0.01)
    make = await founded(store)
    async with served(store, make=make) as live:
        await live.begin()
        await live.open()
        live.clock.at_us += 3 * DAY_US
        async with asyncio.timeout(5):
            while kinds(store)[-1] != "verdict":  # noqa: ASYNC110  the fake clock has no event
                await asyncio.sleep(0.01)


async def test_overdue_study_is_closed_first_at_start(store: MemoryStore) -> None:
    make = await founded(store)
    async with served(store, make=make) as live:
        await live.begin()
        await live.open()
        clock = FakeClock(live.clock.at_us + 3 * DAY_US)
    async with served(store, make=make, clock=clock):
        assert kinds(store)[-2:] == ["closure", "verdict"]


async def test_second_study_appends_a_verdict_again_only_when_the_word_changes(
    opened: LiveLedger, store: MemoryStore
) -> None:
    await opened.fill()
    assert kinds(store).count("verdict") == 1
    await opened.open()
    assert kinds(store)[-2:] == ["study", "verdict"]
    await opened.reserve(*await opened.slots())
    assert kinds(store)[-1] == "reservation"


async def test_policy_appends_verdicts_of_every_judged_head(
    opened: LiveLedger, store: MemoryStore
) -> None:
    await opened.fill()
    opened.make.head = "b" * 40
    await opened.open()
    await opened.fill()
    before = kinds(store).count("verdict")
    stricter = opened.policy(claims=("land", "default"), supersedes=await opened.policy_in_force())
    await opened.send(stricter)
    assert kinds(store)[-3:] == ["policy", "verdict", "verdict"]
    assert kinds(store).count("verdict") == before + 2
