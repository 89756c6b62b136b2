# SPDX-License-Identifier: Apache-2.0
"""What a stranger can find out about a ledger that is not theirs, and what they are told."""

import json
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from app.core.log.following import parse_followed
from app.core.log.merkle import Frontier
from app.core.log.proof import parse_proof
from tests.functional.conftest import Opened, Service
from tests.functional.processes import (
    COMMAND,
    NOWHERE,
    PROJECT,
    Here,
    environment_of,
    problem,
    read,
)


@pytest.fixture
def bundle(on_sqlite: Service, study: Opened, tmp_path: Path) -> Path:
    path = tmp_path / "head.jsonl"
    on_sqlite.speak().result("bundle", study.head, "-o", str(path))
    return path


@pytest.fixture
def trust(on_sqlite: Service, tmp_path: Path) -> Path:
    """Return the trust file of somebody who was told by the ledger's own people."""
    path = tmp_path / "checkout" / "fairtrial.toml"
    path.parent.mkdir()
    path.write_bytes(on_sqlite.speak().result("log", "trust"))
    return path


def test_s16_verify_opens_no_socket_on_a_bundle(bundle: Path, trust: Path, study: Opened) -> None:
    arguments = ["--trust", str(trust), "--json"]
    script = (
        "import sys\n"
        "def refuse(event, _arguments):\n"
        "    if event.startswith('socket.'): raise SystemExit('opened a socket: ' + event)\n"
        "sys.addaudithook(refuse)\n"
        "from app.cli.main import run\n"
        f"sys.argv = ['fairtrial', 'verify', {str(bundle)!r}, *{arguments!r}]\n"
        "run()\n"
    )
    environment = environment_of({"FAIRTRIAL_URL": NOWHERE})
    done = subprocess.run(
        [COMMAND[0], "-c", script], cwd=PROJECT, env=environment, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
    assert read(done.stdout)["about"]["head"] == study.head


def test_s16_trust_may_come_from_the_checkout_that_is_judged(bundle: Path, trust: Path) -> None:
    ended = Here()("verify", str(bundle), "--checkout", str(trust.parent))
    assert ended.code == 0
    lines = ended.out.decode().splitlines()
    assert [line.split()[1] for line in lines if line.startswith("ok ")][:2] == ["form", "lines"]
    assert lines[-1] == "verified"
    both = Here()("verify", str(bundle), "--checkout", str(trust.parent), "--trust", str(trust))
    assert both.code == 3


@pytest.mark.parametrize("text", ["[[ledger]", "", "[[ledger]]\norigin = 3\n"])
def test_s16_a_trust_file_that_is_none_is_a_configuration(
    bundle: Path, tmp_path: Path, text: str
) -> None:
    path = tmp_path / "trust.toml"
    path.write_text(text)
    ended = Here()("verify", str(bundle), "--trust", str(path), "--json")
    assert (ended.code, problem(ended)) == (3, "configuration")


def test_s13_no_such_file_does_not_pass(tmp_path: Path) -> None:
    assert Here()("verify", str(tmp_path / "missing.jsonl")).code == 3
    assert Here()("verify", "-", "--json").code == 43


def test_r16_a_head_is_held_against_the_look_before(
    on_sqlite: Service, study: Opened, tmp_path: Path
) -> None:
    pin = tmp_path / "pin.json"
    speak = on_sqlite.speak("maintainer")
    first = speak("verify", study.head, "--pin", str(pin), "--json")
    assert (first.code, read(first.out)["reason"]) == (41, "untrusted")
    size = read(first.out)["about"]["size"]
    _grow(on_sqlite, study)
    later = speak("verify", study.head, "--pin", str(pin), "--json")
    assert later.code == 0, later.out
    assert read(later.out)["about"]["size"] > size
    states = {one["name"]: one["state"] for one in read(later.out)["checks"]}
    assert (states["pin"], states["trust"]) == ("ok", "ok")
    remembered = json.loads(pin.read_text())
    assert f"\n{read(later.out)['about']['size']}\n" in remembered["checkpoint"]
    pin.write_bytes(pin.read_bytes()[:-9])
    damaged = speak("verify", study.head, "--pin", str(pin), "--json")
    assert (damaged.code, problem(damaged)) == (45, "pin")


def _grow(service: Service, study: Opened) -> None:
    what = ("--what", "the wrapper was started twice", "--phase", "warmup")
    service.speak("runner").result("deviate", study.digest, *what)


def test_r16_lines_from_a_thread_are_held_against_the_head(
    on_sqlite: Service, study: Opened, trust: Path, tmp_path: Path
) -> None:
    speak = on_sqlite.speak()
    note = speak.result("log", "show", "--checkpoint").decode()
    thread = tmp_path / "thread.txt"
    thread.write_text("> " + note.replace("\n", "\n> "))
    _grow(on_sqlite, study)
    asked = ("--trust", str(trust), "--checkpoint-from", str(thread), "--json")
    ended = speak("verify", study.head, *asked)
    assert ended.code == 0, ended.out
    thread.write_text("Looks good to me.")
    ended = speak("verify", study.head, *asked)
    assert (ended.code, read(ended.out)["reason"]) == (43, "no_match")


def test_s14_the_proof_of_a_statement_is_a_text_that_was_checked(
    on_sqlite: Service, study: Opened, trust: Path, tmp_path: Path
) -> None:
    speak = on_sqlite.speak()
    text = speak.result("log", "proof", study.digest)
    assert parse_proof(text).to_bytes() == text
    path = tmp_path / "study.tlog-proof"
    asked = ("log", "proof", study.digest, "--trust", str(trust), "-o", str(path), "--json")
    answer = read(speak.result(*asked))
    assert (answer["trusted"], answer["index"]) == (True, parse_proof(path.read_bytes()).index)
    assert speak("log", "proof", "0" * 64, "--json").code == 43


def test_r16_a_log_is_watched_from_outside(
    on_sqlite: Service, study: Opened, trust: Path, tmp_path: Path
) -> None:
    state = tmp_path / "log.state"
    watch = ("log", "monitor", on_sqlite.url, "--state", str(state), "--json")
    first = Here()(*watch)
    assert (first.code, read(first.out)["vouched"]) == (41, False)
    _grow(on_sqlite, study)
    second = Here()(*watch)
    assert (second.code, read(second.out)["new_entries"]) == (0, 1)
    trusting = Here()(*watch, "--trust", str(trust))
    assert (trusting.code, read(trusting.out)["new_entries"]) == (0, 0)


def test_r16_a_log_that_is_another_or_older_is_not_the_one_seen(
    on_sqlite: Service, study: Opened, trust: Path, tmp_path: Path
) -> None:
    state = tmp_path / "log.state"
    watch = ("log", "monitor", on_sqlite.url, "--state", str(state), "--json")
    assert Here()(*watch).code == 41
    seen = parse_followed(state.read_bytes())
    longer = Frontier(seen.frontier.size + 1024, (bytes(32), *seen.frontier.nodes))
    state.write_bytes(replace(seen, frontier=longer).to_bytes())
    ended = Here()(*watch)
    assert (ended.code, problem(ended)) == (46, "rolled-back")
    state.write_text("{}")
    ended = Here()(*watch)
    assert (ended.code, problem(ended)) == (45, "pin")
    state.unlink()
    lines = trust.read_text().splitlines()
    zeroes = "0" * 64
    forged = [f'genesis = "{zeroes}"' if line.startswith("genesis") else line for line in lines]
    trust.write_text("\n".join(forged))
    ended = Here()(*watch, "--trust", str(trust))
    assert (ended.code, problem(ended)) == (40, "other-ledger")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("quorum = " + "9" * 5000, "is not TOML"),
        ("a = " + "[" * 20_000, "nested too deeply"),
        ("#" * (1 << 20) + "\n[[ledger]]", "larger than 1048576 bytes"),
        ("[[ledger]", "is not TOML"),
    ],
)
def test_trust_file_that_cannot_be_read_whole_is_refused_by_name(
    tmp_path: Path, text: str, told: str
) -> None:
    """A checkout's file is anybody's: it ends with 3 and never with a traceback, nor half read."""
    (tmp_path / "fairtrial.toml").write_text(text)
    ended = Here()("verify", "-", "--checkout", str(tmp_path))
    assert (ended.code, told in ended.err) == (3, True), ended.err
