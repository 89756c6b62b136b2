# SPDX-License-Identifier: Apache-2.0
"""The page of a protocol says what could be known when each of its versions was locked."""

from app.core.protocol.parse import document_digest
from app.core.reason import Reason
from app.core.statement.protocol_document import ProtocolDocument
from app.core.verdict.explain import explain
from tests.gates import bound
from tests.lints import changed, gated, with_
from tests.pages.reading import Node, row_of, section_after
from tests.pages.scenes import Scenes

BOUND = with_(bound(limit="10000000"), scope="live_correctness")
LOOSER = gated(with_(BOUND, comparison__limit="15000000"), version=2)
FEWER = changed(lambda d: d["gates"].pop(), version=3)


async def begun(scenes: Scenes) -> None:
    scenes.world.document = gated(BOUND)
    await scenes.world.begin()


async def amend(scenes: Scenes, later: ProtocolDocument, before: ProtocolDocument) -> None:
    await scenes.world.put(scenes.world.make.lock(later, supersedes=document_digest(before)))


async def page_of(scenes: Scenes, document: ProtocolDocument) -> Node:
    return await scenes.page(f"{scenes.repository_path}/protocols/{document_digest(document)}")


def sentence(reason: Reason) -> str:
    return explain(reason).sentence


async def test_version_after_a_fail_is_marked_with_what_was_known(world_scenes: Scenes) -> None:
    scenes = world_scenes
    await begun(scenes)
    await scenes.failed()
    await amend(scenes, LOOSER, scenes.world.document)
    page = await page_of(scenes, LOOSER)
    said = section_after(page, "What it changes since v1")
    assert "1 study, 1 of them closed, 3 attempts, 3 receipts; judged of candidates: FAIL 3" in said
    assert "EXPLORATORY for what was reserved before its lock: bound-b. " in said
    assert sentence(Reason.LOCKED_AFTER_FAIL) in said
    assert "loosened" in said
    row = row_of(page, "v2 (this page)")
    assert "LOCKED_AFTER_FAIL" in row[3]
    assert row[4] == "1 loosened"
    links = [link.attributes["href"] for link in page.all("a")]
    assert f"{scenes.repository_path}/protocols/{document_digest(scenes.world.document)}" in links
    assert "/reasons/LOCKED_AFTER_FAIL" in links


async def test_page_of_the_first_version_lists_the_later_ones(world_scenes: Scenes) -> None:
    scenes = world_scenes
    await begun(scenes)
    await amend(scenes, LOOSER, scenes.world.document)
    page = await page_of(scenes, scenes.world.document)
    assert "What it changes" not in page.text
    assert row_of(page, "v1 (this page)")[4] == "the first version"
    row = row_of(page, "v2")
    assert row[2].startswith("0 studies, 0 of them closed, 0 attempts, 0 receipts")
    assert "nothing was judged" in row[2]
    assert row[3].startswith("not EXPLORATORY")


async def test_version_that_nobody_could_have_made_for_results_says_so(
    world_scenes: Scenes,
) -> None:
    scenes = world_scenes
    await begun(scenes)
    await scenes.ended()
    await amend(scenes, LOOSER, scenes.world.document)
    said = section_after(await page_of(scenes, LOOSER), "What it changes since v1")
    assert "1 study, 1 of them closed, 0 attempts, 0 receipts" in said
    assert f"Not EXPLORATORY: {sentence(Reason.LOCKED_BEFORE_ATTEMPTS)}" in said


async def test_version_that_only_has_a_gate_less_names_none(world_scenes: Scenes) -> None:
    scenes = world_scenes
    await begun(scenes)
    await scenes.qualified()
    await amend(scenes, LOOSER, scenes.world.document)
    await amend(scenes, FEWER, LOOSER)
    page = await page_of(scenes, FEWER)
    said = section_after(page, "What it changes since v2")
    assert "none of its gates, of which there are fewer now" in said
    assert sentence(Reason.LOCKED_AFTER_JUDGEMENT) in said


async def test_version_that_says_the_same_again_changes_nothing(world_scenes: Scenes) -> None:
    scenes = world_scenes
    await begun(scenes)
    again = gated(BOUND, version=2)
    await amend(scenes, again, scenes.world.document)
    assert row_of(await page_of(scenes, again), "v2 (this page)")[4] == "nothing but the version"
