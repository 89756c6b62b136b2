# SPDX-License-Identifier: Apache-2.0
"""Statements for another place, again, or against what stands: the log stays as it was."""

import itertools
from typing import Any

from app.core.identity import Role
from tests import documents, facts
from tests.api.world import SLOTS, World, assert_refused
from tests.makers import Maker


async def test_r03_same_statement_again_is_the_same_index_and_nothing_is_written(
    world: World,
) -> None:
    await world.begin()
    study = await world.open()
    reserved = await world.reserve(study, SLOTS)
    draft = world.receipt(study, reserved, SLOTS[0])
    first = await world.put(draft)
    size = await world.size()
    for _ in range(3):
        again = await world.send("receipt", draft)
        assert again.status_code == 200
        assert (again.json()["index"], again.json()["leaf"]) == (first["index"], first["leaf"])
    assert await world.size() == size


async def test_l13_s07_receipt_for_any_other_audience_is_refused_and_writes_nothing(
    world: World,
) -> None:
    await world.begin()
    first = await world.open()
    second = await world.open(ordinal=2)
    held = await world.reserve(first, SLOTS)
    other = await world.reserve(second, SLOTS)
    size = await world.size()
    wrong: dict[str, Any] = {
        "study_digest": second.digest,
        "reservation": other.digest,
        "slot": SLOTS[1],
        "attempt": 2,
        "challenge": "0" * 64,
    }
    count = 0
    for n in range(1, len(wrong) + 1):
        for names in itertools.combinations(wrong, n):
            if set(names) == {"study_digest", "reservation", "challenge"}:
                continue
            changes = {name: wrong[name] for name in names}
            slot = str(changes.pop("slot", SLOTS[0]))
            draft = world.receipt(first, held, slot, **changes)
            answer = await world.send("receipt", draft)
            assert answer.status_code in {403, 404, 409, 422}, (names, answer.text)
            count += 1
    assert count >= 2**5 - 2
    assert await world.size() == size


async def test_l13_s07_receipt_for_another_head_ledger_or_tenant_is_refused(world: World) -> None:
    await world.begin()
    study = await world.open()
    held = await world.reserve(study, SLOTS)
    size = await world.size()
    makers = [
        Maker(origin=world.make.origin, genesis_digest=world.make.genesis_digest, head="b" * 40),
        Maker(origin="other.example/log", genesis_digest=world.make.genesis_digest),
        Maker(origin=world.make.origin, genesis_digest="0" * 64),
        Maker(
            origin=world.make.origin,
            genesis_digest=world.make.genesis_digest,
            repository="github.com/example-org/other",
        ),
    ]
    for maker in makers:
        draft = maker.receipt(
            study.predicate,
            facts.capture(),
            study_digest=study.digest,
            reservation=held.digest,
            slot=SLOTS[0],
            challenge=held.challenge,
        )
        answer = await world.send("receipt", draft)
        assert answer.status_code in {403, 404, 422}, answer.text
    assert await world.size() == size


async def test_receipt_by_another_runner_is_refused(world: World) -> None:
    await world.begin()
    await world.register("second", Role.RUNNER)
    study = await world.open(runners=("runner", "second"))
    held = await world.reserve(study, SLOTS)
    draft = world.receipt(study, held, SLOTS[0], signer="second")
    assert_refused(await world.send("receipt", draft), (403, "not-your-slot"))


async def test_second_reservation_of_a_slot_is_refused(world: World) -> None:
    await world.begin()
    study = await world.open()
    await world.reserve(study, SLOTS[:1])
    answer = await world.send("reservation", world.make.reservation(study.digest, SLOTS))
    assert_refused(answer, (409, "slot-taken"))


async def test_edited_protocol_under_the_same_name_and_version_is_refused(world: World) -> None:
    await world.begin()
    size = await world.size()
    edited = documents.document(question="Does it answer at all?")
    answer = await world.send("protocol", world.make.lock(edited))
    assert_refused(answer, (409, "locked"))
    for method in ("PUT", "PATCH", "DELETE"):
        digest = (await world.client.get("/v1/protocols")).json()["protocols"][0]["digest"]
        answer = await world.client.request(method, f"/v1/protocols/{digest}", content=b"{}")
        assert answer.status_code == 405
    assert await world.size() == size


async def test_l04_reserved_slot_cannot_be_released(world: World) -> None:
    await world.begin()
    study = await world.open()
    held = await world.reserve(study, SLOTS)
    size = await world.size()
    for path in (
        f"/v1/studies/{study.digest}/slots",
        f"/v1/studies/{study.digest}",
        f"/v1/statements/{held.digest}",
        "/v1/reservations",
    ):
        assert (await world.client.delete(path)).status_code == 405
    assert (await world.client.delete(f"/v1/reservations/{held.digest}")).status_code == 404
    assert [one["state"] for one in await world.slots(study)] == ["RESERVED"] * 3
    assert await world.size() == size
