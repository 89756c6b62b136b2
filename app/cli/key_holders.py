# SPDX-License-Identifier: Apache-2.0
"""Who holds which key, as the log says: roles, repositories, and how each of them ended."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from app.cli.stored import object_of, predicate_of, rows_of
from app.core.digest import from_base64
from app.core.identity import Role
from app.core.signing.keys import PublicKey, public_key_from_der
from app.runner.client import Client
from app.runner.ending import NOTHING_THAT_STANDS
from app.runner.failures import Document
from app.runner.registration import Seat

IN_FORCE: Final = "in force"
_ENDED: Final = {"retire": "retired", "revoke": "revoked"}


@dataclass(frozen=True, slots=True)
class HeldKey:
    """A registered key.

    Attributes:
        record: the key as its registration names it.
        since: index of the entry that registered it.
        state: in force, retired or revoked.
        ended: index of the entry that ended it; None while it is in force.
        suspect_from: index from which what it signed is doubted; None: nothing is.
    """

    record: Document
    seat: Seat
    since: int
    state: str = IN_FORCE
    ended: int | None = None
    suspect_from: int | None = None

    @property
    def id(self) -> str:
        """The key's id."""
        return str(self.record["id"])

    @property
    def public(self) -> PublicKey:
        """The key itself."""
        return public_key_from_der(from_base64(str(self.record["spki"])))


@dataclass(frozen=True, slots=True)
class Holders:
    """Every key of a ledger, in the order they were registered, and how many admins must sign."""

    keys: Mapping[str, HeldKey]
    threshold: int

    def admins(self) -> tuple[HeldKey, ...]:
        """Return the admins in force."""
        held = self.keys.values()
        return tuple(k for k in held if k.seat.role is Role.ADMIN and k.state == IN_FORCE)


def holders_of(client: Client) -> Holders:
    """Read every key statement of the log."""
    found: dict[str, HeldKey] = {}
    threshold = 1
    for index, kind, said in _statements(client):
        if kind == "genesis":
            named = said["threshold"]
            threshold = named if isinstance(named, int) else threshold
            for one in rows_of(said, "admins"):
                _add(found, HeldKey(object_of(one["key"]), _seat(one, "admin"), index))
        elif said["action"] == "register":
            _add(found, HeldKey(object_of(said["key"]), _seat(said, str(said["role"])), index))
        else:
            _end(found, index, said)
    return Holders(found, threshold)


def _statements(client: Client) -> Iterator[tuple[int, str, Document]]:
    for page in client.pages("/v1/log/entries"):
        for row in rows_of(page, "entries"):
            index = row["index"]
            if row["kind"] in {"genesis", "key"} and isinstance(index, int):
                yield index, str(row["kind"]), predicate_of(client, str(row["statement"]))


def _add(found: dict[str, HeldKey], key: HeldKey) -> None:
    found.setdefault(key.id, key)


def _end(found: dict[str, HeldKey], index: int, said: Document) -> None:
    key = found.get(str(object_of(said["key"])["id"]))
    if key is None:
        return
    if key.state == IN_FORCE:
        key = replace(key, state=_ENDED[str(said["action"])], ended=index)
    suspect = said["suspect_from_index"]
    if isinstance(suspect, int) and suspect < NOTHING_THAT_STANDS:
        earliest = suspect if key.suspect_from is None else min(suspect, key.suspect_from)
        key = replace(key, suspect_from=earliest)
    found[key.id] = key


def _seat(said: Document, role: str) -> Seat:
    named = said.get("repositories")
    repositories = [str(one) for one in named] if isinstance(named, list) else []
    return Seat(Role(role), repositories, str(said["holder"]))
