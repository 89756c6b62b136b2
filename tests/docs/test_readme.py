# SPDX-License-Identifier: Apache-2.0
"""Every command the README shows is run here, in its order, against a ledger it makes itself."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from app.cli.exit_code import ExitCode
from tests.functional.processes import environment_of, free_port

PROJECT = Path(__file__).resolve().parents[2]
README = (PROJECT / "README.md").read_text(encoding="utf-8")
TOOLS = ("bash", "jq", "openssl", "curl", "sha256sum", "base64")
SHOWN_PORT = "8000"
SERVE = re.compile(r"^(?:[.]venv/bin/)?fairtrial serve .*$", re.MULTILINE)
MARKED = r"<!-- {} -->\n```sh\n(.*?)^```$"
START_S = 60


def blocks() -> list[str]:
    """Return the shell blocks in order."""
    return re.findall(r"^```sh\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Ran:
    """What a block did."""

    block: str
    out: str


@dataclass
class Reader:
    """Somebody who types what the README shows into one shell."""

    folder: Path
    port: int
    environment: dict[str, str]
    service: "subprocess.Popen[bytes] | None" = None

    def follow(self, block: str) -> Ran:
        """Run one block; what it exports stays."""
        text = block.replace(SHOWN_PORT, str(self.port))
        served = SERVE.search(text)
        text = SERVE.sub("", text)
        # Whole set-ups and whole suites would run this very test again: their recipes are shown.
        text = re.sub(r"^make ", "make --dry-run --silent ", text, flags=re.MULTILINE)
        out = self._run(text)
        if served is not None:
            self._serve(served[0])
        return Ran(block, out)

    def _run(self, text: str) -> str:
        script = f"set -euo pipefail\n{text}\nenv -0 > environment\n"
        done = subprocess.run(
            ["bash", "-c", script],
            cwd=self.folder,
            env=self.environment,
            text=True,
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, f"{text}\n{done.stdout}\n{done.stderr}"
        pairs = (self.folder / "environment").read_text().split("\0")
        self.environment = dict(one.split("=", 1) for one in pairs if "=" in one)
        return done.stdout

    def _serve(self, line: str) -> None:
        self.service = subprocess.Popen(
            ["bash", "-c", f"exec {line}"],
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        transport = httpx.HTTPTransport(retries=0)
        with httpx.Client(transport=transport) as client:
            for _ in range(START_S * 10):
                assert self.service.poll() is None
                try:
                    if client.get(f"http://127.0.0.1:{self.port}/readyz").is_success:
                        return
                except httpx.TransportError:
                    time.sleep(0.1)
        raise RuntimeError("the service did not become ready")

    def stop(self) -> None:
        if self.service is not None:
            self.service.send_signal(signal.SIGTERM)
            self.service.wait(timeout=30)


@pytest.fixture(scope="module")
def followed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Ran]]:
    """Follow the README from its first block to its last."""
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    if missing:
        reason = f"the README's commands need {', '.join(missing)}, which this machine has not"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    folder = tmp_path_factory.mktemp("readme")
    for name in ("Makefile", "protocols", "schemas", "pyproject.toml", "requirements.txt"):
        (folder / name).symlink_to(PROJECT / name)
    (folder / "requirements-dev.txt").symlink_to(PROJECT / "requirements-dev.txt")
    # What `make setup` makes; its recipe is only shown here.
    (folder / ".venv").symlink_to(sys.prefix)
    port = free_port()
    # Where the README serves on the usual port, no command names it.
    environment = environment_of({"FAIRTRIAL_URL": f"http://127.0.0.1:{port}"})
    reader = Reader(folder, port, environment)
    try:
        yield [reader.follow(block) for block in blocks()]
    finally:
        reader.stop()


def test_every_block_of_the_readme_runs_as_it_stands(followed: list[Ran]) -> None:
    assert len(followed) == len(blocks())
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
