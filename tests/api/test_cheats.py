# SPDX-License-Identifier: Apache-2.0
"""Ways of getting a green word without the evidence, over HTTP: none of them works."""

from app.core.identity import Scope
from app.core.protocol.parse import document_digest
from tests import documents, facts
from tests.api.people_world import begun, codes, document, run, set_policy
from tests.api.world import SLOTS, World, assert_refused
from tests.documents import commit


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
