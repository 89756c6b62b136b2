# SPDX-License-Identifier: Apache-2.0
"""Every command that the pages for readers and operators show is run, on the ledger of the demo."""

import re
import shutil
import tomllib
from pathlib import Path
from typing import Any

import pytest

from app.core.verdict.trust import parse_trust
from tests.api.fake_ledger import FakeLedger, app_around
from tests.docs.reader import Ran, blocks_of, page, reader_in
from tests.functional.processes import CommandLine

VERIFY, OPERATING, API = "docs/verify.md", "docs/operating.md", "docs/api.md"
PAGES = (VERIFY, OPERATING, API)
SERVE_DEMO = "fairtrial serve --data-dir var --port {}"
CLIENT = re.compile(r"<!-- client -->\n```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NAMED = re.compile(r"`((?:fairtrial|curl) [^`]+)`")
PLACEHOLDER = re.compile(r"[A-Z]+|\[.*\]|[.]+")


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return what `make demo` leaves behind."""
    folder = tmp_path_factory.mktemp("demo") / "var"
    CommandLine().result("demo", "--data-dir", str(folder), "--no-serve")
    return folder


@pytest.fixture(scope="module")
def followed(demo: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Follow each page in a checkout of its own; return what it printed."""
    printed = {}
    for name in PAGES:
        text = page(name)
        reader = reader_in(tmp_path_factory.mktemp("checkout"))
        shutil.copytree(demo, reader.folder / "var")
        if (client := CLIENT.search(text)) is not None:
            (reader.folder / "client.py").write_text(client[1], encoding="utf-8")
        reader.environment |= {"NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"}
        try:
            if "fairtrial serve " not in "".join(blocks_of(text)):
                reader.follow(f".venv/bin/{SERVE_DEMO.format(8000)}")
            ran: list[Ran] = [reader.follow(block) for block in blocks_of(text)]
        finally:
            reader.stop()
        printed[name] = "\n".join(one.out for one in ran)
    return printed


def test_verify_says_what_its_commands_print(followed: dict[str, str]) -> None:
    out = followed[VERIFY]
    assert out.count("\nverified\n") == 4
    assert "the first look ended with 41" in out
    assert "\nPASSED\n" in out
    assert "\nFIRST_VERSION\n" in out
    assert re.search(r"^[0-9a-f]{64} stands at index \d+ of \d+ in demo\.", out, re.MULTILINE)


def test_operating_says_what_its_commands_print(followed: dict[str, str]) -> None:
    out = followed[OPERATING]
    assert '"damage":null' in out
    assert re.search(r"^continues  demo\.fairtrial\.example/ledger at size \d+$", out, re.MULTILINE)
    assert re.search(r"^fairtrial_tree_size \d+", out, re.MULTILINE)


def test_api_says_what_its_commands_print(followed: dict[str, str]) -> None:
    out = followed[API].splitlines()
    assert out[0] == "QUALIFIED for land"
    assert "422 /problems/parameter" in out
    assert "W_NO_ASSAY_CONTROL" in out


@pytest.mark.parametrize("name", PAGES)
def test_command_that_a_page_names_is_one_that_is_run(name: str) -> None:
    run = "".join((*blocks_of(page(name)), *blocks_of(page("README.md")))).replace("\\\n", " ")
    lines = [set(line.replace("$(", " ").split()) for line in run.splitlines()]
    for command in NAMED.findall(page(name)):
        words = {word for word in command.split() if not PLACEHOLDER.fullmatch(word)}
        assert any(words <= line for line in lines), command


@pytest.mark.parametrize("name", PAGES)
def test_command_outside_of_a_block_that_is_run_is_found(name: str) -> None:
    outside = re.sub(r"^```\w*\n.*?^```$", "", page(name), flags=re.MULTILINE | re.DOTALL)
    assert not re.findall(r"^(?: {4}|\t)(?:fairtrial|curl|mkdir|make) .*$", outside, re.MULTILINE)
    fences = re.findall(r"^```(\w*)$", page(name), re.MULTILINE)
    assert set(fences[::2]) <= {"sh", "toml", "python"}
    assert set(fences[1::2]) <= {""}


def test_trust_file_that_the_page_shows_is_one() -> None:
    (shown,) = re.findall(r"^```toml\n(.*?)^```$", page(VERIFY), re.MULTILINE | re.DOTALL)
    (ledger,) = parse_trust(tomllib.loads(shown))
    assert (ledger.origin, ledger.quorum) == ("ledger.example/spark", 0)


def _routes(method: str) -> set[str]:
    described: dict[str, Any] = app_around(FakeLedger()).openapi()["paths"]
    return {path for path, of in described.items() if method in of}


def test_api_lists_every_write_and_no_other() -> None:
    told = re.findall(r"^\| `POST (/v1/[^`]*)` \|", page(API), re.MULTILINE)
    assert set(told) == _routes("post")
    assert len(told) == len(set(told))


def test_api_lists_every_read_and_no_other() -> None:
    rows = re.findall(r"^\| (`(?:GET )?[/.].*?) \|", page(API), re.MULTILINE)
    told = [one for row in rows for one in re.findall(r"`(?:GET )?([^`]*)`", row)]
    assert {_shape(one) for one in told} == {_shape(one) for one in _routes("get")}


def _shape(path: str) -> str:
    whole = path.partition("?")[0].replace("...", "/v1/repos/{host}/{owner}/{name}")
    return re.sub(r"\{[^}]*\}", "*", whole)
