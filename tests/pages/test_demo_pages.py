# SPDX-License-Identifier: Apache-2.0
"""The demo's pages read as their cases demand: word, owner, author action, and what is not said."""

import asyncio
from pathlib import Path

import httpx
import pytest

from app.demo import synthetic
from app.demo.build import build, site_in
from app.demo.thread import (
    contention,
    dual_capacity,
    early_canary,
    endurance,
    landing,
    long_prefill,
    natural_pressure,
    source_review,
    starved,
    wrong_url,
)
from app.main import assemble
from app.runner.compose import HeadPlace
from app.service.ledger import Ledger
from app.storage.clock import SystemClock
from app.storage.ledger_keys import read_ledger_keys
from app.storage.open_store import store_of
from tests.pages.reading import Node, read, row_of, section_after

HEADS = synthetic.HEADS
WORDS = {
    HEADS.qualified: "land: QUALIFIED",
    HEADS.not_qualified: "land: NOT_QUALIFIED",
    HEADS.open_slots: "land: HOLD",
    HEADS.rank_mismatch: "land: HOLD",
    HEADS.abandoned: "land: HOLD",
    HEADS.other_commit: "land: HOLD",
    HEADS.gates_moved: "land: HOLD",
    HEADS.conflicting: "land: NOT_QUALIFIED CONFLICTING",
}
REASONS = {
    HEADS.qualified: "ALL_SCOPES_PASS",
    HEADS.not_qualified: "SCOPE_FAILED",
    HEADS.open_slots: "OPEN_STUDY",
    HEADS.rank_mismatch: "RANK_MISMATCH",
    HEADS.abandoned: "ABANDONED",
    HEADS.other_commit: "OTHER_COMMIT",
    HEADS.gates_moved: "GATES_MOVED_AFTER_RESULT",
    HEADS.conflicting: "CONFLICTING",
}


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Node]:
    """Build the demo once; return the page of each head."""
    return asyncio.run(_pages(tmp_path_factory.mktemp("demo")))


async def _pages(folder: Path) -> dict[str, Node]:
    clock = SystemClock()
    built = await build(folder, clock)
    signer = read_ledger_keys(folder)
    ledger = Ledger(store_of(site_in(folder).database_url), signer=signer, clock=clock)
    app = assemble(ledger, allowed_hosts=("localhost",), published={})
    transport = httpx.ASGITransport(app=app)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=transport, base_url="http://localhost") as client,
    ):
        found = {}
        for place in (one.place for one in (*built.replays, *built.synthetic)):
            answer = await client.get(f"/r/{place.repository}/heads/{place.head}")
            assert answer.status_code == 200, answer.text
            found[place.head] = read(answer.text)
        return found


@pytest.mark.parametrize("head", WORDS)
def test_synthetic_head_has_its_word_and_says_why(demo: dict[str, Node], head: str) -> None:
    page = demo[head]
    assert page.all("h2")[0].text == WORDS[head]
    assert REASONS[head] in page.text
    assert "Author action now: none." in page.text
    assert "Synthetic" in page.text
    green = {node.text for node in page.all("strong") if "is-qualified" in node.classes}
    assert green == ({"QUALIFIED"} if head == HEADS.qualified else set())


@pytest.mark.parametrize("place", [starved.HEAD, wrong_url.HEAD])
def test_replay_is_a_hold_for_both_claims_and_asks_nothing_of_the_author(
    demo: dict[str, Node], place: HeadPlace
) -> None:
    page = demo[place.head]
    assert [one.text for one in page.all("h2")][:2] == ["land: HOLD", "default-chunk0: HOLD"]
    assert "Next action: plotarmordev (named by a hold): " in page.text
    assert "Author action now: none." in page.text
    assert "REPLAY" in page.text
    assert "PASS" not in {cell.text for cell in page.all("td")}


def test_a1_canary_fails_for_the_tested_commit_alone_and_names_no_cause(
    demo: dict[str, Node],
) -> None:
    page = demo[starved.HEAD.head]
    row = row_of(page, "live_correctness")
    assert row[1].startswith("NOT_RUN OTHER_COMMIT")
    assert row[4].startswith("FAIL")
    assert row[4].endswith("cause: not established")
    canary = row_of(page, "canary-b study 1", "FAIL NOT_BEFORE")
    assert "n = 1 of 5 planned" in canary[4]
    assert canary[5] == "at least 0.209 s outside"
    assert row_of(page, "complete-b study 1", "FAIL")[5] == "at least 1 outside"
    nothing = "It tested a commit that was not published and establishes nothing about this head."
    assert nothing in page.text
    assert "a commit that was not published" in section_after(page, "What is not established")
    newcomer = row_of(page, "B/C2-canary/1 attempt 1 newcomer")
    assert newcomer[2] == "not recorded"
    assert newcomer[5] == "unfinished"
    assert newcomer[7] == "200"


def test_a3_wrong_url_is_neither_a_pass_nor_a_regression(demo: dict[str, Node]) -> None:
    page = demo[wrong_url.HEAD.head]
    assert "Nothing was measured: neither a pass nor a regression." in page.text
    assert row_of(page, "live_correctness")[1].startswith("INVALID HARNESS_FAULT")
    assert "planned 15 = 0 open + 0 reserved + 14 missing" in page.text
    states = [row.all("td")[0].text.split()[0] for row in page.all("tr") if len(row.all("td")) == 5]
    assert "FAIL" not in states
    assert "PASS" not in states


def test_sealed_head_shows_nothing_computed(demo: dict[str, Node]) -> None:
    page = demo[HEADS.open_slots]
    assert not page.all("svg")
    assert "Sealed until the study closes" in page.text


def top_of(page: Node, of: str) -> str:
    """Return the text of a section at the top: of one claim, or of what every claim shares."""
    (found,) = [one for one in page.all("section") if one.attributes.get("aria-label") == of]
    return found.text


def facts_of(page: Node) -> str:
    return top_of(page, "Attempt and slots")


def test_what_every_claim_shares_is_said_once_and_each_says_only_its_own(
    demo: dict[str, Node],
) -> None:
    page = demo[starved.HEAD.head]
    top = page.text.partition("Attempt 1 of 1")[0]
    assert top.count("demo-keeper holds this") == 1
    assert top.count("Next action: plotarmordev") == 1
    assert top.count("cause: not established") == 1
    assert "as it is. Author action now: none." in top
    assert ".." not in top
    own = "SCOPE_NOT_PASS : live_correctness NOT_RUN (OTHER_COMMIT)"
    assert own in top_of(page, "Claim land")
    assert f"{own}; fairness and performance NOT_RUN (NO_STUDY)" in (
        top_of(page, "Claim default-chunk0")
    )
    assert len(top.split()) < 200


def test_a1_says_that_earlier_scheduler_settings_ran(demo: dict[str, Node]) -> None:
    said = section_after(demo[starved.HEAD.head], "What is not established")
    assert "settings: earlier scheduler settings than the head's (B/C2-canary/1)" in said


def test_a2_canary_passes_for_the_tested_commit(demo: dict[str, Node]) -> None:
    said = facts_of(demo[early_canary.HEAD.head])
    assert "canary-b PASS (BEFORE_WITH_EXPECTED_ANSWER)" in said
    assert "It tested another commit and establishes nothing about this head." in said


def test_a4_skipped_checks_stand_as_not_tested_beside_every_pass_of_their_scope(
    demo: dict[str, Node],
) -> None:
    page = demo[natural_pressure.HEAD.head]
    assert "Passes: cpu (65 skipped: not tested) and boot." in top_of(page, "Claim systems")
    assert "REPLAY : studies 1, 2 and 3." in top_of(page, "Every claim")
    scope = row_of(page, "cpu")
    assert [one.endswith("65 skipped: not tested") for one in scope if one.startswith("PASS")] == [
        True,
        True,
    ]
    gate = row_of(page, "checks-b study 2", "PASS CHECKS_PASSED")
    assert gate[4].endswith("repository: 379 passed, 0 failed, 65 skipped: not tested")
    assert "65 skipped: not tested" in section_after(page, "What is not established")


def test_a5_landed_through_its_change_and_its_controls_spread(demo: dict[str, Node]) -> None:
    page = demo[landing.HEAD.head]
    land = top_of(page, "Claim land")
    assert "landed through change 309, claim land" in land
    assert "the default of CHUNK=0 did not" in land
    assert "follow up: change 308" in land
    assert land.endswith("Passes: live_correctness. Why: REPLAY .")
    default = top_of(page, "Claim default-chunk0")
    assert "performance INCONCLUSIVE (BASELINE_SPREAD)" in default
    assert "canary-a, canary-b, canary-a2 PASS (BEFORE_WITH_EXPECTED_ANSWER)" in facts_of(page)
    gate = row_of(page, "throughput-b-c1 study 1", "INCONCLUSIVE BASELINE_SPREAD")
    assert "A: about 48.761907 tokens/s to about 68.266671 tokens/s" in gate[4]
    assert "synthetic figures" in section_after(page, "What is not established")


def test_endurance_gives_both_lanes_in_hours_with_their_jobs(demo: dict[str, Node]) -> None:
    page = demo[endurance.HEAD.head]
    gate = row_of(page, "jobs-b study 1", "PASS LANES_HELD")
    assert "18000000000 us is 5:00:00 (h:min:s)" in gate[2]
    assert "lane 0: 5:16:57 (h:min:s), 251 validated, 0 failed" in gate[4]
    assert "lane 1: 5:16:57 (h:min:s), 249 validated, 0 failed" in gate[4]
    for counters in ("compressions 8, peak_prompt_tokens 494,550", "peak_prompt_tokens 494,443"):
        assert counters in page.text


def test_capacity_claims_no_throughput_at_the_top(demo: dict[str, Node]) -> None:
    said = facts_of(demo[dual_capacity.HEAD.head])
    assert "Does not claim: throughput; that both contexts were resident at once" in said
    assert "Concurrent completion, not both contexts resident at once" in said
    assert "not a throughput claim" in said


def test_long_prefill_gives_its_times_to_the_millisecond(demo: dict[str, Node]) -> None:
    page = demo[long_prefill.HEAD.head]
    for time in ("858.149 s", "856.319 s", "between 858.148 s and 858.150 s"):
        assert time in page.text


def test_contention_study_was_not_run_anywhere(demo: dict[str, Node]) -> None:
    page = demo[contention.HEAD.head]
    assert "has not been run anywhere" in facts_of(page)
    assert "28 gates NOT_RUN (NO_MEASURED_SLOT)" in facts_of(page)
    assert "Nothing was measured: neither a pass nor a regression." in top_of(page, "Every claim")


def test_source_review_is_a_comment_that_accepts_nothing(demo: dict[str, Node]) -> None:
    page = demo[source_review.HEAD.head]
    assert "COMMENT: neither for nor against" in page.text
    assert "No tests, live endpoints or GPU operations were run here" in page.text
    gate = row_of(page, "accepted-b study 1", "NOT_RUN NO_REVIEW")
    assert "No independent person has accepted this head." in gate[1]
    assert gate[4].endswith("reviews of this head: 1 COMMENT")
