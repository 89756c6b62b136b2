# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what is answered is any JSON
"""The versions of a protocol over HTTP: what each changes, and what was known at its lock."""

from typing import Any

from app.core.identity import Role
from app.core.protocol.parse import document_digest
from tests import facts
from tests.api.world import SLOTS, World, assert_refused
from tests.documents import commit
from tests.gates import bound
from tests.lints import gated, with_

BOUND = with_(bound(limit="10000000"), scope="live_correctness")
V1 = gated(BOUND)
V2 = gated(with_(BOUND, comparison__limit="15000000"), version=2)
V3 = gated(with_(BOUND, comparison__limit="20000000"), version=3)
ONE, TWO, THREE = (document_digest(each) for each in (V1, V2, V3))
NOTHING = {"PASS": 0, "FAIL": 0, "INCONCLUSIVE": 0, "INVALID": 0, "NOT_RUN": 0}


async def begun(world: World) -> None:
    world.document = V1
    await world.begin()


async def run(world: World, head: str, *, upto: int = len(SLOTS)) -> None:
    """Open a study under the first version on a head, and fill so many of its slots badly."""
    world.make.head = commit(head)
    study = await world.open()
    if upto:
        reserved = await world.reserve(study, SLOTS[:upto])
        await world.push_all(study, reserved, facts.starved())


async def versions(world: World, digest: str = ONE, query: str = "") -> Any:
    answer = await world.client.get(f"/v1/protocols/{digest}/versions{query}")
    assert answer.status_code == 200, answer.text
    assert answer.headers["cache-control"] == "no-cache"
    return answer.json()


def marks(answer: Any) -> list[Any]:
    return [
        (one["version"], one["exploratory"], one["reason"], one["exploratory_gates"])
        for one in answer["versions"]
    ]


async def story_of_three(world: World) -> Any:
    """Amend after the first receipt, and again after a FAIL."""
    await begun(world)
    await run(world, "one", upto=1)
    await world.put(world.make.lock(V2, supersedes=ONE))
    await run(world, "two")
    await world.put(world.make.lock(V3, supersedes=TWO))
    return await versions(world)


async def test_z02_chain_of_three_is_the_same_on_both_databases(
    both_worlds: tuple[World, World],
) -> None:
    sqlite, postgres = [await story_of_three(world) for world in both_worlds]
    assert marks(sqlite) == [
        (1, False, "FIRST_VERSION", []),
        (2, True, "LOCKED_AFTER_RECEIPT", ["bound-b"]),
        (3, True, "LOCKED_AFTER_FAIL", ["bound-b"]),
    ]
    first, second, third = sqlite["versions"]
    assert first["known"] == {
        "studies": 0,
        "attempts": 0,
        "receipts": 0,
        "closed": 0,
        "judgements": NOTHING,
    }
    assert second["known"] | {"judgements": None} == {
        "studies": 1,
        "attempts": 1,
        "receipts": 1,
        "closed": 0,
        "judgements": None,
    }
    assert second["known"]["judgements"] == NOTHING
    assert third["known"]["judgements"]["FAIL"] == 3
    assert (third["known"]["studies"], third["known"]["closed"]) == (2, 1)
    assert second["changes"] == [
        {
            "pointer": "/gates/4/comparison/limit",
            "where": "gate bound-b/comparison/limit",
            "before": "10000000",
            "after": "15000000",
            "direction": "loosened",
        }
    ]
    assert (first["why"], second["why"]) == (None, "A limit was too loose.")
    assert (second["digest"], second["supersedes"]) == (TWO, ONE)
    assert (sqlite["newest"], sqlite["repository"]) == (THREE, both_worlds[0].make.repository)
    for one, other in zip(sqlite["versions"], postgres["versions"], strict=True):
        for moves in ("statement", "at"):
            one.pop(moves), other.pop(moves)
    assert sqlite == postgres


async def test_amendment_before_any_attempt_is_not_exploratory(world: World) -> None:
    await begun(world)
    await world.put(world.make.lock(V2, supersedes=ONE))
    assert marks(await versions(world))[1] == (2, False, "LOCKED_BEFORE_ATTEMPTS", [])
    await run(world, "one", upto=0)
    await world.put(world.make.lock(V3, supersedes=TWO))
    assert marks(await versions(world))[2] == (3, False, "LOCKED_BEFORE_ATTEMPTS", [])
    known = (await versions(world))["versions"][2]["known"]
    assert (known["studies"], known["attempts"]) == (1, 0)


async def test_what_comes_after_a_lock_leaves_the_answer_as_it_was(world: World) -> None:
    await begun(world)
    await world.put(world.make.lock(V2, supersedes=ONE))
    before = await versions(world)
    await run(world, "one")
    assert await versions(world) == before


async def test_second_amendment_of_one_parent_is_refused(world: World) -> None:
    await begun(world)
    await world.put(world.make.lock(V2, supersedes=ONE))
    fork = await world.send("protocol", world.make.lock(V3, supersedes=ONE))
    assert_refused(fork, (409, "protocol-moved"))
    assert [one["version"] for one in (await versions(world, TWO))["versions"]] == [1, 2]


async def test_digest_that_nobody_locked_is_not_found(world: World) -> None:
    await begun(world)
    for path in (TWO, "0" * 64, f"{ONE}/versions/1", "abc"):
        answer = await world.client.get(f"/v1/protocols/{path}/versions")
        assert answer.status_code == 404
        assert answer.headers["content-type"] == "application/problem+json"
    answer = await world.client.get(f"/v1/protocols/{TWO}/versions")
    assert_refused(answer, (404, "unknown-protocol"))


async def test_document_of_two_repositories_has_a_chain_in_each(world: World) -> None:
    other = "github.com/other/recipe"
    await world.register("maintainer", Role.MAINTAINER)
    mine = world.make.repository
    await world.register("other", Role.MAINTAINER, repositories=[other])
    await world.put(world.make.lock(V1))
    world.make.repository = other
    await world.put(world.make.lock(V1, signer="other"))
    await world.put(world.make.lock(V2, signer="other", supersedes=ONE))
    assert (await versions(world))["repository"] == mine
    assert len((await versions(world))["versions"]) == 1
    theirs = await versions(world, query=f"?repository={other}")
    assert (theirs["repository"], theirs["newest"]) == (other, TWO)
    page = await world.client.get(f"/r/{other}/protocols/{ONE}")
    assert page.status_code == 200
    missing = await world.client.get(f"/v1/protocols/{ONE}/versions?repository=github.com/no/body")
    assert_refused(missing, (404, "unknown-protocol"))
    for wrong in ("?repository=Github.com/a/b", "?repository=a/b", "?repositories=x"):
        answer = await world.client.get(f"/v1/protocols/{ONE}/versions{wrong}")
        assert answer.status_code == 422


async def test_versions_come_in_pages(world: World) -> None:
    await begun(world)
    await world.put(world.make.lock(V2, supersedes=ONE))
    answer = await world.client.get(f"/v1/protocols/{TWO}/versions?limit=1")
    assert [one["version"] for one in answer.json()["versions"]] == [1]
    link = answer.headers["link"].partition(">")[0].removeprefix("<")
    rest = await world.client.get(link)
    assert [one["version"] for one in rest.json()["versions"]] == [2]
    assert rest.json()["newest"] == TWO
