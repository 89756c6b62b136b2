# SPDX-License-Identifier: Apache-2.0
"""Every command has its name, its help with an example, and no more."""

import gzip
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer
from typer.core import TyperCommand, TyperGroup

from app.cli.commands import ROWS
from app.cli.main import commands
from tests.functional import papers
from tests.functional.processes import PROJECT, Here, environment_of, read


def leaves(group: TyperGroup, words: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield every command's words."""
    for name, command in group.commands.items():
        if isinstance(command, TyperGroup):
            yield from leaves(command, (*words, name))
        elif isinstance(command, TyperCommand):
            yield (*words, name)


def every_command() -> list[tuple[str, ...]]:
    whole = typer.main.get_command(commands)
    assert isinstance(whole, TyperGroup)
    return list(leaves(whole))


@pytest.mark.parametrize("words", every_command(), ids=" ".join)
def test_help_of_every_command_shows_an_example_and_json(words: tuple[str, ...]) -> None:
    ended = Here()(*words, "--help")
    assert ended.code == 0
    told = " ".join(ended.out.decode().split())
    assert "Example: " in told
    assert f"fairtrial {' '.join(words)}" in told.partition("Example: ")[2]
    assert "--json" in told


def test_commands_have_the_names_of_the_design() -> None:
    assert {" ".join(words) for words in every_command()} == {
        *("init", "serve", "demo", "doctor", "sign", "deviate"),
        *("verdict", "bundle", "score", "verify"),
        *("completion", "version", "import", "log show"),
        *("log trust", "log proof", "log monitor", "log witness"),
        *("fsck", "admin migrate", "admin backup", "admin restore", "admin sweep"),
        *("key new", "key request", "key register", "key list", "key retire", "key revoke"),
        *("hold place", "hold clear", "review", "decide"),
        *("protocol new", "protocol diff", "protocol versions"),
        *("protocol lint", "protocol lock", "protocol show", "protocol list"),
        *("policy set", "policy show", "study open", "study status"),
        *("study watch", "study end"),
        *("slot reserve", "receipt push", "receipt show"),
    }


def test_the_listing_says_of_every_command_what_the_command_says_of_itself() -> None:
    whole = typer.main.get_command(commands)
    assert isinstance(whole, TyperGroup)
    said = {row.words: row.says for row in ROWS if " " not in row.words}
    assert said == {
        name: " ".join((command.help or "").split("\n\n")[0].split())
        for name, command in whole.commands.items()
    }


_BUNDLE = "head.jsonl"
_HTTP = ("httpx", "rich")
_SERVICE = ("sqlalchemy", "sqlmodel", "psycopg", "alembic", "fastapi", "starlette", "uvicorn")
_CORE = ("cryptography", "msgspec", "jsonschema", "zstandard", "app.core.score")


@pytest.mark.parametrize(
    ("words", "heavy"),
    [
        (("--help",), (*_HTTP, *_SERVICE, *_CORE)),
        (("no-such-command",), (*_HTTP, *_SERVICE, *_CORE)),
        (("completion", "--help"), (*_HTTP, *_SERVICE, *_CORE)),
        (("verify", _BUNDLE), (*_HTTP, *_SERVICE)),
        (("score", _BUNDLE), (*_HTTP, *_SERVICE)),
        (("protocol", "lint", str(papers.PROTOCOL)), (*_HTTP, *_SERVICE)),
    ],
    ids=lambda given: given[0],
)
def test_a_command_that_works_offline_loads_nothing_that_it_does_not_need(
    words: tuple[str, ...], heavy: tuple[str, ...], tmp_path: Path
) -> None:
    golden = PROJECT / "tests" / "golden" / "qualified" / "bundle.jsonl.gz"
    (tmp_path / _BUNDLE).write_bytes(gzip.decompress(golden.read_bytes()))
    script = (
        "import sys\n"
        "from app.cli.main import answer\n"
        f"answer({list(words)!r})\n"
        "sys.stderr.write('\\nloaded ' + ' '.join(sys.modules))\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        env=environment_of({"PYTHONPATH": str(PROJECT)}),
        capture_output=True,
        check=True,
    )
    loaded = set(ended.stderr.decode().rpartition("\nloaded ")[2].split())
    assert "app.cli.main" in loaded
    assert loaded.isdisjoint(heavy)


def test_version_is_one_word_or_one_document() -> None:
    assert Here().result("version").decode().count("\n") == 1
    assert read(Here().result("version", "--json"))["version"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_a_script_of_the_shell(shell: str) -> None:
    script = Here().result("completion", shell).decode()
    assert "_FAIRTRIAL_COMPLETE" in script
    if shell == "bash" and (bash := shutil.which("bash")):
        subprocess.run([bash, "-n"], input=script.encode(), check=True)


def test_migrate_says_which_revision_stands(tmp_path: Path) -> None:
    command = Here({"FAIRTRIAL_DATA_DIR": str(tmp_path / "new")})
    first = read(command.result("admin", "migrate", "--json"))
    assert first["revision"] == first["newest"]
    assert read(command.result("admin", "migrate", "--json")) == first
