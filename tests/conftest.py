# SPDX-License-Identifier: Apache-2.0
"""What every test gets: its folder's marker, Hypothesis profiles, outside material, PostgreSQL.

Material that is not part of this repository (vectors, oracles) is looked for beside it. Where it is
missing a test is skipped, but never in CI: a conformance test that did not run proves nothing.
"""

import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from unittest.mock import patch

import httpx
import pytest
from hypothesis import HealthCheck, Phase, settings

from tests.golang import build_go_reader
from tests.postgres import Database, PostgresServer, serve_postgres

TESTS = Path(__file__).resolve().parent
PROJECT = TESTS.parent
IN_CI = bool(os.environ.get("CI"))
LONG = frozenset({"docs", "functional"})
"""Folders whose files start processes and wait for them."""

# No profile has a deadline: two shared cores make single examples slow for no reason of ours.
settings.register_profile("default", deadline=None, max_examples=100)
settings.register_profile("ci", deadline=None, max_examples=60, derandomize=False, print_blob=True)
settings.register_profile(
    "nightly",
    deadline=None,
    max_examples=5_000,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
# For each of thousands of mutants: few examples, and the same ones every time.
settings.register_profile(
    "mutants",
    deadline=None,
    max_examples=8,
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate],
)
settings.load_profile(
    os.environ.get("FAIRTRIAL_HYPOTHESIS_PROFILE", "ci" if IN_CI else "default"),
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give each test the marker of the folder it lies in, and let long files begin first."""
    for item in items:
        folder = _folder(item)
        if (TESTS / folder).is_dir() and folder:
            item.add_marker(getattr(pytest.mark, folder))
    # Of processes that share the files, none is left with a long one at the end.
    items.sort(key=lambda item: _folder(item) not in LONG)


def _folder(item: pytest.Item) -> str:
    return item.path.relative_to(TESTS).parts[0] if item.path.is_relative_to(TESTS) else ""


def _outside(variable: str, default: Path) -> Path:
    path = Path(os.environ.get(variable, default))
    if not path.exists():
        reason = f"{path.name} is not there (set {variable}): its tests did not run"
        if IN_CI:
            pytest.fail(reason)
        pytest.skip(reason)
    return path


@pytest.fixture(scope="session", autouse=True)
def _certificates() -> Iterator[None]:
    """Read this machine's certificates once, not for each of thousands of clients."""
    once = cache(httpx.create_ssl_context)
    with patch("httpx._transports.default.create_ssl_context", once):
        yield


@pytest.fixture(scope="session")
def shared_dir() -> Path:
    """Folder with material shared by several projects."""
    return _outside("FAIRTRIAL_SHARED", PROJECT.parent / "shared")


@pytest.fixture(scope="session")
def vectors_dir() -> Path:
    """Folder with others' test vectors."""
    return _outside("FAIRTRIAL_VECTORS", PROJECT.parent / "shared" / "vectors")


@pytest.fixture(scope="session")
def oracles_file() -> Path:
    """File with gate judgements computed by somebody else."""
    return _outside("FAIRTRIAL_ORACLES", PROJECT.parent / "shared" / "oracles" / "gates.json")


@pytest.fixture(scope="session")
def go_reader(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build a program that reads logs with Go's own code."""
    return build_go_reader(tmp_path_factory.mktemp("go"))


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """One PostgreSQL server for all that this process tests."""
    with serve_postgres() as server:
        yield server


@pytest.fixture
def postgres_database(postgres: PostgresServer) -> Iterator[Database]:
    """Yield an empty database of this test's own."""
    database = postgres.create_database()
    yield database
    postgres.drop_database(database)
