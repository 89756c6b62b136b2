# SPDX-License-Identifier: Apache-2.0
"""What ``docs/verify.md`` says to people who do not trust us is run against a ledger."""

import base64
import contextlib
import html
import json
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest
from typing_extensions import override

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


def _another_leaf(proof: dict[str, Any]) -> None:
    leaf = json.loads(base64.b64decode(proof["leaf"]))
    proof["leaf"] = base64.b64encode(json.dumps(leaf | {"seq": leaf["seq"] + 1}).encode()).decode()


def _another_path(proof: dict[str, Any]) -> None:
    proof["inclusion_proof"][0] = "0" * 64


def _shorter_path(proof: dict[str, Any]) -> None:
    proof["inclusion_proof"].pop()


def _another_root(proof: dict[str, Any]) -> None:
    origin, size, _, *rest = proof["checkpoint"].split("\n")
    root = base64.b64encode(b"r" * 32).decode()
    proof["checkpoint"] = "\n".join([origin, size, root, *rest])


def _another_index(proof: dict[str, Any]) -> None:
    proof["index"] -= 1


@pytest.mark.parametrize(
    "change", [_another_leaf, _another_path, _shorter_path, _another_root, _another_index]
)
def test_s14_the_client_of_the_page_refuses_a_proof_that_was_changed(
    on_sqlite: Service, study: Opened, tmp_path: Path, change: Callable[[dict[str, Any]], None]
) -> None:
    script = tmp_path / "client.py"
    script.write_text(client())
    vkey = read(on_sqlite.speak().result("log", "trust", "--json"))["ledger"][0]["checkpoint_key"]
    path = f"/v1/statements/{study.digest}"
    answers = {
        one: httpx.get(on_sqlite.url + one, trust_env=False).content
        for one in (path, f"{path}/proof")
    }
    with answering(answers) as url:
        assert run(script, url, vkey, study.digest).returncode == 0
    proof = json.loads(answers[f"{path}/proof"])
    change(proof)
    with answering(answers | {f"{path}/proof": json.dumps(proof).encode()}) as url:
        done = run(script, url, vkey, study.digest)
    assert done.returncode == 1
    assert re.search(r"^(?:AssertionError|\S*InvalidSignature)", done.stderr, re.MULTILINE)


@contextlib.contextmanager
def answering(answers: Mapping[str, bytes]) -> Iterator[str]:
    """Give these bytes at these paths; yield the address."""

    class Answering(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(answers[self.path])

        @override
        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Answering) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


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
