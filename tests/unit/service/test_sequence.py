# SPDX-License-Identifier: Apache-2.0
"""The one write: what is answered and what enters."""

import asyncio

import pytest

from app.core.errors import (
    Conflict,
    SealedUntilClosure,
)
from app.core.log.leaf import challenge_of
from app.core.verdict.bundle import score_bundle
from app.service.answers import Appended
from tests import facts
from tests.documents import DAY_US
from tests.fakes import MemoryStore
from tests.ledgers import LiveLedger, assert_proven


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
        opened.send(opened.policy(supersedes=await opened.policy_in_force())), opened.send(draft)
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
