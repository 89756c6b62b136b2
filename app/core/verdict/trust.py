# SPDX-License-Identifier: Apache-2.0
"""What a reader brings: whose log it is, and whose cosignatures count.

A trust file is TOML with one ``[[ledger]]`` table a log (the caller reads TOML; here is its shape):

    [[ledger]]
    origin = "ledger.example/sparks"
    genesis = "<SHA-256 of the genesis statement>"
    checkpoint_key = "<the log's verifier key, as in C2SP signed-note>"
    quorum = 1

    [[ledger.witness]]
    key = "<the witness's verifier key>"

The statement key stands in the genesis, so its digest fixes it. Unknown members of a ledger are
refused, because a misspelt ``quorum`` must not be no quorum; other tables are somebody else's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

import msgspec
from msgspec import Meta, field

from app.core.errors import FairtrialError, MalformedDocument
from app.core.identity import Origin, Sha256Hex
from app.core.log.cosignature import Witness, parse_witness
from app.core.log.note import NoteVerifier, parse_vkey
from app.core.log.pin import Pin
from app.core.statement.header import Shape


class WitnessTrust(Shape, frozen=True):
    """A witness as a trust file names it."""

    key: str


class LedgerTrust(Shape, frozen=True):
    """A ledger as a trust file names it."""

    origin: Origin
    genesis: Sha256Hex
    checkpoint_key: str
    quorum: Annotated[int, Meta(ge=0, le=64)] = 0
    witness: Annotated[list[WitnessTrust], Meta(max_length=64)] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class TrustedLedger:
    """A log that a reader trusts, as far as it has to be.

    Attributes:
        origin: its name.
        genesis: digest of its genesis statement.
        log: the key that signs its checkpoints.
        witnesses: whose cosignatures count.
        quorum: how many of them a checkpoint needs.
    """

    origin: str
    genesis: str
    log: NoteVerifier
    witnesses: tuple[Witness, ...] = ()
    quorum: int = 0


def parse_trust(document: Mapping[str, object]) -> tuple[TrustedLedger, ...]:
    """Read the ledgers of a trust file; at least one.

    Raises:
        MalformedDocument: ``trust``; the detail says what was expected.
    """
    try:
        ledgers = msgspec.convert(document.get("ledger", []), list[LedgerTrust])
    except msgspec.ValidationError as error:
        raise _malformed("expected origin, genesis and checkpoint_key of each ledger") from error
    found = tuple(_trusted(ledger) for ledger in ledgers)
    if not found:
        raise _malformed("expected at least one [[ledger]]")
    if len({one.origin for one in found}) != len(found):
        raise _malformed("expected each origin once")
    return found


def trust_of_pin(pin: Pin) -> TrustedLedger:
    """Return the trust that an earlier look has left behind."""
    return TrustedLedger(pin.log.name, pin.genesis, pin.log)


def _trusted(ledger: LedgerTrust) -> TrustedLedger:
    try:
        log = parse_vkey(ledger.checkpoint_key)
        witnesses = tuple(parse_witness(one.key) for one in ledger.witness)
    except FairtrialError as error:
        raise _malformed("expected verifier keys of the log and of witnesses") from error
    if log.name != ledger.origin:
        raise _malformed("the name in checkpoint_key must be the origin")
    if len({one.key.key_id for one in witnesses}) != len(witnesses):
        raise _malformed("expected the key of each witness once")
    if ledger.quorum > len(witnesses):
        raise _malformed("the quorum is larger than the number of witnesses")
    return TrustedLedger(ledger.origin, ledger.genesis, log, witnesses, ledger.quorum)


def _malformed(what: str) -> MalformedDocument:
    return MalformedDocument(f"Not a trust file: {what}.", code="trust")
