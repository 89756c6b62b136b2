# SPDX-License-Identifier: Apache-2.0
"""Every command the README shows is run here, in its order, against a ledger it makes itself."""

import re
from collections.abc import Iterator

import pytest

from app.cli.exit_code import ExitCode
from tests.docs.reader import Ran, blocks_of, page, reader_in
from tests.functional.processes import PROJECT

README = page("README.md")
MARKED = r"<!-- {} -->\n```sh\n(.*?)^```$"


@pytest.fixture(scope="module")
def followed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Ran]]:
    """Follow the README from its first block to its last."""
    reader = reader_in(tmp_path_factory.mktemp("readme"))
    # Where the README serves on the usual port, no command names it.
    reader.environment["FAIRTRIAL_URL"] = reader.url
    try:
        yield [reader.follow(block) for block in blocks_of(README)]
    finally:
        reader.stop()


def test_every_block_of_the_readme_runs_as_it_stands(followed: list[Ran]) -> None:
    assert len(followed) == len(blocks_of(README))
    assert len(followed) >= 6


def test_readme_says_what_its_commands_print(followed: list[Ran]) -> None:
    printed = "\n".join(one.out for one in followed)
    assert "governed by one person" in printed
    assert "lockable" in printed
    assert "HOLD for land" in printed
    assert "ended with 21" in printed
    assert "A/C2-canary/1  RESERVED" in printed
    assert "the watch ended with 12" in printed
    assert "would become missing: A/C2-canary/2" in printed
    assert "runner  linus  in force  git.example/owner/name" in printed
    assert "ok    your key: maintainer in git.example/owner/name, held by ada" in printed
    assert "cpu-suite: passed 2, failed 0, not tested 1\nhelper-v5: passed" in printed


def marked(name: str) -> list[str]:
    """Return the blocks under a mark, in order."""
    return re.findall(MARKED.format(name), README, re.MULTILINE | re.DOTALL)


def test_first_lock_from_an_empty_machine_takes_at_most_six_commands(followed: list[Ran]) -> None:
    shown = marked("first-lock")
    lines = "".join(shown).replace("\\\n", " ").splitlines()
    commands = [line for line in lines if line.strip() and not line.startswith("#")]
    assert not [line for line in commands if re.search(r"[;|&]", line)], "one command a line"
    clone = 1
    assert clone + len(commands) <= 6
    assert commands[-1].startswith(".venv/bin/fairtrial protocol lock ")
    # They are the first to be run but for the demo, and nothing stands between them.
    ran = [one.block for one in followed]
    assert ran[1 : 1 + len(shown)] == shown
    assert re.search(r"^index +\d+$", followed[len(shown)].out, re.MULTILINE)


def test_lock_by_jq_openssl_and_curl_alone_stands_in_the_log(followed: list[Ran]) -> None:
    (by_hand,) = marked("by-hand")
    assert not re.search(r"^\s*fairtrial ", by_hand, re.MULTILINE)
    (ran,) = [one for one in followed if one.block == by_hand]
    answer = ran.out
    assert '"kind":"protocol"' in answer
    assert '"effect":"accepted"' in answer
    assert '"checkpoint":"ledger.example/sparks' in answer


def test_links_of_the_readme_lead_somewhere() -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        assert (PROJECT / target).exists(), target


def test_readme_names_every_exit_code_of_the_command() -> None:
    table = README.partition("## Exit codes")[2].partition("## Further")[0]
    named = {int(number) for number in re.findall(r"\b\d+\b", table)}
    own = {int(code) for code in ExitCode}
    assert {code for code in own if code < 40 or code > 46} <= named
    assert {40, 43, 46} <= named


def test_trust_takes_twelve_lines() -> None:
    section = README.partition("## What must be trusted")[2].partition("## ")[0]
    lines = [line for line in section.splitlines() if re.match(r"\d+\. ", line)]
    assert len(lines) == 12
