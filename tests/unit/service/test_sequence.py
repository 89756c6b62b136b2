# SPDX-License-Identifier: Apache-2.0
"""The one write: what is answered, what enters, what follows by itself, and what others may do."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import NoReturn

import pytest

from app.core.errors import (
    Conflict,
    FairtrialError,
    IntegrityBroken,
    LedgerBusy,
    NotAllowed,
    SealedUntilClosure,
)
from app.core.identity import Role
from app.core.log.checkpoint import parse_checkpoint
from app.core.log.leaf import challenge_of
from app.core.log.merkle import verify_inclusion
from app.core.log.note import parse_note
from app.core.statement.encoding import encode
from app.core.statement.verdict import VerdictPredicate
from app.core.verdict.bundle import score_bundle
from app.service import commit_batch, sequence
from app.service.answers import Appended
from app.service.ledger import Ledger
from app.service.ports import Batch, StoreUnavailable
from app.service.sequence import Capacity
from tests import documents, facts
from tests.documents import DAY_US
from tests.fakes import FakeClock, MemoryStore, ledger_keys
from tests.ledgers import LiveLedger, founded, served


def assert_proven(answer: Appended) -> None:
    checkpoint = parse_checkpoint(parse_note(answer.checkpoint.encode()).text)
    assert checkpoint.size == answer.size
    verify_inclusion(
        answer.leaf.hash(),
        index=answer.index,
        size=answer.size,
        proof=answer.proof,
        root=checkpoint.root,
    )


def kinds(store: MemoryStore) -> list[str]:
    return [row.kind for row in store.tables.leaves]


async def test_every_answer_proves_itself_and_indices_are_dense(live: LiveLedger) -> None:
    await live.begin()
    opened = await live.open()
    reserved = await live.reserve(*await live.slots())
    answers = [opened, reserved, *[await live.push(slot) for slot in await live.slots()]]
    for answer in answers:
        assert answer.created
        assert_proven(answer)
    assert [one.index for one in answers] == list(range(5, 10))
    assert reserved.challenge == challenge_of(reserved.leaf)
    assert opened.challenge is None
    assert [one.effect for one in answers] == ["accepted", "accepted", *["scored"] * 3]


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
    await opened.send(opened.policy(claims=("land", "default"), supersedes=await _policy(opened)))
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


async def _policy(live: LiveLedger) -> str:
    policy = (await live.ledger.standing(live.make.repository)).repository.policy
    assert policy is not None
    return policy.digest


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
    stricter = opened.policy(claims=("land", "default"), supersedes=await _policy(opened))
    await opened.send(stricter)
    assert kinds(store)[-3:] == ["policy", "verdict", "verdict"]
    assert kinds(store).count("verdict") == before + 2


async def test_l13_r03_same_statement_again_is_the_same_index_and_writes_nothing(
    opened: LiveLedger, store: MemoryStore
) -> None:
    await opened.reserve(*await opened.slots())
    draft = await opened.receipt("A/C2-canary/1")
    first = await opened.send(draft)
    size = len(store.tables.leaves)
    again = await opened.send(draft)
    assert len(store.tables.leaves) == size
    assert (again.created, again.index, again.effect) == (False, first.index, "scored")
    assert again.leaf == first.leaf
    assert_proven(again)
    both = await asyncio.gather(
        opened.send(opened.policy(supersedes=await _policy(opened))), opened.send(draft)
    )
    assert [one.created for one in both] == [True, False]


async def test_same_statement_twice_in_one_batch_enters_once(opened: LiveLedger) -> None:
    study = await opened.study()
    draft = opened.make.reservation(study.digest, await opened.slots())
    one, two = await asyncio.gather(opened.send(draft), opened.send(draft))
    assert {one.created, two.created} == {True, False}
    assert one.index == two.index
    assert two.challenge == one.challenge


async def test_effect_of_a_statement_that_stands_is_what_it_counts_as_now(
    opened: LiveLedger,
) -> None:
    slots = await opened.slots()
    await opened.reserve(*slots)
    late = await opened.receipt(slots[0])
    warm = await opened.receipt(slots[1], facts.warmup_failed())
    await opened.send(warm)
    opened.clock.at_us += DAY_US + DAY_US // 2
    await opened.send(late)
    assert (await opened.send(late)).effect == "late"
    assert (await opened.send(warm)).effect == "not_measured"


async def test_second_different_receipt_is_kept_and_conflicts(opened: LiveLedger) -> None:
    slots = await opened.slots()
    await opened.reserve(*slots)
    first = await opened.receipt(slots[0])
    second = await opened.receipt(slots[0], facts.starved())
    assert (await opened.send(first)).effect == "scored"
    assert (await opened.send(second)).effect == "conflicting"
    assert (await opened.send(second)).effect == "conflicting"


async def test_refused_statement_leaves_the_others_of_its_batch_alone(
    opened: LiveLedger, store: MemoryStore
) -> None:
    study = await opened.study()
    slots = await opened.slots()
    drafts = [
        opened.make.reservation(study.digest, [slots[0]]),
        opened.make.reservation(study.digest, [slots[0]], host="driver-2"),
        opened.make.reservation(study.digest, [slots[1]]),
    ]
    answers = await asyncio.gather(
        *(opened.send(draft) for draft in drafts), return_exceptions=True
    )
    assert [type(one) for one in answers] == [Appended, Conflict, Appended]
    assert store.appends == len(store.tables.checkpoints)


async def test_waiting_statements_form_one_batch(opened: LiveLedger, store: MemoryStore) -> None:
    study = await opened.study()
    before = len(store.tables.checkpoints)
    slots = await opened.slots()
    await asyncio.gather(
        *(opened.send(opened.make.reservation(study.digest, [slot])) for slot in slots)
    )
    assert len(store.tables.checkpoints) - before < len(slots)
    assert [row.index for row in store.tables.leaves] == list(range(len(store.tables.leaves)))


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


async def test_r19_turn_comes_first_where_others_append_and_no_longer(store: MemoryStore) -> None:
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


async def test_who_comes_while_the_turn_is_waited_for_joins_the_batch(
    store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    make = await founded(store)
    async with served(store, make=make) as one:
        await one.begin()
        await one.open()
        study = await one.study()
        lost, first, late = [make.reservation(study.digest, [slot]) for slot in await one.slots()]
        append = MemoryStore.append

        async def loses_once(self: MemoryStore, batch: Batch) -> bool:
            monkeypatch.setattr(MemoryStore, "append", append)
            return False

        monkeypatch.setattr(MemoryStore, "append", loses_once)
        await one.send(lost)
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
            while kinds(store)[-1] != "verdict":  # noqa: ASYNC110  the fake clock has no event
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
    async def never(_self: MemoryStore, _batch: Batch) -> bool:
        return False

    monkeypatch.setattr(commit_batch, "MAX_SWAPS", 3)
    monkeypatch.setattr(MemoryStore, "append", never)
    with pytest.raises(LedgerBusy) as refused:
        await opened.reserve("A/C2-canary/1")
    assert refused.value.code == "contended"


async def test_r20_time_never_goes_back_and_a_clock_far_behind_stops_appending(
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


async def test_full_queue_is_503_and_drops_nothing(
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


async def test_bundle_scores_to_the_served_bytes_open_and_closed(opened: LiveLedger) -> None:
    repository, head = opened.make.repository, opened.make.head
    await opened.reserve(*await opened.slots())
    for slot in await opened.slots():
        await opened.push(slot)
        bundle = await opened.ledger.bundle(repository, head)
        served_now = await opened.ledger.verdicts(repository, head)
        assert score_bundle(bundle) == {one.claim: one.document for one in served_now}


async def test_captures_are_sealed_until_closure(opened: LiveLedger) -> None:
    slots = await opened.slots()
    await opened.reserve(*slots)
    draft = await opened.receipt(slots[0])
    await opened.send(draft)
    digest = draft.parsed.predicate.capture.sha256  # type: ignore[union-attr]
    with pytest.raises(SealedUntilClosure):
        await opened.ledger.capture(digest)
    for slot in slots[1:]:
        await opened.push(slot)
    assert await opened.ledger.capture(digest) == draft.capture_bytes


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
