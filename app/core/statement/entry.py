# SPDX-License-Identifier: Apache-2.0
"""One place of the log: its leaf and the statement that the leaf names.

Everything that reads a log (a restart, a bundle, an audit) reads it through here, so that bytes
which are not what their leaf says are damage everywhere, and a kind or version that this reader
does not know is an entry without a statement: counted in its line, never ignored or guessed at.
"""

from __future__ import annotations

import msgspec

from app.core.digest import sha256_hex
from app.core.errors import FairtrialError, IntegrityBroken, SchemaViolation
from app.core.log.leaf import Leaf, parse_leaf
from app.core.statement.parse import UNKNOWN_CODES, Parsed, parse_statement


class Entry(msgspec.Struct, frozen=True, gc=False):
    """A leaf at its index.

    Attributes:
        index: its place in the tree.
        leaf: the record.
        parsed: the statement; None: of a kind or version that this reader does not know.
    """

    index: int
    leaf: Leaf
    parsed: Parsed | None


def read_entry(index: int, leaf_bytes: bytes, payload: bytes) -> Entry:
    """Read the entry at ``index`` from its stored bytes.

    Raises:
        IntegrityBroken: ``entry``: the record is none, or the payload is not the one it names.
    """
    try:
        leaf = parse_leaf(leaf_bytes)
        parsed = _read(payload)
    except FairtrialError as error:
        raise _damaged(index, "its bytes cannot be read") from error
    if (leaf.statement, leaf.size) != (sha256_hex(payload), len(payload)):
        raise _damaged(index, "its payload is not the one its leaf names")
    if parsed is not None and (leaf.kind, leaf.key) != (parsed.kind, parsed.signer):
        raise _damaged(index, "its leaf and its payload differ about kind or signer")
    return Entry(index, leaf, parsed)


def _read(payload: bytes) -> Parsed | None:
    try:
        return parse_statement(payload)
    except SchemaViolation as error:
        if error.code in UNKNOWN_CODES:
            return None
        raise


def _damaged(index: int, what: str) -> IntegrityBroken:
    message = (
        f"Entry {index} is damaged: {what}. Compare it with a backup or another copy of the log."
    )
    return IntegrityBroken(message, code="entry")
