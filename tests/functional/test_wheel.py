# SPDX-License-Identifier: Apache-2.0
"""The wheel carries what a checkout has beside the package: migrations, protocols and schemas."""

import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]
CARRIED = ("migrations", "protocols", "schemas")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[zipfile.ZipFile]:
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder],
        cwd=PROJECT,
        check=True,
        capture_output=True,
    )
    (path,) = folder.glob("*.whl")
    with zipfile.ZipFile(path) as carried:
        yield carried


def files_below(folder: Path) -> set[str]:
    return {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


@pytest.mark.parametrize("name", CARRIED)
def test_wheel_carries_every_file_of_the_folder(wheel: zipfile.ZipFile, name: str) -> None:
    inside = {
        one.removeprefix(f"app/_data/{name}/")
        for one in wheel.namelist()
        if one.startswith(f"app/_data/{name}/")
    }
    assert inside == files_below(PROJECT / name)
    assert inside


@pytest.mark.parametrize("name", ["glossary.md", "problems.md"])
def test_wheel_carries_the_documents_that_are_pages(wheel: zipfile.ZipFile, name: str) -> None:
    carried = wheel.read(f"app/_data/docs/{name}")
    assert carried == (PROJECT / "docs" / name).read_bytes()


def test_wheel_carries_the_whole_package(wheel: zipfile.ZipFile) -> None:
    names = {one for one in wheel.namelist() if not one.startswith("app/_data/")}
    assert {f"app/{name}" for name in files_below(PROJECT / "app")} <= names


def test_wheel_carries_no_tests_and_nothing_private(wheel: zipfile.ZipFile) -> None:
    tops = {one.split("/")[0] for one in wheel.namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"app"}
