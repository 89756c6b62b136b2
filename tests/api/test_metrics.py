# SPDX-License-Identifier: Apache-2.0
"""What an operator watches: counts as Prometheus text, and no name that anybody chose."""

import httpx
from prometheus_client.parser import text_string_to_metric_families as families

from app.core.digest import to_base64
from app.core.log.checkpoint import Checkpoint, sign_checkpoint
from app.core.log.cosignature import Witness
from app.core.log.note import NoteSigner
from app.service.scrub import Scrubbed
from app.service.stored_slice import Damage
from app.service.witnessing import NamedWitness, WitnessStanding
from tests.api.fake_ledger import FakeLedger
from tests.api.world import World
from tests.drafts import HEAD, REPOSITORY, signing_key

Samples = dict[tuple[str, str], float]


async def samples(client: httpx.AsyncClient) -> Samples:
    answer = await client.get("/metrics")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert answer.headers["cache-control"] == "no-store"
    return {
        (one.name, ",".join(one.labels.values())): one.value
        for family in families(answer.text)
        for one in family.samples
    }


async def test_r17_what_was_appended_and_refused_is_counted(world: World) -> None:
    await world.begin()
    before = await samples(world.client)
    study = await world.open()
    refused = await world.send_envelope("study", b"{}")
    after = await samples(world.client)
    assert study.digest
    assert refused.status_code == 422
    grown = {name: value - before.get(name, 0) for name, value in after.items()}
    assert grown["fairtrial_statements_appended_total", "study"] == 1
    assert grown["fairtrial_statements_refused_total", refused.json()["code"]] >= 1
    assert grown["fairtrial_batch_size_count", ""] == 1
    assert grown["fairtrial_batch_size_sum", ""] == 1
    assert grown["fairtrial_batch_size_bucket", "1"] == 1
    assert grown["fairtrial_tree_size", ""] == 1
    assert after["fairtrial_tree_size", ""] == await world.size()
    assert after["fairtrial_queue_length", ""] == 0


async def test_no_name_that_anybody_chose_is_a_label(world: World) -> None:
    await world.begin()
    await world.open()
    text = (await world.client.get("/metrics")).text
    for name in (REPOSITORY, HEAD, "ada", "maintainer@"):
        assert name not in text


async def test_a_witness_that_lags_and_a_scrub_that_found_damage_are_seen(
    fake: FakeLedger, client: httpx.AsyncClient
) -> None:
    log = NoteSigner("fake.example/log", signing_key("checkpoint"))
    fake.text = sign_checkpoint(Checkpoint(log.name, 12, bytes(32)), [log])
    key = signing_key("w1").public
    named = NamedWitness(Witness("w1.example", key), "https://w1.example")
    fake.standings = (WitnessStanding(named, None, 0),)
    fake.waiting = 3
    fake.scrubbed = Scrubbed(2, 64, Damage(7, "leaf-row", "It is another."))
    found = await samples(client)
    assert found["fairtrial_witness_lag", "w1.example"] == 12
    assert found["fairtrial_scrub_damage", ""] == 1
    assert (found["fairtrial_scrub_rounds", ""], found["fairtrial_scrub_position", ""]) == (2, 64)
    assert found["fairtrial_queue_length", ""] == 3
    assert to_base64(key.raw) not in (await client.get("/metrics")).text
