# SPDX-License-Identifier: Apache-2.0
"""A head's page says each thing once, names what it is about, and leads to what proves it."""

from app.core.digest import sha256_hex
from app.core.verdict.explain import explain
from tests.pages.conftest import Seen
from tests.pages.reading import row_of, section_after
from tests.pages.scenes import SCENES, Scenes


def test_headline_is_not_said_again_and_every_reason_is_named_with_what_it_is_about(
    seen: dict[str, Seen],
) -> None:
    for name in SCENES:
        (claim,) = [one for one in seen[name].page.all("section") if "claim" in one.classes]
        sentence = explain(seen[name].document.reasons[0].code).sentence
        assert all(sentence not in bullet.text for bullet in claim.all("li"))
    assert "SCOPE_FAILED : live_correctness, study 1" in seen["failed"].page.text
    assert "SCOPE_NOT_PASS : live_correctness NOT_RUN (OTHER_COMMIT)" in (
        seen["other_commit"].page.text
    )


def test_lines_for_the_thread_say_where_the_scope_stands(seen: dict[str, Seen]) -> None:
    said = section_after(seen["other_commit"].page, "How to verify this page")
    line = "land: HOLD (SCOPE_NOT_PASS: live_correctness NOT_RUN (OTHER_COMMIT)) sha256"
    assert line in said


def test_study_of_another_commit_is_not_said_to_count(seen: dict[str, Seen]) -> None:
    page = seen["other_commit"].page
    assert "It tested another commit and establishes nothing about this head." in page.text
    assert "counts towards the word" not in page.text
    assert "counts towards the word" in seen["qualified"].page.text


def test_l16_zero_measured_stands_in_the_cells_of_the_scope(seen: dict[str, Seen]) -> None:
    row = row_of(seen["ended"].page, "live_correctness")
    assert all(cell.endswith("zero measured: neither a pass nor a regression") for cell in row[1:])
    assert "zero measured" not in " ".join(row_of(seen["failed"].page, "live_correctness"))


def test_head_without_an_attempt_says_so_in_plain_words(seen: dict[str, Seen]) -> None:
    assert "Study 1 of 1; no candidate slot was reserved." in seen["ended"].page.text


async def test_page_leads_to_the_bytes_that_its_commands_check(scenes: Scenes) -> None:
    await scenes.qualified()
    page = await scenes.page()
    digest = (await scenes.get(f"{scenes.world.head_path}?claim=land")).headers["etag"].strip('"')
    (commands,) = [node.text for node in page.all("pre") if "commands" in node.classes]
    offline = "fairtrial score bundle.jsonl --claim land | sha256sum"
    assert f"# {digest} {offline}" in commands
    (raw,) = [node for node in page.all("ul") if "raw" in node.classes]
    places = [one.attributes["href"] or "" for one in raw.all("a")]
    answers = [await scenes.get(place) for place in places]
    assert [one.status_code for one in answers] == [200, 200, 200]
    assert sha256_hex(answers[1].content) == digest
