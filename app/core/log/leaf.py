# SPDX-License-Identifier: Apache-2.0
"""The leaf: the JCS record that the tree is built over, its lines, and the challenge made from it.

A leaf names one statement by the SHA-256 of its payload and gives it a place: an index in the tree
(not in the record, since the tree says it), a time, and a place in its line. Every statement stands
in one line (``ledger``, ``repo:<repository>``, ``head:<repository>@<sha>``). In a line ``seq``
counts from 0 without gaps and ``prev`` is the index of the line's leaf before, so that whoever
holds a line's length sees what was left out.

A reservation's leaf also holds a server nonce and the tree before it. Its leaf hash is the
challenge: it could not be known before the ledger appended it, and anyone can compute it again.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

from app.core.canonical import JsonValue, canonical, parse_canonical
from app.core.digest import DIGEST_BYTES, digest_bytes, is_digest, sha256_hex
from app.core.errors import FairtrialError, MalformedDocument, Unprocessable
from app.core.log.merkle import leaf_hash

VERSION = 1
"""Version of the record; a reader of this code knows no other."""

MAX_LEAF_BYTES = 0xFFFF
"""Longest record: an entry bundle gives its length 16 bits (C2SP tlog-tiles, "Log entries")."""

RESERVATION = "reservation"
"""The kind whose leaf makes a challenge."""

SKIPPED = bytes(DIGEST_BYTES)
"""Stands in the challenge chain where a slot was skipped: 32 zero bytes."""

_MEMBERS = frozenset({"v", "at", "kind", "statement", "size", "key", "line", "seq", "prev"})
_RESERVATION_MEMBERS = _MEMBERS | {"nonce", "after"}

_AT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T(?:[01][0-9]|2[0-3]):[0-9]{2}:[0-9]{2}\.[0-9]{6}Z")
_KIND = re.compile(r"[a-z][a-z_-]{0,31}")
_REPOSITORY = r"[!-?A-~]{1,256}"
_LINE = re.compile(
    rf"ledger|repo:{_REPOSITORY}|head:{_REPOSITORY}@(?:[0-9a-f]{{40}}|[0-9a-f]{{64}})"
)


@dataclass(frozen=True, slots=True)
class TreeHead:
    """A size and the root over that many leaves, in hex."""

    size: int
    root: str


@dataclass(frozen=True, slots=True)
class Leaf:
    """One record of the log.

    Attributes:
        at: server time at append, RFC 3339 UTC with six fractional digits and ``Z``.
        kind: the statement's kind.
        statement: SHA-256 of the payload, in hex.
        size: bytes of the payload.
        key: id of the key that the statement names as its signer.
        line: the line it stands in.
        seq: its place in that line, from 0.
        prev: index of the leaf before it in that line; None at ``seq`` 0.
        nonce: 32 server-drawn bytes in hex; reservations only.
        after: the tree below this leaf, its own batch's leaves included; reservations only.
    """

    at: str
    kind: str
    statement: str
    size: int
    key: str
    line: str
    seq: int
    prev: int | None
    nonce: str | None = None
    after: TreeHead | None = None

    def to_bytes(self) -> bytes:
        """Return the JCS record."""
        record: dict[str, object] = {
            "v": VERSION,
            "at": self.at,
            "kind": self.kind,
            "statement": self.statement,
            "size": self.size,
            "key": self.key,
            "line": self.line,
            "seq": self.seq,
            "prev": self.prev,
        }
        if self.nonce is not None:
            record["nonce"] = self.nonce
        if self.after is not None:
            record["after"] = {"size": self.after.size, "root": self.after.root}
        return canonical(record)

    def hash(self) -> bytes:
        """Return the RFC 6962 leaf hash of the record."""
        return leaf_hash(self.to_bytes())


def ledger_line() -> str:
    """Return the line of genesis, keys, tombstones and advisories."""
    return "ledger"


def repository_line(repository: str) -> str:
    """Return the line of a repository: policies, protocols, refs, holds wider than one head."""
    return f"repo:{repository}"


def head_line(repository: str, sha: str) -> str:
    """Return the line of one exact commit: everything else."""
    return f"head:{repository}@{sha}"


def parse_leaf(data: bytes) -> Leaf:
    """Read a record; what comes back gives the same bytes again.

    Raises:
        MalformedDocument: ``leaf``, for every way in which the bytes are no record of version 1.
    """
    if len(data) > MAX_LEAF_BYTES:
        raise _malformed(f"expected at most {MAX_LEAF_BYTES} bytes")
    try:
        record = parse_canonical(data)
    except FairtrialError as error:
        raise _malformed(f"expected a JCS document ({error.code})") from error
    if not isinstance(record, dict) or type(record.get("v")) is not int or record["v"] != VERSION:
        raise _malformed(f"expected an object with v {VERSION}")
    reserved = record.get("kind") == RESERVATION
    if record.keys() != (_RESERVATION_MEMBERS if reserved else _MEMBERS):
        raise _malformed("expected exactly the members of its kind's record")
    seq = _count(record, "seq")
    prev = None if record["prev"] is None else _count(record, "prev")
    if (prev is None) != (seq == 0):
        raise _malformed("expected prev to be null at seq 0 and only there")
    return Leaf(
        at=_instant(record),
        kind=_matching(record, "kind", _KIND),
        statement=_digest(record, "statement"),
        size=_count(record, "size"),
        key=_digest(record, "key"),
        line=_matching(record, "line", _LINE),
        seq=seq,
        prev=prev,
        nonce=_digest(record, "nonce") if reserved else None,
        after=_tree_head(record["after"]) if reserved else None,
    )


def challenge_of(reservation: Leaf) -> str:
    """Return the challenge of a reservation's first slot: the leaf hash, in hex.

    Raises:
        Unprocessable: ``no-challenge``, the leaf is no reservation's.
    """
    if reservation.kind != RESERVATION or reservation.nonce is None or reservation.after is None:
        message = (
            "Only a reservation's leaf, with its nonce and the tree before it, makes a challenge."
        )
        raise Unprocessable(message, code="no-challenge")
    return reservation.hash().hex()


def next_challenge(previous: str, receipt: str | None) -> str:
    """Return the challenge of the next slot of one reservation, in hex.

    Args:
        previous: challenge of the slot before, in hex.
        receipt: statement digest of that slot's receipt in hex, or None when it was skipped.

    Raises:
        MalformedDocument: ``digest``.
    """
    filled = SKIPPED if receipt is None else digest_bytes(receipt)
    return sha256_hex(digest_bytes(previous) + filled)


def _count(record: dict[str, JsonValue], name: str) -> int:
    value = record.get(name)
    if type(value) is not int or value < 0:
        raise _malformed(f"expected {name} to be a count")
    return value


def _matching(record: dict[str, JsonValue], name: str, form: re.Pattern[str]) -> str:
    value = record.get(name)
    if not isinstance(value, str) or not form.fullmatch(value):
        raise _malformed(f"expected {name} in its one form")
    return value


def _digest(record: dict[str, JsonValue], name: str) -> str:
    value = record.get(name)
    if not isinstance(value, str) or not is_digest(value):
        raise _malformed(f"expected {name} to be 64 lower-case hex characters")
    return value


def _instant(record: dict[str, JsonValue]) -> str:
    text = _matching(record, "at", _AT)
    try:
        datetime.fromisoformat(text)
    except ValueError as error:
        raise _malformed("expected at to be an instant of the calendar") from error
    return text


def _tree_head(value: JsonValue) -> TreeHead:
    if not isinstance(value, dict) or value.keys() != {"size", "root"}:
        raise _malformed("expected after to hold size and root")
    return TreeHead(_count(value, "size"), _digest(value, "root"))


def _malformed(what: str) -> MalformedDocument:
    return MalformedDocument(f"Not a leaf: {what}.", code="leaf")
