# SPDX-License-Identifier: Apache-2.0
"""Nothing goes away by itself: no calendar takes it, and no route."""

import json

from app.core.digest import from_base64, sha256_hex
from tests import facts
from tests.api.people_world import begun, document, run
from tests.api.world import World
from tests.documents import DAY_US

TEN_YEARS_US = 3_653 * DAY_US


async def test_l25_ten_years_on_every_byte_of_a_closed_study_is_served_and_proved(
    world: World,
) -> None:
    await begun(world)
    await run(world, facts.starved())
    before = await document(world)
    world.clock.at_us += TEN_YEARS_US
    after = await document(world)
    assert after == before
    assert after["word"] == "NOT_QUALIFIED"
    (study,) = after["studies"]
    assert study["flow"]["planned"] == len(study["slots"]) == 3
    for slot in study["slots"]:
        (receipt,) = slot["attempts"][0]["receipts"]
        stored = (await world.client.get(f"/v1/statements/{receipt}")).json()
        payload = from_base64(stored["payload"])
        assert sha256_hex(payload) == receipt
        proof = await world.client.get(f"/v1/statements/{receipt}/proof")
        assert proof.json()["tlog_proof"]
        sha256 = json.loads(payload)["predicate"]["capture"]["sha256"]
        capture = await world.client.get(f"/v1/captures/{sha256}")
        assert sha256_hex(capture.content) == sha256


async def test_l25_no_route_deletes_or_rewrites_anything(world: World) -> None:
    await begun(world)
    await run(world)
    paths = (await world.client.get("/openapi.json")).json()["paths"]
    methods = {method for path in paths.values() for method in path}
    assert methods <= {"get", "head", "post"}
    size = await world.size()
    for path in (world.head_path, f"{world.head_path}/bundle", "/v1/log/entries"):
        for method in ("DELETE", "PUT", "PATCH"):
            assert (await world.client.request(method, path)).status_code == 405
    assert await world.size() == size
