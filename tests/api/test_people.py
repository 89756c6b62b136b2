# SPDX-License-Identifier: Apache-2.0
"""Reviews, holds, decisions and refs over HTTP, and keys that are doubted or laid down."""

import json

import pytest

from app.core.digest import to_base64
from app.core.identity import Role
from app.core.statement.decision import Through
from app.core.verdict.bundle import score_bundle
from tests import facts
from tests.api.people_world import begun, codes, document, doubt, run, set_policy
from tests.api.world import SLOTS, World, assert_refused
from tests.documents import commit
from tests.drafts import signing_key
from tests.makers import Maker
from tests.people import applies_to, clear, decision, hold, ref, review, waiver


@pytest.mark.parametrize("kind", ["review", "hold", "decision", "ref"])
async def test_each_kind_has_a_route_that_answers_with_its_place_and_again_with_the_same(
    world: World, kind: str
) -> None:
    await begun(world)
    draft = {
        "review": review(world.make),
        "hold": hold(world.make),
        "decision": decision(world.make),
        "ref": ref(world.make, commit("base")),
    }[kind]
    answer = await world.put(draft)
    assert (answer["kind"], answer["effect"]) == (kind, "accepted")
    again = await world.send(kind, draft)
    assert (again.status_code, again.json()["index"]) == (200, answer["index"])


async def test_hold_over_a_change_appends_the_word_of_each_of_its_heads_again(world: World) -> None:
    await begun(world)
    await run(world)
    size = await world.size()
    placed = await world.put(hold(world.make, applies_to(changes=["180"])))
    assert placed["line"] == f"repo:{world.make.repository}"
    assert await world.size() == size + 2
    entries = (await world.client.get(f"/v1/log/entries?cursor={size}")).json()["entries"]
    assert [one["kind"] for one in entries] == ["hold", "verdict"]
    about = applies_to(changes=["180"])
    await world.put(clear(world.make, placed["statement"], about))
    assert await codes(world) == ["ALL_SCOPES_PASS"]
    assert await world.size() == size + 4
    assert await codes(world, at=size + 2) == ["HOLD_IN_FORCE"]


async def test_l12_ref_with_another_tip_makes_the_base_stale_and_at_keeps_the_earlier_word(
    world: World,
) -> None:
    await begun(world, policy=False)
    await set_policy(world, tracked_branch="main")
    await run(world)
    first = await world.put(ref(world.make, commit("base")))
    assert (await document(world))["word"] == "QUALIFIED"
    size = await world.size()
    moved = ref(world.make, commit("moved"), supersedes=first["statement"])
    await world.put(moved)
    found = await document(world)
    assert (found["word"], found["base"]["state"]) == ("HOLD", "STALE")
    assert found["base"]["tip"] == commit("moved")
    assert (await document(world, at=size))["word"] == "QUALIFIED"
    refs = (await world.client.get(f"/v1/repos/{world.make.repository}")).json()["refs"]
    assert [one["tip"] for one in refs] == [commit("base"), commit("moved")]


async def test_l24_decision_over_a_fail_changes_no_computed_byte(world: World) -> None:
    await begun(world)
    await run(world, facts.starved())
    before = await document(world)
    await world.put(waiver(world.make))
    through = Through(change="309", head=None, claim="land")
    await world.put(decision(world.make, decided="landed_through", through=through))
    after = await document(world)
    assert [one["decided"] for one in after["decisions"]] == ["waived", "landed_through"]
    for found in (before, after):
        del found["decisions"], found["as_of"]
    assert json.dumps(before) == json.dumps(after)


async def test_head_of_a_known_change_has_a_word_and_its_holds_before_any_evidence(
    world: World,
) -> None:
    await begun(world)
    await run(world)
    await world.put(hold(world.make, applies_to(changes=["180"]), author_action_now="rebase"))
    pushed = commit("pushed later")
    await world.put(ref(world.make, pushed, branch="topic", change="180"))
    change = (await world.client.get(f"/v1/repos/{world.make.repository}/changes/180")).json()
    assert change["heads"] == [pushed, world.make.head]
    world.make.head = pushed
    found = await document(world)
    assert [one["code"] for one in found["reasons"]] == ["HOLD_IN_FORCE", "SCOPE_NOT_PASS"]
    assert (found["change"], found["studies"]) == ("180", [])
    assert found["next_action"]["person"] == "plotarmordev"
    assert found["author_action_now"] == "rebase"
    bundle = (await world.client.get(f"{world.head_path}/bundle")).content
    served = await world.client.get(f"{world.head_path}?claim=land")
    assert score_bundle(bundle) == {"land": served.content}


async def test_change_that_only_a_ref_names_has_its_head_and_no_study(world: World) -> None:
    await begun(world)
    await world.put(ref(world.make, commit("first push"), branch="topic", change="7"))
    change = (await world.client.get(f"/v1/repos/{world.make.repository}/changes/7")).json()
    assert (change["heads"], change["studies"]) == ([commit("first push")], [])


async def test_change_that_nothing_names_is_not_found(world: World) -> None:
    await begun(world)
    answer = await world.client.get(f"/v1/repos/{world.make.repository}/changes/7")
    assert_refused(answer, (404, "unknown-change"))


async def test_s08_suspicion_by_one_admin_is_refused_and_by_two_taints_what_stands(
    world: World,
) -> None:
    await begun(world)
    await run(world)
    assert_refused(await doubt(world, "runner", signers=("admin",)), (401, "threshold"))
    assert (await document(world))["word"] == "QUALIFIED"
    size = await world.size()
    assert (await doubt(world, "runner")).status_code == 201
    entries = (await world.client.get(f"/v1/log/entries?cursor={size}")).json()["entries"]
    assert [one["kind"] for one in entries] == ["key", "verdict"]
    found = await document(world)
    assert (found["word"], found["reasons"][0]["code"]) == ("HOLD", "TAINTED")
    shown = found["studies"][0]["slots"]
    assert [len(one["attempts"][0]["tainted"]) for one in shown] == [1, 1, 1]
    assert [one["state"] for one in shown] == ["COMPLETE"] * 3


async def test_s08_doubted_admin_taints_what_the_keys_it_registered_signed_anywhere(
    world: World,
) -> None:
    await begun(world)
    await world.register("third", Role.ADMIN)
    await run(world)
    answer = await doubt(world, "admin", Role.ADMIN, signers=("second", "third"))
    assert answer.status_code == 201, answer.text
    assert (await codes(world))[0] == "TAINTED"


async def test_s08_upload_after_the_revocation_is_refused_whatever_its_own_clock_says(
    world: World,
) -> None:
    await begun(world)
    study = await world.open()
    reserved = await world.reserve(study, SLOTS)
    late = world.receipt(study, reserved, SLOTS[0], started_at="2020-01-01T00:00:00Z")
    assert (await doubt(world, "runner", since=await world.size())).status_code == 201
    assert_refused(await world.send("receipt", late), (403, "key-revoked"))


async def test_s15_fingerprint_stands_once_and_the_answer_names_no_other_tenant(
    world: World,
) -> None:
    await begun(world)
    elsewhere = Maker(genesis_digest=world.make.genesis_digest, repository="github.com/other/place")
    draft = elsewhere.key("runner", Role.RUNNER, checkpoint=await world.checkpoint())
    answer = await world.send("key", draft)
    assert_refused(answer, (409, "key-in-use"))
    told = json.dumps(answer.json())
    assert world.make.repository not in told
    assert signing_key("runner").key_id not in told


@pytest.mark.parametrize("alg", ["none", "HS256", "RS256", "ES256"])
async def test_s06_algorithm_comes_from_the_registered_key_and_from_nothing_sent(
    world: World, alg: str
) -> None:
    await begun(world)
    size = await world.size()
    envelope = json.loads(review(world.make).json)
    told = json.loads(json.dumps(envelope))
    told["signatures"][0]["alg"] = alg
    answer = await world.send_envelope("review", json.dumps(told).encode())
    assert answer.status_code in {400, 422}
    for header in ("jwk", "jku", "x5u", "x5c"):
        told["signatures"][0] = {**envelope["signatures"][0], header: "https://evil.example/keys"}
        answer = await world.send_envelope("review", json.dumps(told).encode())
        assert_refused(answer, (422, "unknown-member"))
    confused = json.loads(json.dumps(envelope))
    public = signing_key("reviewer").public.der
    confused["signatures"][0]["sig"] = to_base64(public)
    answer = await world.send_envelope("review", json.dumps(confused).encode())
    assert_refused(answer, (401, "bad-signature"), (400, "base64"), (401, "not-authenticated"))
    headers = {"authorization": f"Bearer {alg}", "jku": "https://evil.example/keys"}
    answer = await world.client.post("/v1/reviews", content=b"{}", headers=headers)
    assert answer.status_code in {400, 401, 415, 422}
    assert await world.size() == size
