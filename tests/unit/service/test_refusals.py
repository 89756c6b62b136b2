# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a predicate is any value of it
"""When refused content is recorded, by whom, how often, and what of it."""

import asyncio
from typing import Any

import pytest

from app.core.errors import FairtrialError, NotSanitized, SchemaViolation
from app.core.identity import Role
from app.core.statement.refusal import RefusalPredicate
from tests.documents import DAY_US
from tests.drafts import Draft
from tests.fakes import MemoryStore
from tests.ledgers import LiveLedger

SECRET = "hf_" + "a1" * 16
SLOT = "A/C2-canary/1"


async def unsanitary(live: LiveLedger, slot: str = SLOT, **changes: Any) -> Draft:
    return await live.receipt(slot, claims={"note": f"token {SECRET}"}, **changes)


async def refused(live: LiveLedger, draft: Draft) -> None:
    with pytest.raises(NotSanitized):
        await live.send(draft)


async def refusals(live: LiveLedger) -> list[RefusalPredicate]:
    found = []
    for entry in await live.ledger.entries(limit=1000):
        assert entry.entry.parsed is not None
        predicate = entry.entry.parsed.predicate
        if isinstance(predicate, RefusalPredicate):
            found.append(predicate)
    return found


async def test_l15_refused_content_is_recorded_without_a_digest_and_the_slot_stays(
    opened: LiveLedger, store: MemoryStore
) -> None:
    await opened.reserve(*await opened.slots())
    await refused(opened, await unsanitary(opened))
    (one,) = await refusals(opened)
    assert (one.code, one.content, one.slot, one.attempt) == ("not-sanitized", None, SLOT, 1)
    assert SECRET not in repr(store.tables)
    assert (await opened.push(SLOT)).effect == "scored"


async def test_l15_fourth_refusal_of_an_attempt_writes_nothing(
    opened: LiveLedger, store: MemoryStore
) -> None:
    await opened.reserve(*await opened.slots())
    draft = await unsanitary(opened)
    for _ in range(3):
        await refused(opened, draft)
    size = len(store.tables.leaves)
    await refused(opened, draft)
    assert len(store.tables.leaves) == size
    assert [one.annotations for one in await refusals(opened)] == [
        {"refusal": str(nth)} for nth in (1, 2, 3)
    ]


async def test_many_refusals_at_once_are_three(opened: LiveLedger, store: MemoryStore) -> None:
    await opened.reserve(*await opened.slots())
    draft = await unsanitary(opened)
    answers = await asyncio.gather(*(opened.send(draft) for _ in range(9)), return_exceptions=True)
    assert {type(one) for one in answers} == {NotSanitized}
    assert len(await refusals(opened)) == 3
    assert SECRET not in repr(store.tables)


async def test_refused_content_for_a_slot_the_sender_does_not_hold_writes_nothing(
    opened: LiveLedger, store: MemoryStore
) -> None:
    await opened.register("runner-2", Role.RUNNER)
    slots = await opened.slots()
    await opened.reserve(*slots[:2])
    study = await opened.study()
    whole = {"study_digest": "0" * 64}
    drafts = [
        await unsanitary(opened, signer="runner-2"),
        await unsanitary(opened, challenge="0" * 64),
        await unsanitary(opened, reservation="0" * 64),
        await unsanitary(opened, attempt=2),
        await unsanitary(opened, **whole),
        # Of the chain's second slot the challenge is known, but the slot is another.
        await unsanitary(
            opened,
            slots[1],
            challenge=study.reservations[study.slots[SLOT].attempts[0].reservation].challenge,
        ),
    ]
    size = len(store.tables.leaves)
    for draft in drafts:
        with pytest.raises(FairtrialError):
            await opened.send(draft)
    opened.make.head = "b" * 40
    elsewhere = opened.make.receipt(
        study.predicate,
        drafts[0].capture or pytest.fail("a receipt has a capture"),
        study_digest=study.digest,
        reservation=study.slots[SLOT].attempts[0].reservation,
        slot=SLOT,
        challenge="0" * 64,
        claims={"note": SECRET},
    )
    await refused(opened, elsewhere)
    assert len(store.tables.leaves) == size


async def test_refused_content_for_a_slot_that_is_filled_or_abandoned_writes_nothing(
    opened: LiveLedger, store: MemoryStore
) -> None:
    slots = await opened.slots()
    await opened.reserve(*slots)
    filled = await unsanitary(opened)
    await opened.push(SLOT)
    size = len(store.tables.leaves)
    await refused(opened, filled)
    late = await unsanitary(opened, slots[1])
    opened.clock.at_us += DAY_US + DAY_US // 2
    await refused(opened, late)
    assert [row.kind for row in store.tables.leaves[size:]] == ["closure", "verdict"]


async def test_refused_content_of_a_key_whose_grant_ended_writes_nothing(
    opened: LiveLedger, store: MemoryStore
) -> None:
    await opened.reserve(*await opened.slots())
    await opened.register("runner", action="retire", reason="The laptop is replaced.")
    size = len(store.tables.leaves)
    await refused(opened, await unsanitary(opened))
    assert len(store.tables.leaves) == size


async def test_other_kinds_leave_no_trace_of_what_was_refused(
    opened: LiveLedger, store: MemoryStore
) -> None:
    size = len(store.tables.leaves)
    study = await opened.study()
    with pytest.raises(NotSanitized):
        await opened.send(opened.make.deviation(study.digest, what=f"token {SECRET}"))
    with pytest.raises(SchemaViolation):
        await opened.send(opened.make.deviation(study.digest), kind="policy")
    assert len(store.tables.leaves) == size
    assert SECRET not in repr(store.tables)
