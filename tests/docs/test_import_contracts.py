# SPDX-License-Identifier: Apache-2.0
"""The import contracts of `pyproject.toml` catch what they are there to catch.

A contract that names a folder wrongly passes for ever. So they are run on a skeleton of the rings,
once as it should be and once with violations planted in it.
"""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]
RINGS = ("cli", "demo", "web", "pages", "edge", "storage", "runner", "importers", "service", "core")
STAGES = (
    *("verdict", "score", "admission", "study", "receipt", "protocol", "statement", "keyring"),
    *("log", "signing", "digest", "canonical", "identity", "reason", "errors"),
)
ALLOWED = {
    "cli/x.py": "import app.demo, app.main, app.storage, app.config",
    "demo/x.py": "import app.main, app.web, app.storage, app.runner, app.config",
    "main.py": "import app.config, app.storage, app.web, app.pages, app.service",
    "web/x.py": "import app.edge, app.service, app.core, fastapi",
    "storage/x.py": "import app.service, app.core, sqlmodel, app.storage",
    "runner/x.py": "import app.core, httpx",
    "importers/x.py": "import app.core, xml.parsers.expat",
    "core/verdict/x.py": "import app.core.score, app.core.errors, hashlib",
}
# What is planted, and words of the report that show it was found.
VIOLATIONS = {
    "web/a.py": ("import app.demo", "app.web.a -> app.demo"),
    "web/b.py": ("import app.pages", "app.web.b -> app.pages"),
    "demo/a.py": ("import app.cli", "app.demo.a -> app.cli"),
    "edge/a.py": ("import app.storage", "app.edge.a -> app.storage"),
    "pages/a.py": ("import app.config", "app.pages.a -> app.config"),
    "storage/a.py": ("import app.runner", "app.storage.a -> app.runner"),
    "runner/a.py": ("import app.service", "app.runner.a -> app.service"),
    "runner/b.py": ("import sqlmodel", "app.runner.b -> sqlmodel"),
    "importers/a.py": ("import app.runner", "app.importers.a -> app.runner"),
    "importers/b.py": ("import app.service", "app.importers.b -> app.service"),
    "importers/c.py": ("import pathlib", "app.importers.c -> pathlib"),
    "service/a.py": ("import fastapi", "app.service.a -> fastapi"),
    "core/a.py": ("", "- app.core.a"),
    "surprise/__init__.py": ("", "- app.surprise"),
    "core/log/a.py": ("import pathlib", "app.core.log.a -> pathlib"),
    "core/digest/a.py": ("import app.core.log", "app.core.digest.a -> app.core.log"),
}


@pytest.fixture
def skeleton(tmp_path: Path) -> Path:
    app = tmp_path / "app"
    for folder in (*RINGS, *(f"core/{stage}" for stage in STAGES)):
        (app / folder).mkdir(parents=True)
        (app / folder / "__init__.py").touch()
    for module in ("__init__.py", "main.py", "config.py"):
        (app / module).touch()
    plant(tmp_path, ALLOWED)
    shutil.copy(PROJECT / "pyproject.toml", tmp_path)
    return tmp_path


def plant(project: Path, modules: dict[str, str]) -> None:
    for name, source in modules.items():
        path = project / "app" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"{source}\n")


def report_on(project: Path) -> tuple[int, str]:
    done = subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache", "--no-logo"],
        cwd=project,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def test_rings_as_intended_are_accepted(skeleton: Path) -> None:
    code, report = report_on(skeleton)
    assert code == 0, report


def test_each_planted_violation_is_reported(skeleton: Path) -> None:
    plant(skeleton, {name: source for name, (source, _) in VIOLATIONS.items()})
    code, report = report_on(skeleton)
    assert code != 0
    assert [said for _, said in VIOLATIONS.values() if said not in report] == [], report


def test_skeleton_has_every_folder_of_the_code() -> None:
    rings = {path.parent.name for path in (PROJECT / "app").glob("*/__init__.py")}
    stages = {path.parent.name for path in (PROJECT / "app" / "core").glob("*/__init__.py")}
    assert rings <= set(RINGS)
    assert stages <= set(STAGES)
