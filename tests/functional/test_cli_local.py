# SPDX-License-Identifier: Apache-2.0
"""What ``init`` and ``serve`` refuse before they have written, opened or said anything."""

import json
import os
import re
import socket
import subprocess
from pathlib import Path

import pytest

from app.cli.exit_code import ExitCode
from app.storage.serving_lock import serving
from tests.functional.conftest import Service
from tests.functional.papers import REPOSITORY
from tests.functional.processes import Here


def options(named: dict[str, str]) -> list[str]:
    return [word for pair in named.items() for word in pair]


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"--repository": "github.com/Owner/Recipe"}, "host/owner/name in lower case"),
        ({"--repository": "owner/name"}, "host/owner/name in lower case"),
        ({"--origin": "Ledger Example"}, "a host and path in lower case"),
        ({"--holder": "Ada L"}, "a handle"),
        ({"--repository": "10.0.0.5/owner/name"}, "must not be published"),
    ],
)
def test_init_with_a_name_the_ledger_refuses_leaves_nothing_behind(
    tmp_path: Path, changed: dict[str, str], told: str
) -> None:
    good = {"--origin": "ledger.example/log", "--repository": REPOSITORY, "--holder": "ada"}
    folder = tmp_path / "ledger"
    here = Here({"FAIRTRIAL_DATA_DIR": str(folder)})
    refused = here("init", *options({**good, **changed}))
    assert refused.code in {ExitCode.USAGE, ExitCode.REFUSED}
    assert told in refused.err
    assert not folder.exists()
    twice = here("init", *options(good), "--repository", REPOSITORY)
    assert twice.code == ExitCode.USAGE
    here.result("init", *options(good))


def test_private_keys_of_a_new_ledger_are_never_added_by_git(tmp_path: Path) -> None:
    here = Here({"FAIRTRIAL_DATA_DIR": str(tmp_path / "ledger")})
    here.result("init", "--origin", "ledger.example/log", "--repository", REPOSITORY,
                "--holder", "ada")  # fmt: skip
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    subprocess.run(["git", "-C", str(tmp_path), "add", "-A"], check=True)
    staged = subprocess.check_output(["git", "-C", str(tmp_path), "ls-files"])
    assert staged == b""


def test_serve_without_a_ledger_ends_with_3(tmp_path: Path) -> None:
    ended = Here()("serve", "--data-dir", str(tmp_path / "nowhere"), "--port", "0", "--json")
    assert ended.code == ExitCode.CONFIGURATION
    assert "fairtrial init" in json.loads(ended.out)["detail"]


def test_serve_on_a_taken_port_ends_with_3_and_says_nowhere_that_it_serves(
    on_sqlite: Service,
) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        ended = Here(on_sqlite.settings)("serve", "--port", port)
    assert ended.code == ExitCode.CONFIGURATION
    assert f"Port {port} is taken" in ended.err
    assert "serving" not in ended.err
    assert ended.out == b""
    elsewhere = Here(on_sqlite.settings)("serve", "--host", "203.0.113.1", "--port", "0")
    assert elsewhere.code == ExitCode.CONFIGURATION
    assert "Nothing can listen on http://203.0.113.1:0" in elsewhere.err


def test_second_serve_on_one_sqlite_folder_ends_with_3_and_names_the_first(
    on_sqlite: Service,
) -> None:
    ended = Here(on_sqlite.settings)("serve", "--port", "0", "--json")
    assert ended.code == ExitCode.CONFIGURATION
    detail = json.loads(ended.out)["detail"]
    assert "serves this ledger already" in detail
    (named,) = re.findall(r"Process (\d+) ", detail)
    assert int(named) != os.getpid()
    os.kill(int(named), 0)


def test_demo_is_not_built_over_while_another_process_serves_it(tmp_path: Path) -> None:
    folder = tmp_path / "demo"
    folder.mkdir()
    (folder / "mine.txt").write_text("kept")
    refused = Here()("demo", "--data-dir", str(folder), "--no-serve", "--json")
    assert json.loads(refused.out)["code"] == "not-a-demo"
    assert [path.name for path in folder.iterdir()] == ["mine.txt"]
    (folder / "mine.txt").unlink()
    with serving(f"sqlite:///{folder / 'ledger.db'}", folder):
        ended = Here()("demo", "--data-dir", str(folder), "--no-serve")
    assert ended.code == ExitCode.CONFIGURATION
    assert f"Process {os.getpid()} serves this ledger already" in ended.err
    assert [path.name for path in folder.iterdir()] == ["ledger.db.serving"]
