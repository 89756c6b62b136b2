# SPDX-License-Identifier: Apache-2.0
"""What a process forgets when it was asked for too much, and finds again unchanged."""

import pytest

from app.core.errors import UnknownThing
from app.service import standings as standings_module
from app.service.lines import HeadName
from app.service.resting import Resting
from app.service.standings import Standings
from tests import documents, facts
from tests.documents import DAY_US
from tests.drafts import HEAD, REPOSITORY
from tests.fakes import MemoryStore
from tests.ledgers import LiveLedger, founded, served

ROOM = 40


@pytest.fixture(autouse=True)
def _little_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(standings_module, "RESTING_ENTRIES", ROOM)


async def _known(live: LiveLedger) -> Standings:
    async with live.ledger.sequencer.newest() as found:
        return found


async def _ask_for_others(live: LiveLedger, *, repositories: bool = False) -> None:
    for n in range(2 * ROOM):
        repository = f"github.com/no/body-{n}" if repositories else REPOSITORY
        try:
            await live.ledger.standing(repository, documents.commit(f"nobody's {n}"))
        except UnknownThing:
            assert repositories


@pytest.mark.parametrize("repositories", [False, True])
async def test_asking_for_heads_without_end_fills_no_memory(
    begun: LiveLedger, *, repositories: bool
) -> None:
    await _ask_for_others(begun, repositories=repositories)
    known = await _known(begun)
    assert len(known.heads) <= ROOM
    assert len(known.repositories) <= ROOM + 1
    assert len(known.places) <= ROOM + 2  # the ledger's line and the repository's


async def test_a_forgotten_head_is_read_again_and_says_the_same(closed: LiveLedger) -> None:
    name = HeadName(REPOSITORY, HEAD)
    study = (await closed.study()).digest
    note = closed.make.deviation(study)
    await closed.send(note)
    before = await closed.head()
    await _ask_for_others(closed)
    known = await _known(closed)
    assert name not in known.heads
    assert name.line not in known.places
    assert not (await closed.send(note)).created  # it stood there before
    assert await closed.head() == before
    await _ask_for_others(closed)
    added = await closed.send(closed.make.deviation(study, what="Another."))
    assert (added.created, added.leaf.seq) == (True, before.length)


async def test_a_head_with_an_open_study_is_never_forgotten(opened: LiveLedger) -> None:
    await _ask_for_others(opened)
    assert HeadName(REPOSITORY, HEAD) in (await _known(opened)).heads
    opened.clock.at_us += 3 * DAY_US
    await opened.ledger.close_overdue()
    assert (await opened.study()).closure_index is not None


async def test_a_repository_is_kept_with_its_heads_and_forgotten_after_them(
    closed: LiveLedger,
) -> None:
    await _ask_for_others(closed, repositories=True)
    known = await _known(closed)
    assert REPOSITORY not in known.repositories
    assert not [one for one in known.heads if one.repository == REPOSITORY]
    assert (await closed.ledger.standing(REPOSITORY)).repository.policy is not None
    await closed.open()
    await _ask_for_others(closed, repositories=True)
    assert REPOSITORY in (await _known(closed)).repositories


async def test_what_others_append_to_a_forgotten_head_is_found(store: MemoryStore) -> None:
    make = await founded(store)
    async with (
        served(store, make=make) as one,
        served(MemoryStore(store.tables), make=make, clock=one.clock) as other,
    ):
        await one.begin()
        await one.open()
        await one.fill(facts.starved())
        study = (await other.study()).digest
        await _ask_for_others(other)
        assert HeadName(REPOSITORY, HEAD) not in (await _known(other)).heads
        await one.send(one.make.deviation(study))
        assert (await other.head()).length == (await one.head()).length


def test_the_last_name_stays_however_much_lies_under_it() -> None:
    resting = Resting(ROOM)
    large, small = HeadName(REPOSITORY, "a"), HeadName(REPOSITORY, "b")
    resting.rest(large, entries=10 * ROOM)
    assert list(resting.above_room()) == []
    resting.rest(small, entries=1)
    resting.touch(large)
    assert list(resting.above_room()) == [small]
    resting.wake(large)
    resting.rest(small, entries=ROOM - 1)
    assert list(resting.above_room()) == []
