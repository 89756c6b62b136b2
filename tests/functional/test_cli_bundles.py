# SPDX-License-Identifier: Apache-2.0
"""What is taken away from a ledger and computed again without it."""

import subprocess
from pathlib import Path

from tests.functional import papers
from tests.functional.conftest import Opened, Service
from tests.functional.papers import write
from tests.functional.processes import COMMAND, PROJECT, Here, environment_of, read


def test_score_opens_no_socket(on_sqlite: Service, study: Opened, tmp_path: Path) -> None:
    bundle = tmp_path / "head.jsonl"
    on_sqlite.speak().result("bundle", study.head, "-o", str(bundle))
    script = (
        "import sys\n"
        "def refuse(event, _arguments):\n"
        "    if event.startswith('socket.'): raise SystemExit('opened a socket: ' + event)\n"
        "sys.addaudithook(refuse)\n"
        "from app.cli.main import run\n"
        f"sys.argv = ['fairtrial', 'score', {str(bundle)!r}, '--claim', 'land']\n"
        "run()\n"
    )
    environment = environment_of({"FAIRTRIAL_URL": on_sqlite.url})
    done = subprocess.run(
        [COMMAND[0], "-c", script], cwd=PROJECT, env=environment, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
    assert read(done.stdout)["head"] == study.head
    piped = Here()("score", "-", "--claim", "land", stdin=bundle.read_bytes())
    assert piped.out == done.stdout
    assert b"a bundle vouches for itself" in done.stderr


def test_bundle_that_was_changed_is_not_scored(
    on_sqlite: Service, study: Opened, tmp_path: Path
) -> None:
    data = on_sqlite.speak().result("bundle", study.head, "-o", "-")
    lines = data.splitlines(keepends=True)
    shorter = tmp_path / "shorter.jsonl"
    shorter.write_bytes(b"".join([*lines[:3], *lines[4:]]))
    ended = Here()("score", str(shorter), "--json")
    assert (ended.code, read(ended.out)["code"]) == (42, "line-incomplete")
    last = max(n for n, line in enumerate(lines) if b'"record":"entry"' in line)
    cut = Here()("score", "-", "--json", stdin=b"".join([*lines[:last], *lines[last + 1 :]]))
    assert (cut.code, read(cut.out)["code"]) == (42, "line-incomplete")
    unknown = Here()("score", "-", "--claim", "no-such-claim", "--json", stdin=data)
    assert unknown.code == 43


def test_file_that_is_cut_short_or_no_bundle_at_all_ends_with_45(
    on_sqlite: Service, study: Opened
) -> None:
    whole = on_sqlite.speak().result("bundle", study.head, "-o", "-")
    for data in (whole[:3000], b"no bundle", b"", b"{}\n", b"\xff\xfe\n", b"# A page\n"):
        ended = Here()("score", "-", "--json", stdin=data)
        assert ended.code == 45
        assert read(ended.out)["code"] == "bundle"


def test_exit_code_of_several_claims_must_name_one(
    on_sqlite: Service, study: Opened, tmp_path: Path
) -> None:
    maintainer = on_sqlite.speak("maintainer")
    policy = papers.policy()
    policy["claims"].append({**policy["claims"][0], "name": "default"})
    maintainer.result("policy", "set", write(tmp_path, "policy.json", policy))
    ended = maintainer("verdict", study.head, "--exit-code", "--json")
    assert ended.code == 2
    assert "--claim" in read(ended.out)["detail"]
