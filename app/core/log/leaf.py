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
from datetime import datetime

import msgspec
from msgspec import UNSET, UnsetType

from app.core.canonical import MAX_INTEGER
from app.core.digest import DIGEST_BYTES, digest_bytes, is_digest, sha256_hex
from app.core.errors import MalformedDocument, Unprocessable
from app.core.log.merkle import leaf_hash

VERSION = 1
"""Version of the record; a reader of this code knows no other."""

MAX_LEAF_BYTES = 0xFFFF
"""Longest record: an entry bundle gives its length 16 bits (C2SP tlog-tiles, "Log entries")."""

RESERVATION = "reservation"
"""The kind whose leaf makes a challenge."""

SKIPPED = bytes(DIGEST_BYTES)
"""Stands in the challenge chain where a slot was skipped: 32 zero bytes."""

_AT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T(?:[01][0-9]|2[0-3]):[0-9]{2}:[0-9]{2}\.[0-9]{6}Z")
_KIND = re.compile(r"[a-z][a-z_-]{0,31}")
_REPOSITORY = r"[!-?A-~]{1,256}"
_LINE = re.compile(
    rf"ledger|repo:{_REPOSITORY}|head:{_REPOSITORY}@(?:[0-9a-f]{{40}}|[0-9a-f]{{64}})"
)


class TreeHead(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A size and the root over that many leaves, in hex."""

    size: int
    root: str


class Leaf(msgspec.Struct, frozen=True, gc=False):
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
        return _ENCODER.encode(
            _Record(
                v=VERSION,
                at=self.at,
                kind=self.kind,
                statement=self.statement,
                size=self.size,
                key=self.key,
                line=self.line,
                seq=self.seq,
                prev=self.prev,
                nonce=UNSET if self.nonce is None else self.nonce,
                after=UNSET if self.after is None else self.after,
            )
        )

    def hash(self) -> bytes:
        """Return the RFC 6962 leaf hash of the record."""
        return leaf_hash(self.to_bytes())


class _Record(msgspec.Struct, forbid_unknown_fields=True):
    """The members of a record; its names and texts are ASCII, so sorted by name it is JCS."""

    v: int
    at: str
    kind: str
    statement: str
    size: int
    key: str
    line: str
    seq: int
    prev: int | None
    nonce: str | UnsetType = UNSET
    after: TreeHead | UnsetType = UNSET


_ENCODER = msgspec.json.Encoder(order="sorted")
_DECODER = msgspec.json.Decoder(_Record)


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
    record = _record(data)
    reserved = record.kind == RESERVATION
    if (record.nonce is UNSET) is reserved or (record.after is UNSET) is reserved:
        raise _malformed("expected exactly the members of its kind's record")
    if (record.prev is None) != (record.seq == 0):
        raise _malformed("expected prev to be null at seq 0 and only there")
    return Leaf(
        at=_instant(record.at),
        kind=_matching("kind", record.kind, _KIND),
        statement=_digest("statement", record.statement),
        size=_count("size", record.size),
        key=_digest("key", record.key),
        line=_matching("line", record.line, _LINE),
        seq=_count("seq", record.seq),
        prev=None if record.prev is None else _count("prev", record.prev),
        nonce=None if record.nonce is UNSET else _digest("nonce", record.nonce),
        after=None if record.after is UNSET else _tree_head(record.after),
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


def _record(data: bytes) -> _Record:
    try:
        record = _DECODER.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise _malformed("expected a JSON object of exactly the members of a record") from error
    if _ENCODER.encode(record) != data:
        raise _malformed("expected a JCS document")
    if record.v != VERSION:
        raise _malformed(f"expected v {VERSION}")
    return record


def _count(name: str, value: int) -> int:
    if not 0 <= value <= MAX_INTEGER:
        raise _malformed(f"expected {name} to be a count")
    return value


def _matching(name: str, value: str, form: re.Pattern[str]) -> str:
    if not form.fullmatch(value):
        raise _malformed(f"expected {name} in its one form")
    return value


def _digest(name: str, value: str) -> str:
    if not is_digest(value):
        raise _malformed(f"expected {name} to be 64 lower-case hex characters")
    return value


def _instant(text: str) -> str:
    _matching("at", text, _AT)
    try:
        datetime.fromisoformat(text)
    except ValueError as error:
        raise _malformed("expected at to be an instant of the calendar") from error
    return text


def _tree_head(value: TreeHead) -> TreeHead:
    return TreeHead(_count("after.size", value.size), _digest("after.root", value.root))


def _malformed(what: str) -> MalformedDocument:
    return MalformedDocument(f"Not a leaf: {what}.", code="leaf")
