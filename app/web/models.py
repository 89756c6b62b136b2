# SPDX-License-Identifier: Apache-2.0
"""What REST answers, as shapes: every member is always there, and null says that nothing is known.

No member has a default: whoever builds an answer says each of them. Signed bytes (statements,
documents, captures, verdicts) are not described here, because they are never written again; routes
send them as they are stored.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from app.core.statement.verdict import SlotState


class Answer(BaseModel):
    """A closed, immutable JSON object."""

    model_config = ConfigDict(frozen=True, extra="forbid")


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


class LockedProtocolEntry(Answer):
    """A locked protocol in a list; its document is at ``/v1/protocols/{digest}``."""

    digest: str
    statement: str
    index: int
    at: str
    repository: str
    name: str
    version: int
    supersedes: str | None


class LockedProtocols(Answer):
    """A page of locked protocols."""

    protocols: list[LockedProtocolEntry]


class LintEntry(Answer):
    """One remark of the linter; ``formula`` is null where there is none.

    Attributes:
        change: a JSON Patch (RFC 6902) against the document; empty where only a person decides.
    """

    code: str
    severity: Literal["error", "warning"]
    pointer: str
    detail: str
    formula: str | None
    change: list[dict[str, Any]]


class LintReport(Answer):
    """What a lock of this document would meet; nothing was stored."""

    document: str
    planned_slots: int
    lockable: bool
    findings: list[LintEntry]


class StudyEntry(Answer):
    """A study in a list."""

    study: str
    index: int
    at: str
    repository: str
    head: str
    ordinal: int
    change: str | None
    protocol: str


class Studies(Answer):
    """A page of studies."""

    studies: list[StudyEntry]


class SlotFlow(Answer):
    """The accounting identity: planned is the sum of the other nine."""

    planned: int
    open: int
    reserved: int
    missing: int
    abandoned: int
    warmup_failed: int
    complete: int
    partial: int
    failed: int
    invalid: int


class StudyProgress(Answer):
    """A study where it stands at ``log_time``.

    Attributes:
        state: OPEN; DRAINING (nothing more is reserved); CLOSED.
        sealed: captures and what is computed from them are not given out yet.
    """

    study: str
    index: int
    repository: str
    head: str
    ordinal: int
    change: str | None
    protocol: str
    exploratory: bool
    replay: bool
    state: Literal["OPEN", "DRAINING", "CLOSED"]
    sealed: bool
    opened_at: str
    closes_at: str
    ended_at: str | None
    log_time: str
    flow: SlotFlow


class AttemptProgress(Answer):
    """One attempt at a slot.

    Attributes:
        challenge: of this slot in its reservation; null until the slot before is done with.
        receipts: digests of what came in time; ``late`` of what did not.
    """

    attempt: int
    reservation: str
    runner: str
    host: str
    reserved_at: str
    deadline: str
    challenge: str | None
    receipts: list[str]
    late: list[str]
    refusals: int


class SlotProgress(Answer):
    """A planned slot and what became of it."""

    slot: str
    arm: str
    cell: str
    repetition: int
    state: SlotState
    attempts: list[AttemptProgress]


class StudySlots(Answer):
    """Every planned slot, in running order."""

    study: str
    log_time: str
    flow: SlotFlow
    slots: list[SlotProgress]


class PolicyEntry(Answer):
    """A policy and from where on it is in force."""

    statement: str
    index: int
    at: str
    tracked_branch: str | None
    claims: list[str]


class RefEntry(Answer):
    """Where a branch, or the head of a pull request, was seen."""

    statement: str
    index: int
    at: str
    branch: str
    change: str | None
    tip: str
    source: str


class RepositorySummary(Answer):
    """What is known of a repository; ``refs`` in log order, the newest of a branch is in force."""

    repository: str
    policies: list[PolicyEntry]
    protocols: list[LockedProtocolEntry]
    refs: list[RefEntry]
    heads: list[str]


class ChangeSummary(Answer):
    """The heads of one pull request, newest first, and their studies."""

    repository: str
    change: str
    heads: list[str]
    studies: list[StudyEntry]


class SchemaEntry(Answer):
    """A JSON Schema by its digest."""

    name: str
    digest: str


class Schemas(Answer):
    """Every schema this service follows."""

    schemas: list[SchemaEntry]


class Health(Answer):
    """The process answers."""

    status: Literal["ok"]


class ScrubState(Answer):
    """How far the background scrub of this process has come."""

    rounds: int
    position: int


class Readiness(Answer):
    """The ledger takes statements; ``version`` is that of the program that serves it."""

    status: Literal["ready"]
    version: str
    origin: str
    genesis: str
    scrub: ScrubState
