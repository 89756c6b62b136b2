# SPDX-License-Identifier: Apache-2.0
"""Following a log from outside: every new record is hashed, and the root must be the signed one.

What is kept between two looks is the newest checkpoint that was verified and the frontier of the
tree under it. A tree that is grown from that frontier and ends in the root of a newer checkpoint
contains the older one; nothing else has to be asked for. A look that was interrupted goes on from
the records it has hashed already, which are believed only when a signed root is met.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from app.core.canonical import canonical, parse_canonical
from app.core.digest import from_base64, to_base64
from app.core.errors import FairtrialError, IntegrityBroken
from app.core.log.checkpoint import Checkpoint
from app.core.log.leaf import parse_leaf
from app.core.log.merkle import HASH_BYTES, Frontier, leaf_hash
from app.core.log.pin import Pin, parse_pin

EMPTY: Final = Frontier()
_VERSION: Final = 1
_MEMBERS: Final = frozenset({"v", "pin", "size", "nodes", "at"})


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
        record = {
            "v": _VERSION,
            "pin": None if self.pin is None else self.pin.to_bytes().decode(),
            "size": self.frontier.size,
            "nodes": [to_base64(node) for node in self.frontier.nodes],
            "at": self.at,
        }
        return canonical(record) + b"\n"


def parse_followed(data: bytes) -> Followed:
    """Read a state file.

    Raises:
        IntegrityBroken: ``pin``: the file is damaged; nothing is said about the log.
    """
    try:
        record = parse_canonical(data.removesuffix(b"\n"))
        if not isinstance(record, dict) or record.keys() != _MEMBERS or record["v"] != _VERSION:
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
        hashes: what the log's tiles say their leaf hashes are.

    Raises:
        IntegrityBroken: ``followed-leaf``, naming the index: a record is none, its hash is another,
            or its log time is before the one of the record above it.
    """
    at = state.at
    for index, (record, said) in enumerate(zip(records, hashes, strict=True), state.frontier.size):
        try:
            leaf = parse_leaf(record)
        except FairtrialError as error:
            raise _broken(index, "it is no record of this version") from error
        if leaf_hash(record) != said:
            raise _broken(index, "its hash is not the one in the log's tiles")
        if leaf.at < at:
            raise _broken(index, "its log time is before the one of the entry above it")
        at = leaf.at
    return replace(state, frontier=state.frontier.extend(hashes), at=at)


def met(state: Followed, pin: Pin) -> Followed:
    """Return the state at a checkpoint whose every record was followed.

    Raises:
        IntegrityBroken: ``consistency-proof``, the records lead to another root than the signed
            one: not one history.
    """
    if not _holds(state, pin.checkpoint):
        message = (
            f"The entries of this log, followed from what was verified before, do not lead to the "
            f"root that it signed for size {pin.checkpoint.size}: two histories were shown."
        )
        raise IntegrityBroken(message, code="consistency-proof")
    return replace(state, pin=pin)


def _holds(state: Followed, checkpoint: Checkpoint) -> bool:
    """Tell whether a state may be at or beyond a checkpoint."""
    if state.frontier.size == checkpoint.size:
        return state.frontier.root() == checkpoint.root
    return state.frontier.size > checkpoint.size


def _broken(index: int, what: str) -> IntegrityBroken:
    message = f"The entry at index {index} of this log is damaged: {what}."
    return IntegrityBroken(message, code="followed-leaf")


def _damaged() -> IntegrityBroken:
    message = (
        "This state file is damaged. That says nothing about the log; take the file from a copy, "
        "or begin a new one."
    )
    return IntegrityBroken(message, code="pin")
