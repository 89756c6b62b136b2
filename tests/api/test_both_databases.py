# SPDX-License-Identifier: Apache-2.0
"""The same requests get the same statuses and codes on SQLite and on PostgreSQL."""

import json

import httpx

from app.core.canonical import canonical
from app.core.identity import Role
from tests import facts
from tests.api.people_world import begun, run, set_policy
from tests.api.world import SLOTS, World, signed
from tests.documents import commit
from tests.people import clear, decision, hold, ref, review, waiver

Told = tuple[str, int, str | None]


def told(what: str, answer: httpx.Response) -> Told:
    problem = answer.headers["content-type"] == "application/problem+json"
    return what, answer.status_code, answer.json()["code"] if problem else None


async def with_nul(world: World) -> list[Told]:
    """Send U+0000 and other odd characters wherever a request has room for text."""
    await world.register("maintainer", Role.MAINTAINER)
    found: list[Told] = []
    paths = (
        "/v1/statements/%00",
        f"/v1/statements/{'a' * 63}%00",
        "/v1/repos/forge.example/own%00er/recipe",
        "/v1/repos/forge.example/owner/recipe",
        f"/v1/repos/{world.make.repository}/changes/1%00",
        f"{world.head_path}?claim=%00",
        f"{world.head_path}?claim=la%00nd",
        f"{world.head_path}?at=1%00",
        "/v1/studies?cursor=%00",
        "/v1/studies?cursor=9007199254740991",
        "/v1/log/entries?cursor=9007199254740991",
        "/log/tile/0/000%00",
        "/log/tile/0/x999/x999/x999/x999/x999/x999/999",
        "/log/tile/63/x999/x999/999",
    )
    found += [told(path, await world.client.get(path)) for path in paths]
    headers = {b"x-odd": b"a\x00b", b"if-none-match": b'"\x00"'}
    found.append(told("header", await world.client.get("/log/checkpoint", headers=headers)))
    statement = json.loads(world.make.lock(world.document).parsed.payload)
    for place, text in (("reason", "a\\u0000b"), ("reason", "a\x00b")):
        statement["predicate"][place] = text
        payload = json.dumps(statement, sort_keys=True, separators=(",", ":")).encode()
        raw = payload.replace(b"a\\\\u0000b", b"a\\u0000b")
        answer = await world.send_envelope("protocol", signed(raw, "maintainer"))
        found.append(told(f"payload {text!r}", answer))
    body = canonical({"payload": "", "payloadType": "", "signatures": []})
    answer = await world.send_envelope("key", body.replace(b'""', b'"\\u0000"', 1))
    found.append(told("envelope", answer))
    return found


async def test_j12_nul_gets_the_same_answer_on_both_databases(
    both_worlds: tuple[World, World],
) -> None:
    sqlite, postgres = [await with_nul(world) for world in both_worlds]
    assert sqlite == postgres
    assert all(400 <= status < 500 or status == 200 for _, status, _ in sqlite)
    by_name = {what: status for what, status, _ in sqlite}
    assert by_name["envelope"] == 422


async def whole_flow(world: World) -> list[object]:
    """Go the main path, refusals included, and return what was answered."""
    found: list[object] = []
    await world.begin()
    study = await world.open()
    found.append(told("ordinal", await world.send("study", world.study_draft())))
    reserved = await world.reserve(study, SLOTS)
    taken = world.make.reservation(study.digest, SLOTS)
    found.append(told("again", await world.send("reservation", taken)))
    other = world.make.reservation(study.digest, SLOTS[:1], host="driver-2")
    found.append(told("taken", await world.send("reservation", other)))
    wrong = world.receipt(study, reserved, SLOTS[0], challenge="0" * 64)
    found.append(told("challenge", await world.send("receipt", wrong)))
    unsanitary = world.receipt(study, reserved, SLOTS[0], claims={"note": "see 192.168.0.7"})
    found.append(told("unsanitary", await world.send("receipt", unsanitary)))
    answers = await world.push_all(study, reserved, facts.starved())
    found += [(one["index"], one["effect"], one["line"], one["seq"]) for one in answers]
    document = (await world.client.get(f"{world.head_path}?claim=land")).json()
    found += [document["word"], [one["code"] for one in document["reasons"]]]
    found.append(document["studies"][0]["flow"])
    return found


async def test_main_path_gets_the_same_answers_on_both_databases(
    both_worlds: tuple[World, World],
) -> None:
    sqlite, postgres = [await whole_flow(world) for world in both_worlds]
    assert sqlite == postgres
    assert "NOT_QUALIFIED" in sqlite


async def everybody_speaks(world: World) -> list[object]:
    """Let people say everything they can about a head, refusals included."""
    await begun(world, policy=False)
    await set_policy(world, tracked_branch="main")
    found: list[object] = [told("no-review", await world.client.get(world.head_path))]
    first = await world.put(ref(world.make, commit("base")))
    await run(world)
    said = [
        review(world.make, outcome="accepted"),
        hold(world.make),
        decision(world.make),
        waiver(world.make),
        ref(world.make, commit("moved"), supersedes=first["statement"]),
    ]
    answers = {draft.digest: await world.put(draft) for draft in said}
    found += [(one["kind"], one["index"], one["line"], one["seq"]) for one in answers.values()]
    for draft in said:
        again = await world.send(draft.parsed.kind, draft)
        found.append((*told("again", again), again.json()["index"]))
    other = [
        review(world.make, outcome="comment"),
        hold(world.make, signer="runner"),
        ref(world.make, commit("elsewhere")),
        clear(world.make, "0" * 64),
    ]
    found += [
        told(draft.parsed.kind, await world.send(draft.parsed.kind, draft)) for draft in other
    ]
    document = (await world.client.get(f"{world.head_path}?claim=land")).json()
    found += [document[name] for name in ("word", "reasons", "base", "next_action")]
    found += [len(document[name]) for name in ("holds", "reviews", "decisions")]
    return found


async def test_people_get_the_same_answers_on_both_databases(
    both_worlds: tuple[World, World],
) -> None:
    sqlite, postgres = [await everybody_speaks(world) for world in both_worlds]
    assert sqlite == postgres
    assert "HOLD" in sqlite
