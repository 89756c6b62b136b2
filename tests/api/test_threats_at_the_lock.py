# SPDX-License-Identifier: Apache-2.0
"""What a protocol may not promise is refused when it is locked, and nothing is written."""

from typing import Any

import pytest

from app.core.identity import Role
from app.core.statement.protocol_document import ProtocolDocument
from tests.api.world import World
from tests.claims import share
from tests.gates import bound
from tests.lints import gated
from tests.refused_makers import solo_fairness


async def _refused(world: World, document: ProtocolDocument) -> list[dict[str, Any]]:
    await world.register("maintainer", Role.MAINTAINER)
    before = await world.size()
    answer = await world.send("protocol", world.make.lock(document))
    assert answer.status_code == 422
    assert await world.size() == before
    errors: list[dict[str, Any]] = answer.json()["errors"]
    return errors


async def test_l19_percentile_of_fewer_slots_than_it_needs_is_refused(world: World) -> None:
    errors = await _refused(world, gated(share(p="0.99"), repetitions=20))
    (found,) = [each for each in errors if each["rule"] == "E_N_UNATTAINABLE"]
    # A first attempt may spend 4/5 of 0.05: ceil(ln 0.04 / ln 0.99) = 321.
    assert "321 units" in found["detail"]


@pytest.mark.parametrize("label", ["ttft-p99", "p95-ttft"])
async def test_l19_greatest_of_twenty_is_not_called_a_percentile(world: World, label: str) -> None:
    errors = await _refused(world, gated(bound(id=label), repetitions=20))
    assert "E_TAIL_LABEL" in {each["rule"] for each in errors}


async def test_l23_fairness_over_one_stream_at_a_time_is_refused(world: World) -> None:
    errors = await _refused(world, solo_fairness())
    assert "E_SCOPE_UNDECLARED_CELL" in {each["rule"] for each in errors}
