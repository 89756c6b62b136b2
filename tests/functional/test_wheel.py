# SPDX-License-Identifier: Apache-2.0
"""The wheel carries what a checkout has beside the package: migrations, protocols and schemas."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]
CARRIED = ("migrations", "protocols", "schemas")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.Path:
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder],
        cwd=PROJECT,
        check=True,
        capture_output=True,
    )
    (path,) = folder.glob("*.whl")
    return zipfile.Path(path)


def files_below(folder: Path) -> set[str]:
    return {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


@pytest.mark.parametrize("name", CARRIED)
def test_wheel_carries_every_file_of_the_folder(wheel: zipfile.Path, name: str) -> None:
    inside = {
        one.removeprefix(f"app/_data/{name}/")
        for one in wheel.root.namelist()
        if one.startswith(f"app/_data/{name}/")
    }
    assert inside == files_below(PROJECT / name)
    assert inside


@pytest.mark.parametrize("name", ["glossary.md", "problems.md"])
def test_wheel_carries_the_documents_that_are_pages(wheel: zipfile.Path, name: str) -> None:
    carried = wheel.joinpath("app", "_data", "docs", name).read_bytes()
    assert carried == (PROJECT / "docs" / name).read_bytes()


def test_wheel_carries_the_whole_package(wheel: zipfile.Path) -> None:
    names = {one for one in wheel.root.namelist() if not one.startswith("app/_data/")}
    assert {f"app/{name}" for name in files_below(PROJECT / "app")} <= names


def test_wheel_carries_no_tests_and_nothing_private(wheel: zipfile.Path) -> None:
    tops = {one.split("/")[0] for one in wheel.root.namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"app"}
