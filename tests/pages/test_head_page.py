# SPDX-License-Identifier: Apache-2.0
"""A head's page says what its verdict says, and no more."""

import re

import pytest

from app.core.verdict.explain import sentence_of
from tests.documents import commit
from tests.pages.conftest import Seen
from tests.pages.reading import read, row_of, section_after
from tests.pages.scenes import CANDIDATE, SCENES, Scenes

ORDER = [
    "Holds", "Base", "Scopes", "Gates", "Slots by arm", "Plots", "Control and return to control",
    "All attempts", "What is not established", "Identities", "How to verify this page",
]  # fmt: skip


@pytest.mark.parametrize("name", SCENES)
def test_page_says_word_reasons_owner_and_author_action_of_the_verdict(
    seen: dict[str, Seen], name: str
) -> None:
    page = seen[name].page
    document = seen[name].document
    (claim,) = [node for node in page.all("section") if "claim" in node.classes]
    assert claim.text.startswith(f"land: {document.word}")
    assert sentence_of(document) in claim.text
    assert [node.text for node in claim.all("code")] == [one.code for one in document.reasons]
    action = document.next_action
    who = action.role if action.person is None else f"{action.person} ({action.role})"
    assert f"Next action: {who}. Author action now: none." in claim.text


@pytest.mark.parametrize("name", SCENES)
def test_no_word_but_qualified_is_green(seen: dict[str, Seen], name: str) -> None:
    page = seen[name].page
    green = [node for node in page.all() if "is-qualified" in node.classes]
    assert bool(green) == (seen[name].document.word == "QUALIFIED")
    assert {node.text for node in green if node.tag == "strong"} <= {"QUALIFIED"}


@pytest.mark.parametrize("name", SCENES)
def test_words_of_other_verdicts_are_not_on_the_page(seen: dict[str, Seen], name: str) -> None:
    page = seen[name].page
    word = seen[name].document.word
    said = set(re.findall(r"\b(?:NOT_QUALIFIED|QUALIFIED)\b", page.text))
    assert said <= {word}


@pytest.mark.parametrize("name", SCENES)
def test_sections_stand_in_the_order_in_which_a_reviewer_reads(
    seen: dict[str, Seen], name: str
) -> None:
    page = seen[name].page
    headings = [node.text for node in page.all("h2")]
    assert headings == [f"land: {seen[name].document.word}", *ORDER]
    (first,) = page.all("h1")
    assert first.text == f"Head {seen[name].head}"


@pytest.mark.parametrize("name", SCENES)
def test_printed_sum_of_slots_closes(seen: dict[str, Seen], name: str) -> None:
    page = seen[name].page
    (sum_line,) = [node.text for node in page.all("p") if "sum" in node.classes]
    found = re.search(r"planned (\d+) = (.+?) = (\d+)\.", sum_line)
    assert found is not None
    assert sum(int(one) for one in re.findall(r"\d+", found[2])) == int(found[1]) == int(found[3])
    assert len(found[2].split("+")) == 9


@pytest.mark.parametrize("name", SCENES)
def test_every_gate_of_the_verdict_stands_in_the_table_with_rule_limit_and_n(
    seen: dict[str, Seen], name: str
) -> None:
    page = seen[name].page
    for gate in seen[name].document.studies[0].judgements:
        row = row_of(page, f"{gate.gate} study 1", gate.state)
        assert gate.reason in row[1]
        assert row[2] == gate.rule
        counts = gate.counts
        assert f"n = {counts.exact + counts.bounded} of {counts.planned} planned" in row[4]


def test_gates_stand_worst_first(seen: dict[str, Seen]) -> None:
    page = seen["unfinished"].page
    (table,) = [t for t in page.all("table") if t.all("caption")[0].text.startswith("Gates, worst")]
    states = [row.all("td")[0].text.split()[0] for row in table.all("tr")[1:]]
    order = ["FAIL", "INVALID", "NOT_RUN", "INCONCLUSIVE", "PASS"]
    assert states == sorted(states, key=order.index)
    assert len(set(states)) > 1


def test_under_every_fail_stands_that_the_cause_is_not_established(seen: dict[str, Seen]) -> None:
    page = seen["failed"].page
    cells = [cell for cell in page.all("td") if cell.text.split()[:1] == ["FAIL"]]
    assert len(cells) >= 2
    assert all(cell.text.endswith("cause: not established") for cell in cells)


def test_no_cause_is_named_where_nothing_failed(seen: dict[str, Seen]) -> None:
    page = seen["qualified"].page
    assert "cause" not in page.text


@pytest.mark.parametrize("name", SCENES)
def test_every_planned_slot_stands_in_the_attempts_none_collapsed(
    seen: dict[str, Seen], name: str
) -> None:
    page = seen[name].page
    attempts = section_after(page, "All attempts")
    for slot in seen[name].document.studies[0].slots:
        assert f"{slot.slot} slot is {slot.state}" in attempts


def test_l21_unfinished_stream_stands_in_plot_and_table(seen: dict[str, Seen]) -> None:
    page = seen["unfinished"].page
    arrows = [node for node in page.all("path") if "arrow" in node.classes]
    assert arrows
    (figure,) = [
        f for f in page.all("figure") if f.all("figcaption")[0].text.startswith("Study 1, arm B")
    ]
    assert any("unfinished, watched until 21.210 s" in node.text for node in figure.all("title"))
    row = row_of(figure, f"{CANDIDATE} attempt 1 newcomer")
    assert row[5] == "unfinished"


def test_l17_missing_usage_is_not_recorded_and_never_zero(seen: dict[str, Seen]) -> None:
    page = seen["unfinished"].page
    row = row_of(page, f"{CANDIDATE} attempt 1 newcomer", "0.680 s")
    assert row[2] == row[3] == row[4] == "not recorded"  # content that never came
    assert row[9] == row[10] == "not recorded"  # usage
    assert "0" not in row[2:5] + row[9:11]


def test_slot_without_capture_is_hollow_on_its_rail_and_never_a_zero(seen: dict[str, Seen]) -> None:
    page = seen["ended"].page
    plots = [f for f in page.all("figure") if "streams by the client" in f.text]
    assert len(plots) == 3
    for figure in plots:
        hollow = [node for node in figure.all("circle") if "hollow" in node.classes]
        assert len(hollow) == 1
        assert not list(figure.all("rect", "path"))
        assert "no value" in figure.text


def test_unit_that_says_nothing_says_why_beside_its_plot(seen: dict[str, Seen]) -> None:
    page = seen["ended"].page
    gates = seen["ended"].document.studies[0].judgements
    for gate in (each for each in gates if each.observations):
        (figure,) = [
            f for f in page.all("figure") if f.attributes.get("id") == f"study-1-gate-{gate.gate}"
        ]
        for one in gate.observations:
            assert isinstance(one.why, str)
            assert one.why in figure.text
            assert f"/reasons/{one.why}" in {each.attributes["href"] for each in figure.all("a")}


def test_each_plot_has_a_title_and_its_data_table(seen: dict[str, Seen]) -> None:
    page = seen["failed"].page
    figures = page.all("figure")
    assert figures
    for figure in figures:
        (svg,) = figure.all("svg")
        assert svg.attributes["role"] == "img"
        assert svg.all("title")[0].text
        assert figure.all("table")


def test_plot_of_a_gate_holds_every_planned_unit(seen: dict[str, Seen]) -> None:
    page = seen["unfinished"].page
    for gate in seen["unfinished"].document.studies[0].judgements:
        (figure,) = [
            f for f in page.all("figure") if f.attributes.get("id") == f"study-1-gate-{gate.gate}"
        ]
        marks = {"dot", "span", "arrow", "never", "hollow"}
        drawn = [n for n in figure.all() if marks & set(n.classes)]
        assert len(drawn) == len(gate.observations)
        assert len(figure.all("tr")) == len(gate.observations) + 1


def test_sealed_study_shows_slot_states_and_receipts_and_nothing_computed(
    seen: dict[str, Seen],
) -> None:
    page = seen["opened"].page
    assert "No gate was judged" in section_after(page, "Gates")
    assert "Sealed until the study closes" in section_after(page, "Plots")
    assert not page.all("figure")
    assert "A/C2-canary/1 slot is COMPLETE" in section_after(page, "All attempts")
    assert "spark-1" in section_after(page, "Identities")
    assert "8.837" not in page.text


def test_not_claimed_untested_and_unmeasured_are_listed(seen: dict[str, Seen]) -> None:
    said = section_after(seen["ended"].page, "What is not established")
    assert "throughput" in said
    assert "endurance" in said
    assert "Nothing was measured: neither a pass nor a regression." in said
    assert "Slots MISSING: A/C2-canary/1, B/C2-canary/1, A2/C2-canary/1" in said


def test_replay_says_what_was_not_published_and_that_instants_are_for_display(
    seen: dict[str, Seen],
) -> None:
    page = seen["replayed"].page
    assert "Replay. Study 1 (small-canary v1) retells: A public thread." in page.text
    said = section_after(page, "What is not established")
    assert "head.tree" in said
    assert "Instants by the clients' clocks are for display only." in said


def test_other_commit_is_named_and_the_head_is_not_run(seen: dict[str, Seen]) -> None:
    page = seen["other_commit"].page
    row = row_of(page, "live_correctness")
    assert row[1].startswith("NOT_RUN OTHER_COMMIT")
    assert row[2].startswith("PASS")
    assert f"Study 1: {commit('tested')[:12]}, not this head" in page.text


async def test_unknown_head_of_a_known_repository_says_hold_and_no_evidence(
    scenes: Scenes,
) -> None:
    scenes.on("nobody opened a study here")
    page = await scenes.page()
    (claim,) = [node for node in page.all("section") if "claim" in node.classes]
    assert claim.text.startswith("land: HOLD")
    row = row_of(page, "live_correctness")
    assert row[1].startswith("NOT_RUN NO_STUDY")
    assert "No study on this head." in page.text
    assert "there is no evidence about it" in page.text
    assert "Base: not recorded" in section_after(page, "Base")


async def test_unknown_repository_is_404_with_the_problem_in_words(scenes: Scenes) -> None:
    answer = await scenes.get(f"/r/github.com/no/body/heads/{commit('x')}")
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["link"] == '</problems/unknown-repository>; rel="type"'
    assert answer.headers["cache-control"] == "no-store"
    assert "/problems/unknown-repository" in read(answer.text).text


async def test_prefix_redirects_to_the_full_head_without_copying_the_host(scenes: Scenes) -> None:
    await scenes.qualified()
    answer = await scenes.get(f"{scenes.repository_path}/heads/{scenes.head[:7]}")
    assert answer.status_code == 307
    assert answer.headers["location"] == scenes.head_path


async def test_page_names_the_bundle_the_digests_and_the_checkpoint(scenes: Scenes) -> None:
    await scenes.qualified()
    page = await scenes.page()
    said = section_after(page, "How to verify this page")
    checkpoint = (await scenes.get("/log/checkpoint")).text
    assert f"/v1/repos/{scenes.world.make.repository}/heads/{scenes.head}/bundle" in said
    assert "fairtrial score bundle.jsonl" in said
    assert " ".join(checkpoint.split()) in said
    verdict = await scenes.get(f"{scenes.world.head_path}?claim=land")
    assert verdict.headers["etag"].strip('"') in said


async def test_conflicting_claims_of_two_studies_stand_beside_the_word(scenes: Scenes) -> None:
    await scenes.failed()
    second = await scenes.world.open(ordinal=2)
    await scenes.fill(second, {})
    page = await scenes.page()
    assert "CONFLICTING" in page.text
    assert "NOT_QUALIFIED CONFLICTING" in page.all("h2")[0].text
    assert "Attempt 2 of 2 on this head." in page.text
    assert "Study 1 (small-canary v1)" in page.text
    assert "Study 2 (small-canary v1)" in page.text
