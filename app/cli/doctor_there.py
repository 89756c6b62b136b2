# SPDX-License-Identifier: Apache-2.0
"""What ``fairtrial doctor`` finds at the service: is it ready, in step, and open to your key?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from importlib.metadata import version as installed_version
from pathlib import Path
from typing import Final

from app.cli.examined import Examined, fail, ok, warn
from app.cli.key_holders import IN_FORCE, HeldKey, holders_of
from app.cli.misconfigured import Misconfigured
from app.cli.session import connect
from app.runner.client import Client
from app.runner.failures import Refused, Unreachable, UnusableKeyFile
from app.runner.key_files import read_signing_key
from app.storage.clock import SystemClock

SKEW_S: Final = 5
"""A Date has whole seconds, and an answer takes a while."""
FAR_OFF_S: Final = 300
_MICROS: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Asking:
    """Who asks which service, about which repository."""

    url: str
    key: Path | None
    repository: str | None


def examine_service(asking: Asking) -> list[Examined]:
    """Return what is found there; one that does not answer is one failure and no more."""
    try:
        with connect(asking.url) as client:
            return list(_examined(client, asking))
    except Misconfigured as error:
        return [fail("service", str(error), "Give --url or set FAIRTRIAL_URL.")]
    except Unreachable as error:
        todo = "Start `fairtrial serve`, or give --url; --offline looks at this machine alone."
        return [fail("service", str(error), todo)]
    except Refused as refused:
        told = f"{refused.problem.get('detail')} [{refused.code}]"
        todo = "Look at the service's own log; nothing is taken until this is mended."
        return [fail("service", told, todo)]


def _examined(client: Client, asking: Asking) -> Iterator[Examined]:
    ready = client.poll("/readyz", None)
    assert ready is not None  # noqa: S101  asked without a tag
    # It holds its own triggers and privileges against what it needs before it is ready.
    yield ok("service", f"takes statements for {ready.document.get('origin')}")
    yield _clock(ready.date)
    yield _version(str(ready.document.get("version")))
    yield _grant(client, asking)


def _clock(date: str | None) -> Examined:
    if date is None:
        return warn("clock", "the service sends no Date", "Ask its operator for one.")
    there_us = int(parsedate_to_datetime(date).timestamp()) * _MICROS
    skew_s = abs(SystemClock().now_us() - there_us) // _MICROS
    told = f"{skew_s} s from the service's"
    todo = "Let this machine keep time (chrony, systemd-timesyncd): deadlines are the service's."
    if skew_s > FAR_OFF_S:
        return fail("clock", told, todo)
    return warn("clock", told, todo) if skew_s > SKEW_S else ok("clock", told)


def _version(there: str) -> Examined:
    here = installed_version("fairtrial")
    if there != here:
        todo = "Install the version the service runs; statements of another may be refused."
        return warn("version", f"{here} here, {there} there", todo)
    return ok("version", f"{here}, here and there")


def _grant(client: Client, asking: Asking) -> Examined:
    if asking.key is None:
        return warn("your key", "none is named", "Give --key FILE or set FAIRTRIAL_KEY to write.")
    try:
        mine = read_signing_key(asking.key).key_id
    except UnusableKeyFile:
        return fail("your key", "cannot be used", "Mend your key file first.")
    held = holders_of(client).keys.get(mine)
    if held is None:
        todo = "Ask for a role: fairtrial key request --role ROLE --holder PERSON"
        return fail("your key", f"{mine} is not registered", todo)
    return _role(held, asking.repository)


def _role(held: HeldKey, repository: str | None) -> Examined:
    where = ", ".join(held.seat.repositories) or "the whole ledger"
    told = f"{held.seat.role.value} in {where}, held by {held.seat.holder}"
    if held.state != IN_FORCE:
        return fail("your key", f"{told}; {held.state}", "Make a new one and ask for its role.")
    bound = bool(held.seat.repositories)
    if repository is not None and bound and repository.lower() not in held.seat.repositories:
        todo = "Name a repository of this key, or ask for a key in that one."
        return fail("your key", f"{told}; not in the repository you name", todo)
    return ok("your key", told)
