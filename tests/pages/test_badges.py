# SPDX-License-Identifier: Apache-2.0
"""W13: the badge says what the verdict says, and is green for QUALIFIED alone."""

import pytest

from app.core.protocol.parse import document_digest
from app.pages.charts.badge import AMBER, GREEN, RED, colour_of
from tests import documents
from tests.pages.scenes import Scenes

WORDS = {
    "qualified": ("QUALIFIED", GREEN),
    "failed": ("NOT_QUALIFIED", RED),
    "unfinished": ("NOT_QUALIFIED", RED),
    "opened": ("HOLD", AMBER),
    "ended": ("HOLD", AMBER),
    "replayed": ("HOLD", AMBER),
    "other_commit": ("HOLD", AMBER),
}


@pytest.mark.parametrize("name", WORDS)
async def test_w13_badge_has_the_word_of_this_head_and_its_colour(
    scenes: Scenes, name: str
) -> None:
    await getattr(scenes, name)()
    word, colour = WORDS[name]
    answer = await scenes.get(f"{scenes.head_path}/badge.json")
    assert answer.json() == {
        "schemaVersion": 1,
        "label": "fairtrial",
        "message": f"{scenes.head[:7]} {word}",
        "color": colour.removeprefix("#"),
        "isError": word != "QUALIFIED",
        "cacheSeconds": 300,
    }
    svg = (await scenes.get(f"{scenes.head_path}/badge.svg")).text
    assert f"{scenes.head[:7]} {word}" in svg
    assert (GREEN in svg) == (word == "QUALIFIED")


async def test_w13_unknown_head_says_no_evidence(scenes: Scenes) -> None:
    scenes.on("unknown")
    answer = await scenes.get(f"{scenes.head_path}/badge.json")
    assert answer.status_code == 200
    assert answer.json()["message"] == f"{scenes.head[:7]} no evidence"
    assert answer.json()["isError"] is True
    assert answer.json()["color"] != GREEN.removeprefix("#")


async def test_w13_word_of_several_claims_is_the_worst(scenes: Scenes) -> None:
    await scenes.qualified()
    world = scenes.world
    policy = (await world.ledger.standing(world.make.repository)).repository.policy
    assert policy is not None
    other = documents.document(name="other-canary")
    await world.put(world.make.lock(other))
    changed = world.make.policy(
        protocols=[document_digest(other)], claims=["default"], supersedes=policy.digest
    )
    await world.put(changed)
    page = await scenes.page()
    assert {node.text for node in page.all("h2")[:2]} == {"land: QUALIFIED", "default: HOLD"}
    assert (await scenes.get(f"{scenes.head_path}/badge.json")).json()["isError"] is True


@pytest.mark.parametrize("word", ["HOLD", "NOT_QUALIFIED", "PASS", "", "qualified", "no evidence"])
def test_w13_no_other_word_is_green(word: str) -> None:
    assert colour_of(word) != GREEN


@pytest.mark.parametrize("suffix", ["", "/badge.svg", "/badge.json"])
async def test_prefix_of_a_head_redirects(scenes: Scenes, suffix: str) -> None:
    await scenes.qualified()
    answer = await scenes.get(f"{scenes.repository_path}/heads/{scenes.head[:9]}{suffix}")
    assert answer.status_code == 307
    assert answer.headers["location"] == f"{scenes.head_path}{suffix}"
