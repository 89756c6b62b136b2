# SPDX-License-Identifier: Apache-2.0
"""Follows a log over its public tiles, and keeps how far it came after each of them.

Only what C2SP tlog-tiles serves is read, and once, on the first look without a trust file, the
genesis statement, for the log's key.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from app.core.admission.rules.genesis import key_of
from app.core.errors import FairtrialError, IntegrityBroken, MalformedDocument
from app.core.log.checkpoint import parse_checkpoint
from app.core.log.cosignature import cosignatures_of
from app.core.log.following import Followed, follow, refuse_other_history, refuse_other_root
from app.core.log.leaf import parse_leaf
from app.core.log.note import MAX_NOTE_BYTES, NoteVerifier, parse_note
from app.core.log.pin import Pin, pin_of
from app.core.log.proven_tiles import ProvenTiles, ReadTile
from app.core.log.tile import ENTRIES, FULL, Tile, available_width, decode_entries
from app.core.signing.envelope import parse_envelope
from app.core.statement.genesis import GenesisPredicate
from app.core.statement.parse import parse_statement
from app.core.verdict.trust import TrustedLedger, trust_of_pin
from app.runner.client import Client
from app.runner.failures import AGAIN, Refused
from app.runner.tile_reader import tile_reader

_MAX_GENESIS_BYTES: Final = 1 << 20


@dataclass(eq=False)
class RolledBack(Exception):
    """A log shows fewer entries than it was seen with.

    Attributes:
        seen: how many entries were hashed before.
        shown: the size of the checkpoint that it gives now.
    """

    seen: int
    shown: int


class NotTheTrustedLog(Exception):
    """A log of the trusted name with another genesis or key, or of another name."""


@dataclass(frozen=True, slots=True)
class Look:
    """What one look at a log came to.

    Attributes:
        state: afterwards.
        before: size at the look before, 0 at the first.
        vouched: its keys are those of a trust file or of an earlier look.
        cosigned: how many of the witnesses that a trust file names have cosigned the checkpoint.
        quorum: how many of them must have.
    """

    state: Followed
    before: int
    vouched: bool
    cosigned: int = 0
    quorum: int = 0

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
    note = client.read("/log/checkpoint", at_most=MAX_NOTE_BYTES)
    size = parse_checkpoint(parse_note(note).text).size
    known = trust_of_pin(state.pin) if state.pin else None
    trusted = _named(note, trust) if trust else known
    if trusted and known and (trusted.genesis, trusted.log) != (known.genesis, known.log):
        raise NotTheTrustedLog
    if not size and not state.frontier.size:
        raise _no_genesis("it shows no entry, and every ledger has one")
    read = tile_reader(client)
    genesis = trusted.genesis if trusted else _first_statement(read, size)
    log = trusted.log if trusted else _key_of_genesis(client, genesis)
    pin = pin_of(genesis, log, note.decode())
    cosigned = len(cosignatures_of(parse_note(note), trusted.witnesses)) if trusted else 0
    if size < state.frontier.size:
        raise RolledBack(state.frontier.size, size)
    refuse_other_root(state, pin.checkpoint)
    tiles = ProvenTiles(read, pin.checkpoint, trusted=state.frontier.size)
    refuse_other_history(state, pin.checkpoint, tiles.frontier(state.frontier.size))
    if known is None and _proven_genesis(tiles) != genesis:
        raise NotTheTrustedLog
    before = state.pin.checkpoint.size if state.pin else 0
    followed = replace(_followed(tiles, state, size, keep), pin=pin)
    keep(followed)
    quorum = trusted.quorum if trusted else 0
    return Look(followed, before, trusted is not None, cosigned, quorum)


def _followed(
    tiles: ProvenTiles, state: Followed, size: int, keep: Callable[[Followed], None]
) -> Followed:
    while state.frontier.size < size:
        index, done = divmod(state.frontier.size, FULL)
        state = follow(state, tiles.records(index)[done:], tiles.hashes(index)[done:])
        keep(state)
    return state


def _named(note: bytes, trust: tuple[TrustedLedger, ...]) -> TrustedLedger:
    origin = note.split(b"\n", 1)[0]
    for one in trust:
        if one.origin.encode() == origin:
            return one
    raise NotTheTrustedLog


def _first_statement(read: ReadTile, size: int) -> str:
    """Return the digest that the log's first entry names, by which its key is found.

    Nothing is proven yet: that needs the key.
    """
    try:
        records = decode_entries(read(Tile(ENTRIES, 0, available_width(0, 0, size))))
        return parse_leaf(records[0]).statement
    except (MalformedDocument, IndexError) as error:
        raise _no_genesis("the bundle that begins there holds no record") from error


def _proven_genesis(tiles: ProvenTiles) -> str:
    """Return the digest that the first entry of the signed tree names."""
    first = tiles.records(0)[:1]
    follow(Followed(), first, tiles.hashes(0)[:1])
    return parse_leaf(first[0]).statement


def _key_of_genesis(client: Client, genesis: str) -> NoteVerifier:
    """Return the key that a genesis names for the log, which nobody has vouched for yet."""
    try:
        found = client.read(f"/v1/statements/{genesis}", at_most=_MAX_GENESIS_BYTES)
        envelope = parse_envelope(found)
        predicate = parse_statement(envelope.payload, expect="genesis").predicate
    except FairtrialError as error:
        raise _no_genesis("the genesis that it names cannot be read") from error
    except Refused as refused:
        if refused.status in AGAIN:
            raise
        raise _no_genesis("the service does not serve the genesis that it names") from refused
    if envelope.payload_digest != genesis or not isinstance(predicate, GenesisPredicate):
        raise _no_genesis("the service gave another statement than the genesis that it names")
    return NoteVerifier(predicate.ledger.origin, key_of(predicate.checkpoint_key))


def _no_genesis(what: str) -> IntegrityBroken:
    return IntegrityBroken(f"This log is damaged at index 0: {what}.", code="entry")
