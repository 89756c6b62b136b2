# SPDX-License-Identifier: Apache-2.0
"""Follows a log over its public tiles, and keeps how far it came after each of them.

Only what C2SP tlog-tiles serves is read, and once, on the first look without a trust file, the
genesis statement, for the log's key.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from app.core.admission.rules.genesis import key_of
from app.core.errors import FairtrialError, IntegrityBroken
from app.core.log.checkpoint import Checkpoint, parse_checkpoint
from app.core.log.following import Followed, follow, met
from app.core.log.leaf import parse_leaf
from app.core.log.merkle import HASH_BYTES
from app.core.log.note import NoteVerifier, parse_note
from app.core.log.pin import Pin, pin_of
from app.core.log.tile import ENTRIES, FULL, Tile, available_width, decode_entries
from app.core.signing.envelope import parse_envelope
from app.core.statement.genesis import GenesisPredicate
from app.core.statement.parse import parse_statement
from app.core.verdict.trust import TrustedLedger, trust_of_pin
from app.runner.client import Client


class RolledBack(Exception):
    """A log shows fewer entries than it was seen with."""


class NotTheTrustedLog(Exception):
    """A log of the trusted name with another genesis or key, or of another name."""


@dataclass(frozen=True, slots=True)
class Look:
    """What one look at a log came to.

    Attributes:
        state: afterwards.
        before: size at the look before, 0 at the first.
        vouched: its keys are those of a trust file or of an earlier look.
    """

    state: Followed
    before: int
    vouched: bool

    @property
    def pin(self) -> Pin:
        """The checkpoint that was met."""
        if self.state.pin is None:
            message = "A look ends at a checkpoint."
            raise IntegrityBroken(message, code="pin")
        return self.state.pin


def look_at(
    client: Client,
    state: Followed,
    *,
    trust: tuple[TrustedLedger, ...] | None,
    keep: Callable[[Followed], None],
) -> Look:
    """Follow a log to its newest checkpoint.

    Args:
        client: of the service.
        state: from the look before.
        trust: a trust file's ledgers.
        keep: remembers a state; called after every tile and at the end.

    Raises:
        RolledBack: the log is smaller than it was.
        NotTheTrustedLog: it is not the one that is trusted.
        IntegrityBroken: its records, tiles and signed roots do not belong together.
        Refused: it does not serve what it must.
    """
    note = client.read("/log/checkpoint")
    known = trust_of_pin(state.pin) if state.pin else None
    trusted = _named(note, trust) if trust else known
    genesis = known.genesis if known else _genesis(client, note)
    log = trusted.log if trusted else _key_of_genesis(client, genesis)
    if (trusted and trusted.genesis != genesis) or (known and known.log != log):
        raise NotTheTrustedLog
    pin = pin_of(genesis, log, note.decode())
    before = state.pin.checkpoint.size if state.pin else 0
    if pin.checkpoint.size < max(before, state.frontier.size):
        raise RolledBack
    followed = _followed(client, state, pin.checkpoint, keep)
    try:
        followed = met(followed, pin)
    except IntegrityBroken:
        keep(state)  # what another history left would make the true one look false next time
        raise
    keep(followed)
    return Look(followed, before, vouched=trusted is not None)


def _followed(
    client: Client, state: Followed, checkpoint: Checkpoint, keep: Callable[[Followed], None]
) -> Followed:
    while state.frontier.size < checkpoint.size:
        index, done = divmod(state.frontier.size, FULL)
        width = available_width(0, index, checkpoint.size)
        records = decode_entries(_read(client, Tile(ENTRIES, index, width)))
        data = _read(client, Tile(0, index, width))
        hashes = [data[i : i + HASH_BYTES] for i in range(0, len(data), HASH_BYTES)]
        if len(records) != width or len(data) != width * HASH_BYTES:
            raise _other_width()
        state = follow(state, records[done:], hashes[done:])
        keep(state)
    return state


def _read(client: Client, tile: Tile) -> bytes:
    return client.read(f"/log/{tile.path()}")


def _named(note: bytes, trust: tuple[TrustedLedger, ...]) -> TrustedLedger:
    origin = note.split(b"\n", 1)[0]
    for one in trust:
        if one.origin.encode() == origin:
            return one
    raise NotTheTrustedLog


def _genesis(client: Client, note: bytes) -> str:
    """Return the digest that the log's first leaf names; of the note only the size is used."""
    size = parse_checkpoint(parse_note(note).text).size
    records = decode_entries(_read(client, Tile(ENTRIES, 0, available_width(0, 0, size))))
    if not records:
        raise _other_width()
    return parse_leaf(records[0]).statement


def _key_of_genesis(client: Client, genesis: str) -> NoteVerifier:
    """Return the key that a genesis names for the log, which nobody has vouched for yet."""
    try:
        envelope = parse_envelope(client.read(f"/v1/statements/{genesis}"))
        predicate = parse_statement(envelope.payload, expect="genesis").predicate
    except FairtrialError as error:
        raise IntegrityBroken("The genesis cannot be read.", code="entry") from error
    if envelope.payload_digest != genesis or not isinstance(predicate, GenesisPredicate):
        message = "The service gave another statement than the genesis that its log names."
        raise IntegrityBroken(message, code="entry")
    return NoteVerifier(predicate.ledger.origin, key_of(predicate.checkpoint_key))


def _other_width() -> IntegrityBroken:
    message = "A tile or an entry bundle has not as many entries as its width says."
    return IntegrityBroken(message, code="tile")
