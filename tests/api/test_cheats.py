# SPDX-License-Identifier: Apache-2.0
"""Ways of getting a green word without the evidence, over HTTP: none of them works."""

from typing import Any

import pytest

from app.core.identity import Role, Scope, instant_of
from app.core.protocol.parse import document_digest
from app.core.protocol.plan import plan
from tests import documents, facts
from tests.api.people_world import begun, codes, document, run, set_policy
from tests.api.world import SLOTS, World, assert_refused
from tests.claims import in_blocks
from tests.documents import commit

HOUR_US = 3_600_000_000


async def test_l01_good_half_of_a_study_gives_no_word_and_nothing_of_it_is_shown(
    world: World,
) -> None:
    await begun(world)
    study = await world.open()
    reserved = await world.reserve(study, SLOTS)
    reserved.slots = SLOTS[:2]
    await world.push_all(study, reserved)
    found = await document(world)
    assert (found["word"], found["reasons"][0]["code"]) == ("HOLD", "OPEN_STUDY")
    assert found["studies"][0]["judgements"] == []
    receipts = [one["attempts"][0]["receipts"] for one in await world.slots(study)]
    assert [len(one) for one in receipts] == [1, 1, 0]
    capture = documents.digest("no such capture")
    assert_refused(await world.client.get(f"/v1/captures/{capture}"), (404, "unknown-capture"))
    bundle = (await world.client.get(f"{world.head_path}/bundle")).text
    assert '"record":"capture"' not in bundle


async def test_l02_running_again_until_it_passes_lifts_nothing_and_says_so(world: World) -> None:
    await begun(world)
    await run(world, facts.starved())
    await run(world, ordinal=2)
    found = await document(world)
    assert (found["word"], found["conflicting"]) == ("NOT_QUALIFIED", True)
    assert found["attempt"] == {"k": 2, "n": 2}


async def test_l05_only_the_key_that_reserved_fills_the_slot(world: World) -> None:
    await begun(world)
    study = await world.open()
    reserved = await world.reserve(study, SLOTS)
    size = await world.size()
    other = world.receipt(study, reserved, SLOTS[0], signer="second-runner")
    assert_refused(await world.send("receipt", other), (403, "not-your-slot"))
    assert await world.size() == size


async def test_l05_another_listed_key_fills_no_slot_and_an_unlisted_one_takes_none(
    world: World,
) -> None:
    await begun(world)
    await world.register("third-runner", Role.RUNNER)
    study = await world.open(runners=["runner", "second-runner"])
    reserved = await world.reserve(study, SLOTS[:1])
    size = await world.size()
    for label in ("second-runner", "third-runner"):
        receipt = world.receipt(study, reserved, SLOTS[0], signer=label)
        assert_refused(await world.send("receipt", receipt), (403, "not-your-slot"))
    unlisted = world.make.reservation(study.digest, SLOTS[1:2], signer="third-runner")
    assert_refused(await world.send("reservation", unlisted), (403, "not-a-runner"))
    assert await world.size() == size
    # The arms may come from two machines: each key fills what it has reserved.
    await world.reserve(study, SLOTS[1:2], signer="second-runner")


@pytest.mark.parametrize(
    ("started", "finished"),
    [(HOUR_US, None), (None, -HOUR_US), (-HOUR_US, HOUR_US), (1, 0)],
    ids=["begins in an hour", "ended before it was reserved", "both", "ends before it begins"],
)
async def test_l09_receipt_with_a_clock_of_its_own_is_kept_in_its_place_and_invalid(
    world: World, started: int | None, finished: int | None
) -> None:
    await begun(world)
    world.clock.at_us += 2 * HOUR_US  # so that nothing here is before the lock
    study = await world.open()
    reserved = await world.reserve(study, SLOTS[:1])
    now, size = world.clock.now_us(), await world.size()
    said: dict[str, Any] = {
        "started_at": None if started is None else instant_of(now + started),
        "finished_at": None if finished is None else instant_of(now + finished),
    }
    answer = await world.put(world.receipt(study, reserved, SLOTS[0], **said))
    assert (answer["index"], answer["effect"]) == (size, "scored")
    await world.put(world.make.deviation(study.digest, ends_study=True))
    found = await document(world)
    slot = next(one for one in found["studies"][0]["slots"] if one["slot"] == SLOTS[0])
    assert (slot["state"], slot["reasons"]) == ("INVALID", ["CLOCK"])
    entries = (await world.client.get("/v1/log/entries")).json()["entries"]
    times = [one["at"] for one in entries]
    assert times == sorted(times)


async def test_study_whose_attempts_have_spent_its_alpha_is_refused_with_the_number_it_needs(
    world: World,
) -> None:
    world.document = in_blocks()
    await begun(world)
    study = await world.open()
    first, second = (slot.id for slot in plan(world.document)[:2])
    await world.reserve(study, [first, second])
    again = world.study_draft(ordinal=2)
    answer = await world.send("study", again)
    assert_refused(answer, (409, "alpha-spent"))
    (finding,) = answer.json()["errors"]
    assert finding["detail"].endswith("7 units can.")
    await world.open(ordinal=2, exploratory=True)


async def test_slot_out_of_the_order_of_its_block_is_refused_and_the_next_one_named(
    world: World,
) -> None:
    world.document = in_blocks()
    await begun(world)
    study = await world.open()
    planned = [slot.id for slot in plan(world.document)]
    assert [one["slot"] for one in await world.slots(study)] == planned
    early = world.make.reservation(study.digest, planned[1:2])
    answer = await world.send("reservation", early)
    assert_refused(answer, (409, "out-of-order"))
    assert answer.json()["detail"].endswith(f"the next is {planned[0]}.")
    await world.reserve(study, planned[:3])
    await world.reserve(study, planned[3:4])


async def test_l06_locked_protocol_is_never_changed_in_place(world: World) -> None:
    await begun(world)
    path = f"/v1/protocols/{document_digest(world.document)}"
    for method in ("PATCH", "PUT", "DELETE"):
        answer = await world.client.request(method, path)
        assert_refused(answer, (405, "method-not-allowed"))
    edited = documents.document(question="Is anything at all answered?")
    assert_refused(await world.send("protocol", world.make.lock(edited)), (409, "locked"))


async def test_l20_evidence_of_one_scope_establishes_no_other(world: World) -> None:
    await begun(world, policy=False)
    speed = documents.document(name="speed", scopes=(Scope.PERFORMANCE,))
    cpu = documents.document(name="cpu-checks", scopes=(Scope.CPU,))
    for one in (speed, cpu):
        await world.put(world.make.lock(one))
    await set_policy(world, speed, scopes=(Scope.PERFORMANCE,))
    world.document = cpu
    await run(world)
    found = await document(world)
    assert [(one["scope"], one["state"]) for one in found["scopes"]] == [("cpu", "PASS")]
    (required,) = found["required"]
    assert (required["scope"], required["state"], required["reason"]) == (
        "performance",
        "NOT_RUN",
        "NO_STUDY",
    )
    assert found["word"] == "HOLD"


async def test_l27_gates_that_moved_hold_this_head_and_free_a_new_commit(world: World) -> None:
    await begun(world)
    await run(world)
    later = documents.document(version=2)
    before = document_digest(world.document)
    await world.put(world.make.lock(later, supersedes=before))
    await set_policy(world, documents.document(), later)
    world.document = later
    await run(world, ordinal=2)
    assert await codes(world) == ["GATES_MOVED_AFTER_RESULT"]
    world.make.head = commit("new")
    await run(world)
    assert (await document(world))["word"] == "QUALIFIED"


async def test_l28_scope_that_failed_is_not_dropped_with_the_next_policy(world: World) -> None:
    await begun(world, policy=False)
    both = documents.document(name="both", scopes=(Scope.LIVE_CORRECTNESS, Scope.PERFORMANCE))
    await world.put(world.make.lock(both))
    await set_policy(world, both, scopes=(Scope.LIVE_CORRECTNESS, Scope.PERFORMANCE))
    world.document = both
    await run(world, facts.starved())
    await set_policy(world, both, scopes=(Scope.LIVE_CORRECTNESS,))
    found = await document(world)
    assert found["word"] == "NOT_QUALIFIED"
    assert {one["scope"] for one in found["required"]} == {"live_correctness", "performance"}


async def test_exploratory_study_is_shown_and_counts_for_nothing(world: World) -> None:
    await begun(world)
    await run(world, facts.starved(), exploratory=True)
    found = await document(world)
    assert [one["counting"] for one in found["studies"]] == ["exploratory"]
    assert [one["code"] for one in found["reasons"]] == ["SCOPE_NOT_PASS"]


async def test_void_study_is_no_evidence_and_each_further_one_counts(world: World) -> None:
    await begun(world)
    for ordinal in (1, 2, 3):
        study = await world.open(ordinal=ordinal)
        await world.put(world.make.deviation(study.digest, ends_study=True))
    found = await document(world)
    assert [one["counting"] for one in found["studies"]] == ["void", "void", "counts"]


async def test_several_claims_of_one_head_have_a_word_each(world: World) -> None:
    await begun(world, policy=False)
    await set_policy(world, claims=["land", "default-chunk0"])
    await run(world)
    for claim in ("land", "default-chunk0"):
        assert (await document(world, claim))["word"] == "QUALIFIED"
    every = (await world.client.get(world.head_path)).json()["verdicts"]
    assert [one["claim"] for one in every] == ["land", "default-chunk0"]
