# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a document is any JSON
"""Drafts of protocols: from what ships, through the lint, and what a later version changes."""

import json
from pathlib import Path
from typing import Any

import pytest

from app.cli.exit_code import ExitCode
from app.storage.documents import protocols
from tests.functional import papers
from tests.functional.conftest import Opened, Service
from tests.functional.papers import write
from tests.functional.processes import Here, read
from tests.vectors.example_pilot import pilot

DESIGNS = ["comparison-blocks", "inboot-ratio"]


def test_shipped_protocols_are_listed_with_the_designs_that_decide_first() -> None:
    listed: Any = json.loads(Here().result("protocol", "new", "--json"))
    names = [each["name"] for each in listed["protocols"]]
    assert names[:2] == DESIGNS
    assert set(names) == {file.partition(".")[0] for file in protocols()}
    assert Here().result("protocol", "new").decode().startswith("comparison-blocks")


@pytest.mark.parametrize("name", sorted(file.partition(".")[0] for file in protocols()))
def test_draft_of_every_shipped_protocol_passes_the_lint(name: str, tmp_path: Path) -> None:
    draft = tmp_path / "draft.json"
    Here().result("protocol", "new", "--from", name, "-o", str(draft))
    assert Here().result("protocol", "new", "--from", name) == draft.read_bytes()
    report: Any = json.loads(Here().result("protocol", "lint", str(draft), "--json"))
    assert report["lockable"]
    if name in DESIGNS:
        assert report["findings"] == []
    again = Here()("protocol", "new", "--from", name, "-o", str(draft))
    assert again.code == ExitCode.USAGE


def test_draft_of_a_name_that_does_not_ship_is_refused_with_those_that_do() -> None:
    ended = Here()("protocol", "new", "--from", "nothing")
    assert ended.code != 0
    assert "comparison-blocks" in ended.err


def test_difference_names_gate_direction_and_what_is_exploratory(tmp_path: Path) -> None:
    before: Any = json.loads(protocols()["comparison-blocks.v1.json"])
    after: Any = json.loads(protocols()["comparison-blocks.v1.json"])
    after["version"] = 2
    after["gates"][0]["comparison"]["margin"] = "0.3"
    files = (write(tmp_path, "1.json", before), write(tmp_path, "2.json", after))
    said = Here().result("protocol", "diff", *files).decode()
    assert 'gate ttft-contended/comparison/margin: "0.2" -> "0.3" (loosened)' in said
    assert "EXPLORATORY for what was reserved before its lock: ttft-contended" in said
    report: Any = json.loads(Here().result("protocol", "diff", *files, "--json"))
    (change,) = report["changes"]
    assert change["pointer"] == "/gates/0/comparison/margin"
    assert report["exploratory_for_earlier_evidence"] == ["ttft-contended"]
    same = Here().result("protocol", "diff", files[0], files[0]).decode()
    assert same == "no difference but the version\n"
    removed = Here().result("protocol", "diff", files[1], write(tmp_path, "3.json", fewer(after)))
    assert b"gate worst-contended: removed (loosened)" in removed


def fewer(document: Any) -> Any:
    return {**document, "gates": [document["gates"][0], *document["gates"][2:]]}


def test_difference_of_locked_protocols_by_digest_and_name(
    on_sqlite: Service, study: Opened
) -> None:
    del study  # what it stands on is locked
    somebody = on_sqlite.speak()
    name = read(papers.PROTOCOL.read_bytes())["name"]
    for each in (papers.DIGEST, name, f"{name}@1"):
        said = somebody.result("protocol", "diff", str(papers.PROTOCOL), each)
        assert said == b"no difference but the version\n"
    assert somebody("protocol", "diff", str(papers.PROTOCOL), f"{name}@9").code != 0


def test_versions_of_a_locked_protocol_say_what_each_lock_could_know(
    on_sqlite: Service, study: Opened, tmp_path: Path
) -> None:
    somebody = on_sqlite.speak()
    document: Any = read(papers.PROTOCOL.read_bytes())
    for each in (papers.DIGEST, document["name"], f"{document['name']}@1"):
        said = somebody.result("protocol", "versions", each).decode()
        assert said.startswith(f"v1  {papers.DIGEST}  locked ")
        assert "\n  not EXPLORATORY (FIRST_VERSION) No version of this protocol was" in said
    report: Any = read(somebody.result("protocol", "versions", papers.DIGEST, "--json"))
    (row,) = report["versions"]
    assert (row["digest"], row["changes"], row["exploratory"]) == (papers.DIGEST, [], False)
    assert report["newest"] == papers.DIGEST
    bundle = somebody.result("bundle", study.head, "-o", "-")
    file = tmp_path / "head.jsonl"
    file.write_bytes(bundle)
    offline = ("protocol", "versions", "--bundle", str(file))
    for each in (papers.DIGEST, document["name"]):
        assert read(Here().result(*offline, each, "--json")) == report
    assert Here()(*offline, "0" * 64).code != 0
    file.write_bytes(bundle[:-100])
    assert Here()(*offline, papers.DIGEST).code == ExitCode.DAMAGE
    assert somebody("protocol", "versions", "0" * 64).code != 0
    assert somebody("protocol", "versions", f"{document['name']}@9").code != 0


def test_a_digest_is_looked_up_wherever_it_is_locked_and_a_name_in_the_repository_named(
    on_sqlite: Service, study: Opened
) -> None:
    del study  # what it stands on is locked
    elsewhere = "git.example/some/other"
    visitor = Here({"FAIRTRIAL_URL": on_sqlite.url, "FAIRTRIAL_REPOSITORY": elsewhere})
    ended = visitor("protocol", "versions", papers.DIGEST, "--json")
    assert (ended.code, read(ended.out)["repository"]) == (0, papers.REPOSITORY)
    assert f"not locked in {elsewhere}; these are the versions in {papers.REPOSITORY}" in ended.err
    named = visitor("protocol", "versions", read(papers.PROTOCOL.read_bytes())["name"])
    assert (named.code, f"no locked protocol in {elsewhere}" in named.err) == (43, True)
    assert visitor("protocol", "versions", "0" * 64).code == 43


def test_power_says_chance_seed_and_warns_of_too_little(tmp_path: Path) -> None:
    draft = write(tmp_path, "1.json", json.loads(protocols()["comparison-blocks.v1.json"]))
    lint = ("protocol", "lint", draft, "--power", "--seed", "3")
    said = Here().result(*lint).decode()
    assert "power at spread 0.09, 2000 simulated studies, seed 3" in said
    assert "ttft-contended: blocks, n 8, margin 0.2, no difference: PASS in 0.9" in said
    noisy: Any = json.loads(Here().result(*lint, "--spread", "0.16", "--json"))
    (row,) = noisy["power"]["claims"]
    assert (row["warning"], noisy["power"]["seed"]) == ("W_UNDERPOWERED", 3)
    assert Here()(*lint, "--spread", "none").code == ExitCode.USAGE
    assert Here()(*lint, "--spread", "0").code == ExitCode.USAGE


def test_power_of_a_pilot_says_units_margin_and_deadlines(tmp_path: Path) -> None:
    draft: Any = json.loads(protocols()["comparison-blocks.v1.json"])
    measured = write(tmp_path, "pilot.json", pilot())
    lint = ("protocol", "lint", write(tmp_path, "1.json", draft), "--pilot", measured)
    said = Here().result(*lint).decode()
    assert "power at spread of the pilot, 2000 simulated studies, seed 1" in said
    assert "spread 0.04217, by 5 units of the control" in said
    assert "decides in 0.8 with n 5 at this margin" in said
    assert "worst-solo: sample, n 5, max <= 60000000, the pilot's control: does not" in said
    draft["cells"][0]["ends"]["slot_deadline_us"] = 10_000_000
    draft["gates"][1]["comparison"]["limit"] = "10000000"
    short = write(tmp_path, "2.json", draft)
    report: Any = json.loads(
        Here().result("protocol", "lint", short, "--pilot", measured, "--json")
    )
    (finding,) = report["power"]["findings"]
    assert finding["code"] == "E_DEADLINE_LT_LIMIT"
    assert finding["change"] == [
        {"op": "add", "path": "/cells/0/ends/slot_deadline_us", "value": 20_640_000}
    ]
    broken = write(tmp_path, "3.json", {**pilot(), "series": []})
    assert Here()(*lint[:-1], broken).code == ExitCode.REFUSED


def test_margin_wider_than_the_effect_that_a_pilot_saw_is_warned_of(tmp_path: Path) -> None:
    draft = write(tmp_path, "1.json", json.loads(protocols()["comparison-blocks.v1.json"]))
    lint = ("protocol", "lint", draft, "--json", "--effect")
    assert read(Here().result(*lint, "ttft-contended=0.2"))["findings"] == []
    report: Any = read(Here().result(*lint, "ttft-contended=0.15"))
    (finding,) = report["findings"]
    assert (finding["code"], report["lockable"]) == ("W_MARGIN_GT_EFFECT", True)
    assert finding["formula"] == "0.2 > 0.15, by the pilot"
    twice = ("ttft-contended=0.3", "--effect", "ttft-contended=0.3")
    for wrong in (("worst-solo=0.3",), ("0.3",), ("ttft-contended=1e9",), twice):
        assert Here()(*lint, *wrong).code == ExitCode.USAGE
