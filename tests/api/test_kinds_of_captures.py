# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a capture is any JSON
"""Captures of checks, jobs and claims at the door and before closure: sealed, shaped, clean."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from app.core.canonical import canonical
from app.core.digest import sha256_hex, to_base64
from app.core.statement.capture import Capture
from app.core.statement.encoding import encode
from tests.api.kinds_world import filled, governed, push, taken
from tests.api.world import World, assert_refused, signed
from tests.documents import commit
from tests.drafts import zstd
from tests.results import (
    CELLS,
    GOOD,
    checks,
    checks_gate,
    claim,
    claim_gate,
    jobs,
    jobs_gate,
    with_cells,
)

GATES = {"checks": checks_gate(), "jobs": jobs_gate(), "claim": claim_gate()}
MADE: dict[str, Capture] = {"checks": checks(), "jobs": jobs(), "claim": claim()}
SECRET = "hf_" + "AbCdEfGhIjKlMnOpQrStUvWxYz012345"
"""Planted; split, so that scanners of this repository stay quiet."""


def with_capture(world: World, study: Any, reserved: Any, data: bytes, schema: str) -> bytes:
    """Return the body of a receipt around any bytes, signed for exactly those."""
    draft = world.receipt(study, reserved, reserved.slots[0])
    payload = json.loads(draft.parsed.payload)
    payload["predicate"]["capture"] = {
        "schema": schema,
        "sha256": sha256_hex(data),
        "size": len(data),
    }
    envelope = json.loads(signed(canonical(payload), "runner"))
    return canonical({"envelope": envelope, "capture": to_base64(zstd(data))})


async def begun(world: World, kind: str) -> tuple[Any, Any]:
    await governed(world, with_cells(GATES[kind], cells=[CELLS[kind]]))
    return await taken(world)


@pytest.mark.parametrize("kind", CELLS)
async def test_capture_of_every_kind_is_sealed_until_closure(world: World, kind: str) -> None:
    study, reserved = await begun(world, kind)
    first, last = reserved.slots
    await push(world, study, reserved, first, MADE[kind])
    path = f"/v1/captures/{sha256_hex(encode(MADE[kind]))}"
    assert_refused(await world.client.get(path), (403, "sealed-until-closure"))
    document = (await world.client.get(f"{world.head_path}?claim=land")).json()
    assert document["studies"][0]["judgements"] == []
    await push(world, study, reserved, last, MADE[kind])
    opened = await world.client.get(path)
    assert (opened.status_code, opened.content) == (200, encode(MADE[kind]))


@pytest.mark.parametrize("kind", CELLS)
async def test_capture_that_is_not_of_the_schema_its_receipt_names_is_refused(
    world: World, kind: str
) -> None:
    study, reserved = await begun(world, kind)
    for other in CELLS:
        schema = f"urn:fairtrial:capture:{other}:v1"
        body = with_capture(world, study, reserved, encode(MADE[kind]), schema)
        answer = await world.send_receipt(body)
        assert (answer.status_code == 201) is (other == kind), answer.text


NAMED = "sk-" + "abcdefgh12345678"
"""Planted in names, whose form leaves room for it."""
ADDRESS = "10.0.0.5"
PLANTED: dict[str, list[str]] = {
    "checks": ["boot_id", "suites/0/name", "named/0/id", "values/0/name", "values/0/unit"],
    "claim": ["tool/name", "tool/version"],
    "jobs": ["boot_id", "observations/identities/0/component", "observations/counters/0/name"],
}


@pytest.mark.parametrize("kind", CELLS)
async def test_l15_secret_in_any_text_of_a_capture_is_refused_and_kept_nowhere(
    world: World, kind: str, everything_stored: Callable[[], bytes]
) -> None:
    study, reserved = await begun(world, kind)
    good = json.loads(encode(MADE[kind]))
    named = [(place, text) for place in PLANTED[kind] for text in (NAMED, ADDRESS)]
    for place, text in [*named, *texts_in(good)]:
        bad = json.loads(encode(MADE[kind]))
        *way, last = place.split("/")
        node: Any = bad
        for step in way:
            node = node[int(step) if isinstance(node, list) else step]
        node[int(last) if isinstance(node, list) else last] = text
        body = with_capture(world, study, reserved, canonical(bad), good["schema"])
        answer = await world.send_receipt(body)
        allowed = (422, "not-sanitized"), (422, "schema-violation")
        assert_refused(answer, *(allowed[:1] if text != SECRET else allowed))
        assert text not in answer.text
    kept = everything_stored()
    assert SECRET.encode() not in kept
    assert NAMED.encode() not in kept
    assert {one["state"] for one in await world.slots(study)} == {"RESERVED"}


def texts_in(node: Any, place: str = "") -> list[tuple[str, str]]:
    """Return every place of a text but the schema's, each with a planted token."""
    found: list[tuple[str, str]] = []
    members = node.items() if isinstance(node, dict) else enumerate(node)
    for name, value in members:
        if isinstance(value, dict | list):
            found += texts_in(value, f"{place}{name}/")
        elif isinstance(value, str) and name != "schema":
            found.append((f"{place}{name}", SECRET))
    return found


@pytest.mark.parametrize(("member", "most"), [("suites", 256), ("named", 4096), ("values", 1024)])
async def test_capture_holds_as_many_results_as_its_schema_allows(
    world: World, member: str, most: int
) -> None:
    study, reserved = await begun(world, "checks")
    made = json.loads(encode(checks()))
    key = "id" if member == "named" else "name"
    for count, status in ((most + 1, 422), (most, 201)):
        many = [made[member][0] | {key: f"x{number}"} for number in range(count)]
        data = canonical(made | {member: many})
        body = with_capture(world, study, reserved, data, made["schema"])
        assert (await world.send_receipt(body)).status_code == status


async def test_results_get_the_same_answers_on_both_databases(
    both_worlds: tuple[World, World],
) -> None:
    gates = (checks_gate(), jobs_gate(), claim_gate())
    found = []
    for world in both_worlds:
        await governed(world, with_cells(*gates))
        held = await filled(world, GOOD, head=commit("held"))
        bad = GOOD | {"B/cpu": checks(suites=[]), "B/decided": claim("FAIL")}
        broken = await filled(world, bad, head=commit("broken"))
        found.append([held.word, held.judgements, broken.word, broken.judgements])
    assert found[0] == found[1]
    assert (found[0][0], found[0][2]) == ("QUALIFIED", "NOT_QUALIFIED")
