# SPDX-License-Identifier: Apache-2.0
"""A claim that only people answer, over HTTP: the word follows each review, offline too."""

from app.core.identity import Role, Scope
from app.core.protocol.parse import document_digest
from app.core.verdict.bundle import score_bundle
from tests.api.people_world import begun, document, set_policy
from tests.api.world import World
from tests.people import review
from tests.reviews import review_document


async def reviewed(world: World, accepted: int = 1) -> None:
    """Lock a protocol of reviews, make it the policy's and open its study."""
    await begun(world, policy=False)
    world.document = review_document(accepted)
    await world.put(world.make.lock(world.document))
    await set_policy(world, world.document, scopes=(Scope.SOURCE,))
    await world.open()


async def kinds_since(world: World, size: int) -> list[str]:
    entries = (await world.client.get(f"/v1/log/entries?cursor={size}")).json()["entries"]
    return [one["kind"] for one in entries]


async def state(world: World) -> tuple[str, str]:
    found = await document(world)
    bundle = (await world.client.get(f"{world.head_path}/bundle")).content
    served = await world.client.get(f"{world.head_path}?claim=land")
    assert score_bundle(bundle) == {"land": served.content}
    return found["word"], found["required"][0]["state"]


async def test_study_without_a_slot_is_closed_in_the_batch_that_opens_it(world: World) -> None:
    await reviewed(world)
    kinds = await kinds_since(world, 0)
    assert kinds[-3:] == ["study", "closure", "verdict"]
    (study,) = (await world.client.get("/v1/studies")).json()["studies"]
    progress = (await world.client.get(f"/v1/studies/{study['study']}")).json()
    assert (progress["state"], progress["flow"]["planned"]) == ("CLOSED", 0)
    assert await state(world) == ("HOLD", "NOT_RUN")


async def test_each_review_that_changes_the_word_has_it_said_again_and_offline_too(
    world: World,
) -> None:
    await reviewed(world)
    size = await world.size()
    first = await world.put(review(world.make, outcome="comment"))
    assert await kinds_since(world, size) == ["review"]
    accepted = review(world.make, outcome="accepted", supersedes=first["statement"])
    second = await world.put(accepted)
    assert await state(world) == ("QUALIFIED", "PASS")
    against = review(world.make, outcome="changes_requested", supersedes=second["statement"])
    await world.put(against)
    assert await state(world) == ("NOT_QUALIFIED", "FAIL")
    assert await kinds_since(world, size) == ["review", "review", "verdict", "review", "verdict"]
    size = await world.size()
    assert (await document(world, at=size - 2))["word"] == "QUALIFIED"


async def test_accepted_source_lifts_no_scope_that_has_to_be_measured(world: World) -> None:
    await reviewed(world)
    live = review(world.make, outcome="accepted", scope=Scope.LIVE_CORRECTNESS)
    await world.put(live)
    assert await state(world) == ("HOLD", "NOT_RUN")
    digest = document_digest(world.document)
    required = (await document(world))["required"][0]
    assert required["protocols"] == [digest]
    assert (await document(world))["next_action"]["role"] == "reviewer"


async def test_page_of_a_head_that_people_answer_reads(world: World) -> None:
    await reviewed(world, 2)
    await world.register("second-reviewer", Role.REVIEWER)
    await world.put(review(world.make, outcome="accepted"))
    page = await world.client.get(f"/r/{world.make.repository}/heads/{world.make.head}")
    assert page.status_code == 200
    assert "2 independent people have accepted the source of this head" in page.text
    await world.put(review(world.make, signer="second-reviewer", outcome="accepted"))
    assert await state(world) == ("QUALIFIED", "PASS")
