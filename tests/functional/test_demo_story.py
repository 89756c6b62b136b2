# SPDX-License-Identifier: Apache-2.0
"""Every head of the demo says exactly what its case demands: word, reasons, owner, gates, bytes."""

import json
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from app.core.errors import Conflict
from app.demo.build import MARKER, clear, site_in
from app.demo.thread import starved, wrong_url
from tests.functional.demo.expected import judged
from tests.functional.demo.made_up import HEADS, SYNTHETIC
from tests.functional.demo.thread import REPLAYED, THREAD
from tests.functional.processes import CommandLine, Here, serving

STORY = THREAD | SYNTHETIC


@dataclass(frozen=True)
class Shown:
    """The demo, served."""

    folder: Path
    url: str
    printed: Any

    def get(self, head: str, claim: str | None = None) -> httpx.Response:
        query = {} if claim is None else {"claim": claim}
        path = f"/v1/repos/{STORY[head].repository}/heads/{head}"
        return httpx.get(self.url + path, params=query, trust_env=False)


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shown]:
    folder = tmp_path_factory.mktemp("demo") / "var"
    command = CommandLine()
    arguments = ("demo", "--data-dir", str(folder), "--no-serve", "--json")
    command.result(*arguments)
    printed = command.result(*arguments)
    settings = {
        "FAIRTRIAL_DATA_DIR": str(folder),
        "FAIRTRIAL_DATABASE_URL": site_in(folder).database_url,
    }
    with serving(settings) as url:
        yield Shown(folder, url, json.loads(printed))


def claims_of_story() -> list[tuple[str, str]]:
    return [(head, claim) for head, said in STORY.items() for claim in said.claims]


@pytest.mark.parametrize(("head", "claim"), claims_of_story())
def test_head_says_exactly_what_the_case_demands(shown: Shown, head: str, claim: str) -> None:
    said, document = STORY[head], shown.get(head, claim).json()
    required = {one["scope"]: (one["state"], one["reason"]) for one in document["required"]}
    flows = [{name: n for name, n in study["flow"].items() if n} for study in document["studies"]]
    gates = [
        {one["gate"]: (one["state"], one["reason"]) for one in study["judgements"]}
        for study in document["studies"]
    ]
    action = document["next_action"]
    assert document["word"] == said.word
    assert [one["code"] for one in document["reasons"]] == said.claims[claim].reasons
    assert document["conflicting"] is said.conflicting
    assert required == said.claims[claim].required
    assert (action["person"], action["role"]) == said.owner
    assert document["author_action_now"] == said.author
    assert gates == [judged(one, found) for one, found in zip(said.gates, gates, strict=True)]
    beside = {name: len(document[name]) for name in ("holds", "reviews", "decisions")}
    assert {name: n for name, n in beside.items() if n} == said.held.get(claim, {})
    assert flows == said.flow
    assert [study["measured"] for study in document["studies"]] == said.measured
    assert document["attempt"]["n"] == sum(
        study["attempt"] is not None for study in document["studies"]
    )


@pytest.mark.parametrize("head", STORY)
def test_offline_score_is_the_served_document_to_the_byte(
    shown: Shown, head: str, tmp_path: Path
) -> None:
    command = Here({"FAIRTRIAL_URL": shown.url})
    said, file = STORY[head], tmp_path / "head.jsonl"
    command.result("bundle", head, "--repository", said.repository, "-o", str(file))
    assert command.result("score", str(file)) == shown.get(head).content
    for claim in said.claims:
        scored = command.result("score", str(file), "--claim", claim)
        assert scored == shown.get(head, claim).content


@pytest.mark.parametrize("head", STORY)
def test_verdict_ends_with_the_code_of_its_word(shown: Shown, head: str) -> None:
    said = STORY[head]
    command = Here({"FAIRTRIAL_URL": shown.url, "FAIRTRIAL_REPOSITORY": said.repository})
    ended = command("verdict", head, "--claim", next(iter(said.claims)), "--exit-code")
    assert ended.code == said.exit_code
    first, about, *_ = ended.out.decode().splitlines()
    assert first.startswith(said.word)
    assert about == f"{said.repository} {head}"


def test_failing_heads_name_no_cause(shown: Shown) -> None:
    for head in (starved.HEAD.head, HEADS.not_qualified, HEADS.conflicting):
        said = STORY[head]
        command = Here({"FAIRTRIAL_URL": shown.url})
        printed = command.result("verdict", head, "--repository", said.repository).decode()
        assert "cause: not established" in printed


def test_nothing_measured_is_neither_a_pass_nor_a_regression(shown: Shown) -> None:
    command = Here({"FAIRTRIAL_URL": shown.url})
    head = wrong_url.HEAD.head
    printed = command.result("verdict", head, "--repository", REPLAYED).decode()
    assert "Nothing was measured: neither a pass nor a regression." in printed


def test_what_was_never_published_is_null_and_listed(shown: Shown) -> None:
    for place in (starved.HEAD, wrong_url.HEAD):
        (study,) = shown.get(place.head, "land").json()["studies"]
        assert set(study["not_published"]) >= {"head.tree", "arms.*.image", "models.*.revision"}
    (told,) = shown.get(starved.HEAD.head, "land").json()["studies"]
    assert told["tested"] is None
    assert not told["tests_head"]
    assert "arms.B.commit" in told["not_published"]
    assert shown.get(wrong_url.HEAD.head, "land").json()["studies"][0]["tests_head"]


def test_every_printed_page_is_there(shown: Shown) -> None:
    printed = [*shown.printed["replays"], *shown.printed["synthetic"]]
    assert len(printed) == len(STORY)
    assert len({page["what"] for page in printed}) == len(STORY)
    places = [page["url"] for page in (*printed, *shown.printed["around"])]
    for page in (f"{shown.printed['url']}/", *places):
        path = page.removeprefix(shown.printed["url"])
        answer = httpx.get(shown.url + path, trust_env=False, follow_redirects=True)
        assert answer.status_code == httpx.codes.OK
        assert answer.headers["content-type"].startswith("text/html")


def test_pages_say_word_owner_and_author_action(shown: Shown) -> None:
    for head, said in STORY.items():
        page = httpx.get(f"{shown.url}/r/{said.repository}/heads/{head}", trust_env=False).text
        assert head in page
        assert said.word in page.replace("NOT QUALIFIED", "NOT_QUALIFIED")
        assert said.owner[0] is None or said.owner[0] in page


def test_demo_leaves_a_folder_of_somebody_else_as_it_is(tmp_path: Path) -> None:
    kept = tmp_path / "ledger.db"
    kept.write_bytes(b"somebody else's")
    ended = Here()("demo", "--data-dir", str(tmp_path), "--no-serve", "--json")
    assert ended.code == 6
    assert json.loads(ended.out)["code"] == "not-a-demo"
    assert [path.name for path in tmp_path.iterdir()] == ["ledger.db"]
    assert kept.read_bytes() == b"somebody else's"


def test_demo_clears_no_folder_in_which_something_else_was_put(tmp_path: Path) -> None:
    clear(tmp_path)
    (tmp_path / "ledger.db").touch()
    clear(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [MARKER]
    (tmp_path / "my-notes.txt").touch()
    with pytest.raises(Conflict, match="something else"):
        clear(tmp_path)
    assert (tmp_path / "my-notes.txt").exists()


def test_demo_does_not_begin_while_its_port_is_taken(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        ended = Here()("demo", "--data-dir", str(tmp_path / "var"), "--port", port, "--json")
    assert ended.code == 3
    assert json.loads(ended.out)["code"] == "configuration"
    assert not (tmp_path / "var").exists()
