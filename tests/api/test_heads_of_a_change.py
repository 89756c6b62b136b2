# SPDX-License-Identifier: Apache-2.0
"""Heads by a short name, and what each claim says of one, over HTTP."""

from msgspec.structs import replace

from app.core.identity import Scope
from app.core.protocol.parse import document_digest
from app.core.statement.policy import Claim, PolicyPredicate, RequiredScope
from tests import documents, facts
from tests.api.people_world import begun, codes, document, run, set_policy
from tests.api.world import World, assert_refused
from tests.documents import commit
from tests.people import ref


async def test_head_that_only_a_ref_names_is_found_by_its_first_seven_characters(
    world: World,
) -> None:
    await begun(world)
    pushed = commit("pushed later")
    await world.put(ref(world.make, pushed, branch="topic", change="180"))
    base = f"/v1/repos/{world.make.repository}/heads"
    answer = await world.client.get(f"{base}/{pushed[:7]}?claim=land")
    assert (answer.status_code, answer.headers["location"]) == (307, f"{base}/{pushed}?claim=land")
    page = await world.client.get(f"/r/{world.make.repository}/heads/{pushed[:12]}")
    assert page.headers["location"] == f"/r/{world.make.repository}/heads/{pushed}"
    nobody = await world.client.get(f"{base}/{'0' * 12}")
    assert_refused(nobody, (404, "unknown-head"))


async def test_short_name_that_two_heads_share_is_ambiguous(world: World) -> None:
    await begun(world)
    await run(world)
    twin = world.make.head[:8] + "0" * 32
    await world.put(ref(world.make, twin, branch="topic", change="180"))
    base = f"/v1/repos/{world.make.repository}/heads"
    both = await world.client.get(f"{base}/{world.make.head[:8]}")
    assert_refused(both, (409, "ambiguous-prefix"))
    one = await world.client.get(f"{base}/{world.make.head[:9]}")
    assert one.headers["location"] == world.head_path


async def test_claims_of_one_head_differ_where_they_ask_for_more(world: World) -> None:
    await begun(world, policy=False)
    speed = documents.document(name="speed", scopes=(Scope.PERFORMANCE,))
    await world.put(world.make.lock(speed))
    live = RequiredScope(
        scope=Scope.LIVE_CORRECTNESS, protocols=[document_digest(documents.document())]
    )
    fast = RequiredScope(scope=Scope.PERFORMANCE, protocols=[document_digest(speed)])
    claims = [
        Claim(name="land", question="May the source land?", required=[live]),
        Claim(name="default", question="May it be the default?", required=[live, fast]),
    ]
    policy = world.make.policy(protocols=[document_digest(speed)]).parsed.predicate
    assert isinstance(policy, PolicyPredicate)
    predicate = replace(policy, claims=claims)
    await world.put(world.make.draft("policy", predicate, "maintainer", subject=_subject(world)))
    await run(world)
    assert (await document(world, "land"))["word"] == "QUALIFIED"
    assert (await document(world, "default"))["word"] == "HOLD"
    assert await codes(world, "default") == ["SCOPE_NOT_PASS"]
    required = (await document(world, "default"))["required"]
    assert [(one["scope"], one["state"]) for one in required] == [
        ("live_correctness", "PASS"),
        ("performance", "NOT_RUN"),
    ]


def _subject(world: World) -> tuple[str, str]:
    name = world.make.repository
    return name, documents.digest(name)


async def test_evidence_for_another_commit_is_shown_and_establishes_nothing_here(
    world: World,
) -> None:
    await begun(world)
    other = commit("private candidate")
    arms = {arm.id: facts.pin(arm.id, head=world.make.head) for arm in world.document.arms}
    arms["B"] = replace(arms["B"], commit=other, relation="A private integration of it.")
    await run(world, arms=arms)
    found = await document(world)
    (study,) = found["studies"]
    assert (study["tested"], study["tests_head"]) == (other, False)
    assert [one["state"] for one in study["scopes"]] == ["PASS"]
    (required,) = found["required"]
    assert (required["state"], required["reason"]) == ("NOT_RUN", "OTHER_COMMIT")
    assert found["word"] == "HOLD"


async def test_scopes_of_every_policy_since_the_first_study_are_required(world: World) -> None:
    await begun(world, policy=False)
    speed = documents.document(name="speed", scopes=(Scope.PERFORMANCE,))
    await world.put(world.make.lock(speed))
    await set_policy(world, world.document)
    await run(world)
    assert (await document(world))["word"] == "QUALIFIED"
    await set_policy(world, speed, scopes=(Scope.PERFORMANCE,))
    required = (await document(world))["required"]
    assert {one["scope"] for one in required} == {"live_correctness", "performance"}
    assert (await document(world))["word"] == "HOLD"
    world.make.head = commit("a later head")
    required = (await document(world))["required"]
    assert {one["scope"] for one in required} == {"performance"}


async def test_heads_of_one_change_stand_on_one_page_with_the_one_without_evidence(
    world: World,
) -> None:
    await begun(world)
    await run(world)
    first = world.make.head
    pushed = commit("pushed later")
    await world.put(ref(world.make, pushed, branch="topic", change="180"))
    answer = await world.client.get(f"/v1/repos/{world.make.repository}/changes/180")
    assert answer.json()["heads"] == [pushed, first]
    page = await world.client.get(f"/r/{world.make.repository}/changes/180")
    assert page.status_code == 200
    assert pushed in page.text
    assert first in page.text
