# SPDX-License-Identifier: Apache-2.0
"""Envelopes that say another thing than what was signed, or that nobody here signed."""

import json
from typing import Any

import httpx

from app.core.canonical import canonical
from app.core.identity import Role
from tests import documents
from tests.api.world import World, assert_refused, signed
from tests.drafts import signing_key
from tests.makers import Maker


async def test_s01_payload_type_is_what_was_signed_and_what_is_taken(world: World) -> None:
    await world.register("maintainer", Role.MAINTAINER)
    size = await world.size()
    draft = world.make.lock(world.document)
    payload = draft.parsed.payload
    for other in ("application/json", "application/vnd.in-toto+JSON", ""):
        resigned = signed(payload, "maintainer", payload_type=other)
        answer = await world.send_envelope("protocol", resigned)
        assert_refused(answer, (422, "payload-type"))
        changed = json.loads(draft.json) | {"payloadType": other}
        answer = await world.send_envelope("protocol", canonical(changed))
        assert_refused(answer, (401, "bad-signature"))
    assert await world.size() == size


async def test_s01_statement_of_another_kind_is_refused_by_each_route(world: World) -> None:
    await world.register("maintainer", Role.MAINTAINER)
    size = await world.size()
    draft = world.make.lock(world.document)
    for kind in ("key", "policy", "study", "reservation", "deviation"):
        answer = await world.send_envelope(kind, draft.json)
        assert answer.status_code == 422
    assert await world.size() == size


async def test_s02_keyid_picks_the_one_key_that_is_tried(world: World) -> None:
    await world.register("maintainer", Role.MAINTAINER)
    await world.register("runner", Role.RUNNER)
    size = await world.size()
    envelope = json.loads(world.make.lock(world.document).json)
    mine = envelope["signatures"][0]

    async def answer_to(signature: dict[str, Any]) -> httpx.Response:
        body = canonical(envelope | {"signatures": [signature]})
        return await world.send_envelope("protocol", body)

    assert_refused(await answer_to({"sig": mine["sig"]}), (401, "not-authenticated"))
    assert_refused(await answer_to(mine | {"keyid": ""}), (401, "not-authenticated"))
    other = mine | {"keyid": signing_key("runner").key_id}
    assert_refused(await answer_to(other), (401, "bad-signature"))
    foreign = mine | {"keyid": signing_key("stranger").key_id}
    assert_refused(await answer_to(foreign), (401, "unknown-key"))
    twice = canonical(envelope | {"signatures": [mine, mine]})
    assert (await world.send_envelope("protocol", twice)).status_code in {401, 422}
    assert await world.size() == size


async def test_s02_signature_of_another_key_than_the_signer_is_refused(world: World) -> None:
    await world.register("maintainer", Role.MAINTAINER)
    await world.register("runner", Role.RUNNER)
    size = await world.size()
    payload = world.make.lock(world.document).parsed.payload
    answer = await world.send_envelope("protocol", signed(payload, "runner"))
    assert answer.status_code in {401, 403}
    assert await world.size() == size


async def test_s02_right_key_without_a_grant_here_is_refused(world: World) -> None:
    await world.begin()
    size = await world.size()
    elsewhere = Maker(
        origin=world.make.origin,
        genesis_digest=world.make.genesis_digest,
        repository="github.com/example-org/other",
    )
    answer = await world.send("protocol", elsewhere.lock(world.document))
    assert_refused(answer, (403, "repository"))
    as_runner = world.make.lock(documents.document(name="another"), signer="runner")
    assert_refused(await world.send("protocol", as_runner), (403, "role"))
    assert await world.size() == size


async def test_s03_other_wrappings_of_one_statement_are_one_leaf(world: World) -> None:
    await world.register("maintainer", Role.MAINTAINER)
    draft = world.make.lock(world.document)
    first = await world.put(draft)
    size = await world.size()
    envelope = json.loads(draft.json)
    reordered = json.dumps(dict(reversed(envelope.items())), indent=1).encode()
    again = await world.send_envelope("protocol", reordered)
    assert (again.status_code, again.json()["index"]) == (200, first["index"])
    mine = envelope["signatures"][0]
    variants = [
        envelope | {"signatures": [mine | {"sig": mine["sig"].rstrip("=")}]},
        envelope | {"payload": envelope["payload"] + "="},
        envelope | {"payload": envelope["payload"] + "\n"},
        envelope | {"payload": " " + envelope["payload"]},
        envelope | {"extra": 1},
        envelope | {"signatures": [mine | {"cert": "x"}]},
    ]
    for variant in variants:
        answer = await world.send_envelope("protocol", json.dumps(variant).encode())
        assert answer.status_code in {400, 422}, answer.text
    assert await world.size() == size


async def test_s03_base64_with_other_padding_bits_is_refused(world: World) -> None:
    body = {"payload": "aGl=", "payloadType": "a", "signatures": [{"keyid": "a", "sig": "aGk="}]}
    answer = await world.send_envelope("key", canonical(body))
    assert_refused(answer, (400, "base64"))
    assert answer.json()["errors"][0]["pointer"] == "/payload"
