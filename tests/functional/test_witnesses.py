# SPDX-License-Identifier: Apache-2.0
"""Threats R06 and R16 with real processes: a ledger, a witness of it, and somebody who watches."""

import contextlib
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.functional import papers
from tests.functional.papers import REPOSITORY
from tests.functional.processes import (
    COMMAND,
    PROJECT,
    STOP_S,
    Ended,
    Here,
    environment_of,
    read,
    serving,
)
from tests.ports import quiet_port

ORIGIN = "ledger.example/witnessed"
NAME = "witness.example/w1"
FOUND = ("init", "--origin", ORIGIN, "--repository", REPOSITORY, "--holder", "ada")
WAIT_S = 60


@dataclass(frozen=True)
class Witness:
    """A running witness, as it says of itself."""

    vkey: str
    url: str


@contextlib.contextmanager
def witnessing(folder: Path, log: str) -> Iterator[Witness]:
    """Run a witness of ``log`` with a key of its own."""
    Here().result("key", "new", str(folder / "witness.pem"))
    arguments = ("--name", NAME, "--key", str(folder / "witness.pem"), "--log", log, "--json")
    process = subprocess.Popen(
        [
            *(*COMMAND, "log", "witness", *arguments),
            *("--state", str(folder / "witness.json"), "--port", str(quiet_port())),
        ],
        env=environment_of({}),
        cwd=PROJECT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        assert process.stdout is not None
        said = read(process.stdout.readline())
        yield Witness(said["witness"], said["url"])
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=STOP_S)


def witnesses(url: str) -> dict[str, Any]:
    answer: dict[str, Any] = httpx.get(f"{url}/v1/log/witnesses", trust_env=False).json()
    return answer


def until_cosigned(url: str) -> dict[str, Any]:
    deadline = time.monotonic() + WAIT_S
    found = witnesses(url)
    while time.monotonic() < deadline:
        if found["cosigned"]:
            return found
        time.sleep(0.2)
        found = witnesses(url)
    pytest.fail(f"nobody cosigned: {found}")


def lock(folder: Path, url: str) -> None:
    """Append an entry."""
    key = str(folder / "keys" / "maintainer.pem")
    maintainer = Here(
        {"FAIRTRIAL_URL": url, "FAIRTRIAL_REPOSITORY": REPOSITORY, "FAIRTRIAL_KEY": key}
    )
    linted = read(maintainer.result("protocol", "lint", str(papers.PROTOCOL), "--json"))
    warnings = [f"--acknowledge={one['code']}" for one in linted["findings"]]
    maintainer.result("protocol", "lock", str(papers.PROTOCOL), *warnings)


def look(url: str, state: Path) -> Ended:
    return Here()("log", "monitor", url, "--state", str(state), "--json")


def test_r16_a_witness_cosigns_a_served_ledger_and_a_watcher_sees_one_history(
    tmp_path: Path,
) -> None:
    data, older, state = tmp_path / "data", tmp_path / "older", tmp_path / "log.state"
    settings = {"FAIRTRIAL_DATA_DIR": str(data), "FAIRTRIAL_SCRUB_PAUSE_S": "0"}
    Here(settings).result(*FOUND)
    shutil.copytree(data, older)
    with serving(settings) as url:
        trusted = read(Here({"FAIRTRIAL_URL": url}).result("log", "trust", "--json"))["ledger"][0]
    with witnessing(tmp_path, trusted["checkpoint_key"]) as witness:
        named = {**settings, "FAIRTRIAL_WITNESSES": f"{witness.vkey} {witness.url}"}
        with serving(named) as url:
            first = until_cosigned(url)
            assert (first["cosigned"], first["named"]) == (1, 1)
            assert first["witnesses"][0]["witness"] == witness.vkey
            looked = look(url, state)
            assert (looked.code, read(looked.out)["vouched"]) == (41, False)
            lock(data, url)
            second = until_cosigned(url)
            assert second["size"] > first["size"]
            assert second["first_seen_outside"] >= first["first_seen_outside"]
            _require_page_says(url, second)
            _require_verified(url, tmp_path, witness)
            looked = look(url, state)
            assert (looked.code, read(looked.out)["new_entries"]) == (0, 1)
            kept = (tmp_path / "witness.json").read_bytes()
    kept_state = state.read_bytes()
    with serving({**settings, "FAIRTRIAL_DATA_DIR": str(older)}) as url:
        assert look(url, state).code == 46  # set back, checkpoint file and all
        _grow(older, url)
        assert look(url, state).code == 44  # and now another history
    assert (tmp_path / "witness.json").read_bytes() == kept
    assert state.read_bytes() == kept_state


def _require_page_says(url: str, found: dict[str, Any]) -> None:
    page = httpx.get(f"{url}/log", trust_env=False).text
    words = f"1 of the 1 witnesses this ledger names have cosigned size {found['size']}"
    assert words in page
    assert "first seen outside at" in page


def _require_verified(url: str, folder: Path, witness: Witness) -> None:
    """A reader's own trust file decides which of them count."""
    speak = Here({"FAIRTRIAL_URL": url, "FAIRTRIAL_REPOSITORY": REPOSITORY})
    trust = speak.result("log", "trust").decode()
    file = folder / "fairtrial.toml"
    file.write_text(f'{trust}quorum = 1\n\n[[ledger.witness]]\nkey = "{witness.vkey}"\n')
    ended = speak("verify", "a" * 40, "--trust", str(file))
    assert re.search(
        r"^ok +witnesses +1 of the 1 witnesses you name have cosigned, first seen outside at ",
        ended.out.decode(),
        re.MULTILINE,
    ), ended


def _grow(folder: Path, url: str) -> None:
    """Append as many entries as the other history has, and one more."""
    for number in range(2):
        key = folder / f"{number}.pem"
        Here().result("key", "new", str(key))
        speak = Here(
            {
                "FAIRTRIAL_URL": url,
                "FAIRTRIAL_REPOSITORY": REPOSITORY,
                "FAIRTRIAL_KEY": str(key),
            }
        )
        role = ("--role", "reviewer", "--repository", REPOSITORY, "--holder", f"other{number}")
        request = speak.result("key", "request", *role)
        admin = Here({"FAIRTRIAL_URL": url, "FAIRTRIAL_KEY": str(folder / "keys" / "admin.pem")})
        ended = admin("key", "register", "-", stdin=request)
        assert ended.code == 0, ended.err
