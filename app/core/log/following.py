# SPDX-License-Identifier: Apache-2.0
"""Following a log from outside: every new record is hashed, and the root must be the signed one.

What is kept between two looks is the newest checkpoint that was met and the frontier of the entries
hashed so far. Tiles are proven under the signed root before an entry is held against them, so what
is kept was always signed: a look that was interrupted goes on where it was, and a frontier that is
not the one of a newer signed tree is another history, whoever served it.

The file carries a digest of itself, so that damage to it is told from a log that misbehaves, also
where a turned bit would only move a time or a node that no signature is over.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from app.core.canonical import JsonValue, canonical, parse_canonical
from app.core.digest import from_base64, sha256_hex, to_base64
from app.core.errors import FairtrialError, IntegrityBroken
from app.core.log.checkpoint import Checkpoint
from app.core.log.leaf import parse_leaf
from app.core.log.merkle import HASH_BYTES, Frontier, leaf_hash
from app.core.log.pin import Pin, parse_pin

EMPTY: Final = Frontier()
_VERSION: Final = 1
_MEMBERS: Final = frozenset({"v", "pin", "size", "nodes", "at", "sha256"})


@dataclass(frozen=True, slots=True)
class Followed:
    """How far a log was followed.

    Attributes:
        pin: the newest checkpoint that was met; None before the first.
        frontier: of every record hashed so far.
        at: log time of the last of them, empty before the first.
    """

    pin: Pin | None = None
    frontier: Frontier = EMPTY
    at: str = ""

    def to_bytes(self) -> bytes:
        """Return the state file's content."""
        record: dict[str, JsonValue] = {
            "v": _VERSION,
            "pin": None if self.pin is None else self.pin.to_bytes().decode(),
            "size": self.frontier.size,
            "nodes": [to_base64(node) for node in self.frontier.nodes],
            "at": self.at,
        }
        return canonical({**record, "sha256": _digest(record)}) + b"\n"


def parse_followed(data: bytes) -> Followed:
    """Read a state file.

    Raises:
        IntegrityBroken: ``pin``: the file is damaged; nothing is said about the log.
    """
    try:
        record = parse_canonical(data.removesuffix(b"\n"))
        if not isinstance(record, dict) or record.keys() != _MEMBERS or record["v"] != _VERSION:
            raise _damaged()
        if record.pop("sha256") != _digest(record):
            raise _damaged()
        pin, size, nodes, at = (record[name] for name in ("pin", "size", "nodes", "at"))
        if type(size) is not int or not isinstance(nodes, list) or not isinstance(at, str):
            raise _damaged()
        found = tuple(from_base64(str(node)) for node in nodes)
        if len(found) != size.bit_count() or any(len(node) != HASH_BYTES for node in found):
            raise _damaged()
        known = None if pin is None else parse_pin(str(pin).encode())
    except FairtrialError as error:
        raise _damaged() from error
    followed = Followed(known, Frontier(size, found), at)
    if known is not None and not _holds(followed, known.checkpoint):
        raise _damaged()
    return followed


def follow(state: Followed, records: Sequence[bytes], hashes: Sequence[bytes]) -> Followed:
    """Return the state after more records of the log.

    Args:
        state: so far.
        records: the next ones, in order.
        hashes: their leaf hashes under the signed root.

    Raises:
        IntegrityBroken: ``followed-leaf``, naming the index: a record's hash is another, it is
            none, or its log time is before the one of the record above it.
    """
    at = state.at
    for index, (record, said) in enumerate(zip(records, hashes, strict=True), state.frontier.size):
        if leaf_hash(record) != said:
            raise _broken(index, "its hash is not the one in the log's tiles")
        try:
            leaf = parse_leaf(record)
        except FairtrialError as error:
            raise _broken(index, "it is no record of this version") from error
        if leaf.at < at:
            raise _broken(index, "its log time is before the one of the entry above it")
        at = leaf.at
    return replace(state, frontier=state.frontier.extend(hashes), at=at)


def refuse_other_history(state: Followed, checkpoint: Checkpoint, found: Frontier) -> None:
    """Refuse a signed tree that does not begin with what was followed before.

    Args:
        state: so far.
        checkpoint: what the log signed.
        found: the frontier of that tree at the size of the state's own, proven under its root.

    Raises:
        IntegrityBroken: ``consistency-proof``: both were signed, and they are not one history.
    """
    first = 0
    for kept, shown in zip(state.frontier.nodes, found.nodes, strict=True):
        width = 1 << ((state.frontier.size - first).bit_length() - 1)
        if kept != shown:
            raise _inconsistent(checkpoint.size, first, first + width - 1)
        first += width


def refuse_other_root(state: Followed, checkpoint: Checkpoint) -> None:
    """Refuse a second root for the size that was met before, whatever the log's tiles are.

    Raises:
        IntegrityBroken: ``consistency-proof``: two histories were signed.
    """
    known = state.pin
    if known and known.checkpoint.size == checkpoint.size and not _holds(state, checkpoint):
        raise _inconsistent(checkpoint.size, 0, checkpoint.size - 1)


def _digest(record: dict[str, JsonValue]) -> str:
    return sha256_hex(canonical(record))


def _holds(state: Followed, checkpoint: Checkpoint) -> bool:
    """Tell whether a state may be at or beyond a checkpoint."""
    if state.frontier.size == checkpoint.size:
        return state.frontier.root() == checkpoint.root
    return state.frontier.size > checkpoint.size


def _inconsistent(size: int, first: int, last: int) -> IntegrityBroken:
    message = (
        f"This log signed two histories: under its root of size {size} an entry from index {first} "
        f"to {last} is not the one that it showed before."
    )
    return IntegrityBroken(message, code="consistency-proof")


def _broken(index: int, what: str) -> IntegrityBroken:
    message = f"The entry at index {index} of this log is damaged: {what}."
    return IntegrityBroken(message, code="followed-leaf")


def _damaged() -> IntegrityBroken:
    message = (
        "This state file is damaged. That says nothing about the log; take the file from a copy, "
        "or begin a new one."
    )
    return IntegrityBroken(message, code="pin")
