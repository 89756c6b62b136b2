# SPDX-License-Identifier: Apache-2.0
"""The demo's pages read as their cases demand: word, owner, author action, and what is not said."""

import asyncio
from pathlib import Path

import httpx
import pytest

from app.demo import synthetic
from app.demo.build import build, site_in
from app.demo.thread import starved, wrong_url
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
        for place in (*built.replays, *built.synthetic):
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
