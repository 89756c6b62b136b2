# SPDX-License-Identifier: Apache-2.0
"""Pages beside the head's: repository, change, protocol, study, receipt, log, keys, words."""

import pytest

from app.core.reason import Reason
from app.core.verdict.explain import explain
from app.pages.render import PAGE_POLICY
from tests import facts
from tests.api.world import SLOTS
from tests.documents import commit, digest
from tests.pages.reading import row_of, section_after
from tests.pages.scenes import Scenes


async def test_index_lists_repositories(scenes: Scenes) -> None:
    await scenes.qualified()
    page = await scenes.page("/")
    assert scenes.world.make.repository in page.text


async def test_repository_shows_policy_protocols_and_the_word_of_each_head(scenes: Scenes) -> None:
    await scenes.qualified()
    green = scenes.head
    await scenes.failed()
    page = await scenes.page(scenes.repository_path)
    assert row_of(page, green)[1] == "land: QUALIFIED (ALL_SCOPES_PASS)"
    assert row_of(page, scenes.head)[1] == "land: NOT_QUALIFIED (SCOPE_FAILED)"
    assert "small-canary v1" in page.text
    assert "May the source land with defaults unchanged?" in section_after(page, "Policy")


async def test_lists_of_heads_say_where_a_scope_that_does_not_pass_stands(scenes: Scenes) -> None:
    await scenes.other_commit()
    said = "land: HOLD (SCOPE_NOT_PASS: live_correctness NOT_RUN (OTHER_COMMIT))"
    for path in (scenes.repository_path, f"{scenes.repository_path}/changes/180"):
        assert row_of(await scenes.page(path), scenes.head)[1] == said


async def test_unknown_address_is_a_page_for_a_browser_and_a_problem_for_a_program(
    scenes: Scenes,
) -> None:
    page = await scenes.get("/nowhere", accept="text/html,application/xhtml+xml")
    assert page.status_code == 404
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert page.headers["cache-control"] == "no-store"
    assert page.headers["content-security-policy"] == PAGE_POLICY
    assert "/problems/not-found" in page.text
    assert "nowhere" not in page.text
    problem = await scenes.get("/nowhere", accept="*/*")
    assert problem.status_code == 404
    assert problem.headers["content-type"] == "application/problem+json"


async def test_navigation_leads_to_the_problems(scenes: Scenes) -> None:
    page = await scenes.page("/glossary")
    (nav,) = page.all("nav")
    assert "/problems" in [link.attributes["href"] for link in nav.all("a")]


async def test_change_shows_its_heads_newest_first(scenes: Scenes) -> None:
    await scenes.qualified()
    older = scenes.head
    await scenes.failed()
    page = await scenes.page(f"{scenes.repository_path}/changes/180")
    said = section_after(page, "Heads")
    assert said.index(scenes.head) < said.index(older)
    answer = await scenes.get(f"{scenes.repository_path}/changes/999")
    assert answer.status_code == 404


async def test_protocol_is_said_in_words_and_as_canonical_json(scenes: Scenes) -> None:
    study = await scenes.qualified()
    protocol = study.predicate.protocol
    page = await scenes.page(f"{scenes.repository_path}/protocols/{protocol}")
    served = (await scenes.get(f"/v1/protocols/{protocol}")).text
    assert served in [node.children[0] for node in page.all("pre")]
    assert "throughput" in section_after(page, "Does not claim")
    assert "Planned slots: 3; arms run in the order A, B, A2." in page.text
    assert "newcomer.last_content < incumbent.last_content" in section_after(page, "Gates")
    assert "404 to 405" in section_after(page, "Faults")
    assert "0.250 s after incumbent.first_content" in page.text


async def test_study_shows_the_grid_of_slots(scenes: Scenes) -> None:
    study = await scenes.opened()
    page = await scenes.page(f"{scenes.repository_path}/studies/{study.digest}")
    assert row_of(page, "A", "COMPLETE") == ["A", "COMPLETE"]
    assert "RESERVED" in section_after(page, "Slots")
    assert "planned 3 = 0 open + 2 reserved" in page.text
    assert "Sealed until it closes" in page.text
    assert "maintainer mara" in section_after(page, "Pins")


async def test_study_shows_its_deviations(scenes: Scenes) -> None:
    study = await scenes.ended()
    page = await scenes.page(f"{scenes.repository_path}/studies/{study.digest}")
    assert "The node was rebooted by hand." in section_after(page, "Deviations")


async def test_receipt_of_an_open_study_is_shown_and_its_capture_is_sealed(scenes: Scenes) -> None:
    study = await scenes.opened()
    slots = await scenes.world.slots(study)
    (receipt,) = slots[0]["attempts"][0]["receipts"]
    page = await scenes.page(f"{scenes.repository_path}/receipts/{receipt}")
    assert section_after(page, "Capture").startswith("Sealed until the study closes.")
    assert not page.all("svg")
    assert "8.837" not in page.text
    assert "spark-1" in section_after(page, "Identities")


async def test_s17_receipt_of_a_closed_study_shows_streams_and_how_they_are_bound(
    scenes: Scenes,
) -> None:
    study = await scenes.failed()
    slots = await scenes.world.slots(study)
    (receipt,) = slots[1]["attempts"][0]["receipts"]
    page = await scenes.page(f"{scenes.repository_path}/receipts/{receipt}")
    assert row_of(page, "binding")[1].endswith(("weaker", "not recomputed"))
    assert "unfinished" in section_after(page, "Capture")
    assert page.all("svg")


async def test_late_and_second_receipts_are_shown(scenes: Scenes) -> None:
    scenes.on("second receipt")
    world = scenes.world
    study = await world.open()
    reserved = await world.reserve(study, SLOTS)
    first = world.receipt(study, reserved, SLOTS[0])
    await world.put(first)
    second = world.receipt(study, reserved, SLOTS[0], facts.starved())
    await world.put(second)
    page = await scenes.page()
    row = row_of(page, f"{SLOTS[0]} slot is INVALID", "1")
    assert first.digest[:12] in row[6]
    assert second.digest[:12] in row[6]
    assert "CONFLICTING_RECEIPTS" in row[3]


@pytest.mark.parametrize("place", ["studies", "receipts", "protocols"])
async def test_thing_of_another_repository_is_not_shown_here(scenes: Scenes, place: str) -> None:
    study = await scenes.failed()
    slots = await scenes.world.slots(study)
    digests = {
        "studies": study.digest,
        "receipts": slots[1]["attempts"][0]["receipts"][0],
        "protocols": study.predicate.protocol,
    }
    answer = await scenes.get(f"/r/github.com/some/other/{place}/{digests[place]}")
    assert answer.status_code == 404


@pytest.mark.parametrize("place", ["studies", "receipts", "protocols", "heads"])
async def test_unknown_thing_is_404(scenes: Scenes, place: str) -> None:
    answer = await scenes.get(f"{scenes.repository_path}/{place}/{digest('nothing')[:63]}")
    assert answer.status_code == 404


async def test_statement_that_is_no_receipt_has_no_receipt_page(scenes: Scenes) -> None:
    study = await scenes.failed()
    answer = await scenes.get(f"{scenes.repository_path}/receipts/{study.digest}")
    assert answer.status_code == 404


async def test_log_shows_checkpoint_and_entries_and_pages_backwards(scenes: Scenes) -> None:
    await scenes.failed()
    page = await scenes.page("/log")
    size = int((await scenes.get("/log/checkpoint")).text.splitlines()[1])
    assert f"The log holds {size} entries." in page.text
    assert row_of(page, str(size - 1))[2] == "verdict"
    later = await scenes.page("/log?cursor=2")
    assert "Older entries" in later.text
    assert row_of(later, "2")[2] == "key"


async def test_keys_show_holder_and_role_and_that_one_person_governs(scenes: Scenes) -> None:
    page = await scenes.page("/keys")
    assert "Governed by one person" in page.text
    roles = {row.all("td")[1].text for row in page.all("tr")[1:]}
    assert roles == {"admin", "maintainer", "runner"}


async def test_statement_is_shown_as_signed(scenes: Scenes) -> None:
    study = await scenes.failed()
    page = await scenes.page(f"/statements/{study.digest}")
    assert "urn:fairtrial:study:v1" in page.all("pre")[0].text
    assert (await scenes.get(f"/statements/{digest('none')}")).status_code == 404


async def test_each_reason_code_has_a_page(scenes: Scenes) -> None:
    for reason in Reason:
        page = await scenes.page(f"/reasons/{reason}")
        assert explain(reason).sentence in page.text
        assert explain(reason).page in page.text


async def test_unknown_reason_is_404(scenes: Scenes) -> None:
    answer = await scenes.get("/reasons/NO_SUCH_REASON")
    assert answer.status_code == 404
    assert "NO_SUCH_REASON" not in answer.text


async def test_each_problem_in_the_list_has_a_page(scenes: Scenes) -> None:
    page = await scenes.page("/problems")
    links = [str(a.attributes["href"]) for a in page.all("a")]
    problems = [link for link in links if link.startswith("/problems/")]
    assert {"/problems/parameter", "/problems/unknown-thing", "/problems/host"} <= set(problems)
    for link in problems:
        assert (await scenes.page(link)).all("h1")[0].text == f"Problem {link.split('/')[-1]}"
    assert (await scenes.get("/problems/no-such-problem")).status_code == 404


async def test_glossary_gives_the_words_of_the_pages(scenes: Scenes) -> None:
    said = (await scenes.page("/glossary")).text
    for word in ("slot", "capture", "receipt", "gate", "verdict", "checkpoint"):
        assert word in said


async def test_every_link_of_the_main_pages_leads_somewhere(scenes: Scenes) -> None:
    study = await scenes.failed()
    seen: set[str] = set()
    for start in ("/", scenes.repository_path, scenes.head_path, "/log", "/reasons",
                  f"{scenes.repository_path}/studies/{study.digest}"):  # fmt: skip
        page = await scenes.page(start)
        ids = {node.attributes.get("id") for node in page.all()}
        for link in page.all("a", "link"):
            target = str(link.attributes["href"])
            if target.startswith("#"):
                assert target[1:] in ids, (start, target)
            else:
                seen.add(target)
    for target in sorted(seen):
        assert (await scenes.get(target)).status_code == 200, target


async def test_head_of_a_repository_without_policy_says_so(world_scenes: Scenes) -> None:
    world = world_scenes.world
    await world.register("maintainer", "maintainer")  # type: ignore[arg-type]  # a role by its text
    await world.register("runner", "runner")  # type: ignore[arg-type]  # a role by its text
    await world.put(world.make.lock(world.document))
    world_scenes.on("no policy")
    page = await world_scenes.page()
    assert "no claim: the repository has no policy: HOLD" in page.all("h2")[0].text
    assert "NO_POLICY" in page.text
    said = await world_scenes.page(world_scenes.repository_path)
    assert "No policy is in force" in said.text
    assert commit("no policy") in page.text
