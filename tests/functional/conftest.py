# SPDX-License-Identifier: Apache-2.0
"""A ledger that ``init`` made and ``serve`` serves, on either database, and its keys."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.functional.papers import REPOSITORY
from tests.functional.processes import Here, serving
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
            made = json.loads(
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
