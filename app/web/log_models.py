# SPDX-License-Identifier: Apache-2.0
"""What REST answers about the log: places, proofs, witnesses and entries."""

from __future__ import annotations

from app.web.answer import Answer


class AppendedStatement(Answer):
    """A statement's place in the log, and the proof of it.

    Attributes:
        statement: SHA-256 of its payload: its identity.
        leaf: base64 of the leaf's JCS bytes; its RFC 6962 leaf hash is what the proof is about.
        inclusion_proof: hex, the leaf's sibling first, in the tree of ``size``.
        checkpoint: the signed note of that tree.
        effect: what admission makes of it: ``accepted``; for receipts ``scored``, ``late`` ...
        challenge: of the first slot, for a reservation; else null.
    """

    statement: str
    kind: str
    index: int
    line: str
    seq: int
    leaf: str
    size: int
    inclusion_proof: list[str]
    checkpoint: str
    effect: str
    challenge: str | None


class StatementProof(Answer):
    """Where a statement stands in the newest tree.

    Attributes:
        tlog_proof: the same as one C2SP tlog-proof text.
    """

    statement: str
    index: int
    leaf: str
    size: int
    inclusion_proof: list[str]
    checkpoint: str
    tlog_proof: str


class InclusionProof(Answer):
    """Where a leaf stands in the tree of ``size``: never another answer for the same two numbers.

    Attributes:
        leaf_hash: hex, RFC 6962.
        root: hex, of the tree of ``size``.
        proof: hex, the leaf's sibling first.
    """

    index: int
    size: int
    leaf_hash: str
    root: str
    proof: list[str]


class ConsistencyProof(Answer):
    """That the tree of ``new_size`` begins with the tree of ``old_size``.

    Attributes:
        proof: hex, as RFC 6962, 2.1.2 orders it.
    """

    old_size: int
    new_size: int
    old_root: str
    new_root: str
    proof: list[str]


class WitnessEntry(Answer):
    """A witness that this ledger names, and what it has cosigned last.

    Attributes:
        witness: its verifier key.
        size: of the tree it cosigned; null: none yet.
        at: when, by its own clock.
        line: its signature line under that checkpoint.
    """

    witness: str
    size: int | None
    at: str | None
    line: str | None


class Witnesses(Answer):
    """Who has seen this log from outside.

    Attributes:
        size: of the newest tree.
        cosigned: how many of the ``named`` witnesses have cosigned exactly that.
        first_seen_outside: the earliest time at which one of those did.
    """

    size: int
    named: int
    cosigned: int
    first_seen_outside: str | None
    witnesses: list[WitnessEntry]


class LogEntry(Answer):
    """One leaf, in short and whole."""

    index: int
    at: str
    kind: str
    statement: str
    key: str
    line: str
    seq: int
    leaf: str


class LogEntries(Answer):
    """A page of the log."""

    entries: list[LogEntry]
