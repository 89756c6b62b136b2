# SPDX-License-Identifier: Apache-2.0
"""A ledger that ``init`` made and ``serve`` serves, on either database, and its keys."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from app.core.digest import sha256_hex
from tests.functional import papers
from tests.functional.arena import Arena, arena_on
from tests.functional.papers import REPOSITORY, write
from tests.functional.processes import Here, read, serving
from tests.postgres import PostgresServer


@dataclass(frozen=True, slots=True)
class Service:
    """A served ledger.

    Attributes:
        settings: what ``serve`` was started with.
        keys: key ids by role.
    """

    url: str
    folder: Path
    settings: Mapping[str, str]
    keys: Mapping[str, str]

    def key_file(self, role: str) -> str:
        return str(self.folder / "keys" / f"{role}.pem")

    def speak(self, role: str | None = None) -> Here:
        """Return the command line of whoever has ``role``."""
        environment = {"FAIRTRIAL_URL": self.url, "FAIRTRIAL_REPOSITORY": REPOSITORY}
        if role is not None:
            environment["FAIRTRIAL_KEY"] = self.key_file(role)
        return Here(environment)


Begin = Callable[[Mapping[str, str]], Service]


@pytest.fixture(scope="module")
def begin(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Begin]:
    """Begin and serve a ledger; each is stopped at the end of the module."""
    with ExitStack() as running:

        def new(database: Mapping[str, str]) -> Service:
            folder = tmp_path_factory.mktemp("ledger")
            settings = {"FAIRTRIAL_DATA_DIR": str(folder), **database}
            made = read(
                Here(settings).result(
                    *("init", "--origin", "ledger.example/functional", "--holder", "ada"),
                    *("--repository", REPOSITORY, "--json"),
                )
            )
            url = running.enter_context(serving(settings))
            return Service(url, folder, settings, made["keys"])

        yield new


@pytest.fixture(scope="module")
def on_sqlite(begin: Begin) -> Service:
    return begin({})


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def service(begin: Begin, request: pytest.FixtureRequest) -> Iterator[Service]:
    """Yield a served ledger on each database in turn."""
    if request.param == "sqlite":
        yield begin({})
        return
    postgres: PostgresServer = request.getfixturevalue("postgres")
    database = postgres.create_database()
    yield begin(
        {
            "FAIRTRIAL_DATABASE_URL": database.app_url,
            "FAIRTRIAL_MIGRATION_URL": database.migration_url,
        }
    )


@dataclass(frozen=True, slots=True)
class Opened:
    """A study with nothing in it, on a head of its test's own."""

    digest: str
    head: str
    paper: dict[str, Any]


@pytest.fixture
def study(on_sqlite: Service, tmp_path: Path, request: pytest.FixtureRequest) -> Opened:
    maintainer = on_sqlite.speak("maintainer")
    linted = read(maintainer.result("protocol", "lint", str(papers.PROTOCOL), "--json"))
    warnings = [f"--acknowledge={one['code']}" for one in linted["findings"]]
    maintainer.result("protocol", "lock", str(papers.PROTOCOL), *warnings)
    maintainer.result("policy", "set", write(tmp_path, "policy.json", papers.policy()))
    closes_at = f"{datetime.now(UTC) + timedelta(hours=20):%Y-%m-%dT%H:%M:%SZ}"
    head = sha256_hex(request.node.name.encode())[:40]
    paper = papers.study(on_sqlite.keys["runner"], closes_at, head)
    file = write(tmp_path, "study.json", paper)
    digest = read(maintainer.result("study", "open", file, "--json"))["statement"]
    return Opened(digest, head, paper)


@pytest.fixture(params=["sqlite", "postgresql"])
def arena(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Arena]:
    """Yield a ledger to be written to while something goes wrong, on each database in turn."""
    with arena_on(request.param, tmp_path, request) as one:
        yield one
