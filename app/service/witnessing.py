# SPDX-License-Identifier: Apache-2.0
"""Asks the witnesses that this ledger names to cosign its newest checkpoint, and keeps their lines.

It runs beside the ledger and never in the way of a write: a witness that is slow, gone or wrong
costs nobody anything but its line. What it answers counts only when it verifies. One process of
several asks; all of them read what was kept.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, Protocol

from app.core.errors import FairtrialError
from app.core.log.checkpoint import parse_checkpoint
from app.core.log.cosignature import Cosignature, Witness, cosignatures_of
from app.core.log.note import Note, parse_note
from app.core.log.witness import AddCheckpoint

LOOK_EVERY_S: Final = 2.0
"""How often it is looked whether there is a newer checkpoint."""
LONGEST_PAUSE: Final = 150
"""Looks that a witness is left alone after many failures in a row."""

_SIZE: Final = re.compile(rb"(0|[1-9][0-9]{0,18})\n")
_OK, _CONFLICT = 200, 409

Consistency = Callable[[int, int], Awaitable[tuple[bytes, ...]]]
Newest = Callable[[], Awaitable[bytes]]


@dataclass(frozen=True, slots=True)
class NamedWitness:
    """A witness that this ledger names, and where it is asked (its submission prefix)."""

    witness: Witness
    url: str


class WitnessSilent(Exception):
    """A witness gave no answer in time."""


class WitnessCaller(Protocol):
    """Posts to a witness."""

    async def add_checkpoint(self, url: str, body: bytes) -> tuple[int, bytes]:
        """Return the status and the body of the answer.

        Raises:
            WitnessSilent: there was none in time.
        """
        ...


class CosignatureStore(Protocol):
    """Keeps the newest cosigned checkpoint of each witness."""

    def kept(self) -> Mapping[str, bytes]:
        """Return notes by verifier key, each under one cosignature of that witness."""
        ...

    def keep(self, vkey: str, note: bytes) -> None:
        """Keep a note in the place of the one before."""
        ...

    def is_mine(self) -> bool:
        """Tell whether this process is the one that asks."""
        ...


@dataclass(frozen=True, slots=True)
class WitnessStanding:
    """What a named witness has cosigned last.

    Attributes:
        cosigned: by it; None: nothing yet.
        size: of that tree.
    """

    named: NamedWitness
    cosigned: Cosignature | None
    size: int


@dataclass(frozen=True, slots=True)
class WitnessTally:
    """How many of the witnesses that a ledger names have cosigned a tree.

    Attributes:
        first_at_s: when the first of them did, by its own clock, in seconds since 1970: then the
            tree was seen outside. None: nobody has.
    """

    named: int
    cosigned: int
    first_at_s: int | None


def tally_of(standings: Sequence[WitnessStanding], size: int) -> WitnessTally:
    """Return the tally for the tree of ``size``."""
    times = [one.cosigned.at_s for one in standings if one.cosigned and one.size == size]
    return WitnessTally(len(standings), len(times), min(times, default=None))


class Witnessing:
    """The witnesses of one ledger."""

    def __init__(
        self, named: Sequence[NamedWitness], *, caller: WitnessCaller, store: CosignatureStore
    ) -> None:
        """Name witnesses; nobody is asked before ``run``."""
        self._named = tuple(named)
        self._caller = caller
        self._store = store
        self._pause = dict.fromkeys(self._named, 0)
        self._failures = dict.fromkeys(self._named, 0)

    def standings(self) -> tuple[WitnessStanding, ...]:
        """Return what each named witness has cosigned last, in the order of the settings."""
        kept = self._store.kept() if self._named else {}
        standings = []
        for named in self._named:
            found = _found(named, kept.get(named.witness.to_vkey()))
            size = parse_checkpoint(found[1]).size if found else 0
            standings.append(WitnessStanding(named, found and found[0], size))
        return tuple(standings)

    def cosigned(self, note: bytes) -> bytes:
        """Return a checkpoint with every kept cosignature of exactly this checkpoint."""
        if not self._named:
            return note
        read, kept = parse_note(note), self._store.kept()
        each = [_found(named, kept.get(named.witness.to_vkey())) for named in self._named]
        lines = [found[0].line for found in each if found and found[1] == read.text]
        return Note(read.text, (*read.signatures, *lines)).to_bytes()

    async def run(self, newest: Newest, consistency: Consistency) -> None:
        """Ask until cancelled."""
        while self._named:
            await asyncio.sleep(LOOK_EVERY_S)
            with suppress(OSError):  # a full disk costs cosignatures, and nothing else
                if self._store.is_mine():
                    await self.ask_all(newest, consistency)

    async def ask_all(self, newest: Newest, consistency: Consistency) -> None:
        """Ask every witness that has not cosigned the newest checkpoint and is not left alone."""
        try:
            note = parse_note(await newest())
        except FairtrialError:
            return  # the ledger itself is not fit to be read now
        size = parse_checkpoint(note.text).size
        due = []
        for one in self.standings():
            if self._pause[one.named]:
                self._pause[one.named] -= 1
            elif one.size < size:
                due.append(one)
        await asyncio.gather(*(self._ask(one, note, size, consistency) for one in due))

    async def _ask(
        self, one: WitnessStanding, note: Note, size: int, consistency: Consistency
    ) -> None:
        try:
            done = await self._cosign(one, note, size, consistency)
        except (WitnessSilent, FairtrialError):
            done = False
        failures = 0 if done else self._failures[one.named] + 1
        self._failures[one.named] = failures
        self._pause[one.named] = min(2**failures - 1, LONGEST_PAUSE) if failures else 0

    async def _cosign(
        self, one: WitnessStanding, note: Note, size: int, consistency: Consistency
    ) -> bool:
        """Ask one witness; a second time when it says that it knows another size."""
        old = one.size
        for _ in range(2):
            proof = await consistency(old, size) if 0 < old < size else ()
            request = AddCheckpoint(old, proof, note).to_bytes()
            status, body = await self._caller.add_checkpoint(one.named.url, request)
            if status == _OK:
                self._keep(one.named, note, body)
                return True
            said = _SIZE.fullmatch(body) if status == _CONFLICT else None
            if said is None or int(said[1]) > size:
                return False
            old = int(said[1])
        return False

    def _keep(self, named: NamedWitness, note: Note, body: bytes) -> None:
        answered = parse_note(f"{note.text}\n".encode() + body)
        found = cosignatures_of(answered, [named.witness])
        if not found:
            message = "The witness's answer holds no cosignature of the key that it is named by."
            raise WitnessSilent(message)
        kept = Note(note.text, (*note.signatures, found[0].line))
        self._store.keep(named.witness.to_vkey(), kept.to_bytes())


def _found(named: NamedWitness, kept: bytes | None) -> tuple[Cosignature, str] | None:
    """Return the cosignature in what was kept, and the text it is over; None when it holds none.

    What is kept is no part of the ledger: a damaged file is one that holds nothing.
    """
    if kept is None:
        return None
    try:
        note = parse_note(kept)
        lines = cosignatures_of(note, [named.witness])
    except FairtrialError:
        return None
    return (lines[0], note.text) if lines else None
