# SPDX-License-Identifier: Apache-2.0
"""What ``docs/verify.md`` says to people who do not trust us is run against a ledger."""

import html
import re
import subprocess
import sys
from pathlib import Path

import httpx

from app.cli.exit_code import ExitCode
from app.core.verdict.verification import VerificationOutcome
from app.core.verdict.verify import Asked, verify_bundle
from tests.functional.conftest import Opened, Service
from tests.functional.papers import REPOSITORY
from tests.functional.processes import COMMAND, PROJECT, environment_of, read

PAGE = (PROJECT / "docs" / "verify.md").read_text()
MOST_LINES = 40


def client() -> str:
    found = re.search(r"<!-- client -->\n```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


def run(script: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    environment = environment_of({"NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"})
    return subprocess.run(
        [sys.executable, str(script), *arguments],
        env=environment,
        text=True,
        capture_output=True,
        check=False,
    )


def test_the_client_of_the_page_checks_any_statement_and_refuses_another_key(
    on_sqlite: Service, study: Opened, tmp_path: Path
) -> None:
    script = tmp_path / "client.py"
    script.write_text(client())
    code = [line for line in client().splitlines() if line.strip() and not line.startswith("#")]
    assert len(code) <= MOST_LINES
    speak = on_sqlite.speak()
    vkey = read(speak.result("log", "trust", "--json"))["ledger"][0]["checkpoint_key"]
    entries = read(speak.result("log", "show", "--json"))["entries"]
    for entry in entries:
        done = run(script, on_sqlite.url, vkey, entry["statement"])
        assert done.returncode == 0, done.stderr
        assert f"at index {entry['index']} of " in done.stdout
    name, key_id, key = vkey.split("+", 2)
    for forged in (f"{name}+00000000+{key}", f"other+{key_id}+{key}"):
        assert run(script, on_sqlite.url, forged, study.digest).returncode != 0


def test_the_page_lists_every_check_and_every_code() -> None:
    names = [one.name for one in verify_bundle(b"", Asked()).checks]
    assert re.findall(r"^\| `([a-z]+)` \|", PAGE, re.MULTILINE) == names
    codes = [int(one) for one in re.findall(r"^\| ([0-9]+) \|", PAGE, re.MULTILINE)]
    assert codes == [0, *range(40, 47)]
    assert len(VerificationOutcome) == len(codes)
    assert {ExitCode(code) for code in codes}


def test_the_commands_on_a_head_s_page_work(
    on_sqlite: Service, study: Opened, tmp_path: Path
) -> None:
    page = httpx.get(f"{on_sqlite.url}/r/{REPOSITORY}/heads/{study.head}", trust_env=False).text
    found = re.search(r'<pre class="commands"[^>]*>(.*?)</pre>', page, re.DOTALL)
    assert found is not None
    commands = re.sub(r"LEDGER=\S+.*", f"LEDGER={on_sqlite.url}", html.unescape(found[1]))
    (tmp_path / "fairtrial.toml").write_bytes(on_sqlite.speak().result("log", "trust"))
    script = f"fairtrial() {{ {COMMAND[0]} -c '{COMMAND[2]}' \"$@\"; }}\n{commands}\n"
    environment = environment_of({"PYTHONPATH": str(PROJECT), "no_proxy": "127.0.0.1"})
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=tmp_path,
        env=environment,
        text=True,
        capture_output=True,
        check=False,
    )
    lines = done.stdout.splitlines()
    assert [line for line in lines if line in {"verified", "untrusted"}] == [
        "verified",
        "untrusted",
    ], done.stderr
    digests = [line.split()[0] for line in lines if line.endswith("  -")]
    assert len(digests) >= 2
    assert all(
        a == b and f"# {a}" in commands for a, b in zip(digests[::2], digests[1::2], strict=True)
    )
    assert (tmp_path / "pin.json").exists()
