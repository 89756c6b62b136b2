# SPDX-License-Identifier: Apache-2.0
"""A ledger that stores nothing and raises what a test tells it to."""

from typing import NoReturn, cast

from fastapi import FastAPI

from app.core.errors import Finding, UnknownThing
from app.main import assemble
from app.service.counts import Counts
from app.service.ledger import Ledger
from app.service.scrub import Scrubbed
from app.service.witnessing import WitnessStanding


class FakeCatalog:
    """Knows no name."""

    async def resolve_statement(self, prefix: str) -> NoReturn:
        del prefix
        raise UnknownThing("No statement begins like this.", code="unknown-statement")


class FakeLedger:
    """Stands where the ledger stands; each read and write ends in ``error``."""

    origin = "fake.example/log"
    genesis = "0" * 64
    catalog = FakeCatalog()
    scrubbed = Scrubbed()
    waiting = 0

    def __init__(self) -> None:
        self.counts = Counts()
        self.standings: tuple[WitnessStanding, ...] = ()
        self.error: Exception | None = None
        self.ready = True
        self.text = b"fake.example/log\n1\nAAAA\n"
        self.submitted: list[tuple[str, bytes, bytes | None]] = []

    async def start(self) -> None:
        """Nothing to read."""

    async def stop(self) -> None:
        """Nothing to finish."""

    async def unready(self) -> tuple[Finding, ...]:
        return () if self.ready else (Finding("", "stopping", "It stops."),)

    async def checkpoint(self) -> bytes:
        if self.error is not None:
            raise self.error
        return self.text

    def witnesses(self) -> tuple[WitnessStanding, ...]:
        return self.standings

    async def submit(self, envelope: bytes, *, kind: str, capture: bytes | None = None) -> NoReturn:
        self.submitted.append((kind, envelope, capture))
        raise self.error or AssertionError("no error was set")

    async def statement(self, digest: str) -> NoReturn:
        raise self.error or AssertionError("no error was set")


def app_around(fake: FakeLedger) -> FastAPI:
    """Return the service around a ledger that is none."""
    return assemble(
        cast("Ledger", fake), allowed_hosts=("localhost", "[::1]"), published={"a.json": b"{}"}
    )
