# SPDX-License-Identifier: Apache-2.0
"""Every file keeps the house rules, and every rule finds what it is there to find."""

from pathlib import Path

import pytest

from tests.tools import house

PROJECT = Path(__file__).resolve().parents[2]
HEAD = '# SPDX-License-Identifier: Apache-2.0\n"""What it decides."""\n'


def test_every_file_keeps_the_house_rules() -> None:
    files = house.tracked_files(PROJECT)
    assert files
    found = []
    for path in files:
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        found += house.findings(path.relative_to(PROJECT).as_posix(), text)
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("app/main.py", HEAD + "try:\n    pass\nexcept Exception:\n    raise\n"),
        ("app/storage/ledger_store.py", HEAD + "connection.commit()\n"),
        (
            "app/core/digest.py",
            HEAD + "try:\n    pass\nexcept (KeyError, ValueError):\n    raise\n",
        ),
        ("tests/unit/test_x.py", HEAD + "connection.commit()\n"),
        ("app/pages/templates/base.html", "<!doctype html>"),
        ("README.md", "see https://example.org and .github/workflows/main.yml"),
    ],
)
def test_file_that_keeps_the_rules_is_not_reported(name: str, text: str) -> None:
    assert house.findings(name, text) == []


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("app/x.py", '"""What it decides."""\n', "no SPDX line"),
        ("deploy/x.sql", "SELECT 1;\n", "no SPDX line"),
        ("app/x.py", "# SPDX-License-Identifier: Apache-2.0\nx = 1\n", "no module docstring"),
        ("app/core/utils.py", HEAD, "name it for its one subject"),
        ("app/common/x.py", HEAD, "name it for its one subject"),
        ("app/edge/x.py", HEAD + "try:\n    pass\nexcept Exception:\n    raise\n", "line 5"),
        ("app/edge/x.py", HEAD + "try:\n    pass\nexcept:\n    raise\n", "line 5"),
        (
            "app/edge/x.py",
            HEAD + "try:\n    pass\nexcept (KeyError, BaseException):\n    raise\n",
            "line 5",
        ),
        ("app/web/x.py", HEAD + "session.commit()\n", "line 3: commit() outside"),
        ("README.md", f"see {PROJECT}/README.md", "line 1: a path of this machine"),
        ("requirements.txt", "\n--index-url https://index.example/simple", "line 2: the address"),
        ("web/.npmrc", "registry=//index.example", "line 1: the address"),
    ],
)
def test_file_that_breaks_a_rule_is_reported(name: str, text: str, said: str) -> None:
    (found,) = house.findings(name, text)
    assert found.startswith(f"{name}: ")
    assert said in found


def test_files_are_found_without_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    (tmp_path / ".venv").mkdir()
    (tmp_path / ".venv" / "x.py").touch()
    (tmp_path / "x.py").touch()
    assert house.tracked_files(tmp_path) == [tmp_path / "x.py"]
