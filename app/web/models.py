# SPDX-License-Identifier: Apache-2.0
"""What REST answers about repositories, protocols, schemas and this service itself."""

from __future__ import annotations

from typing import Any, Literal

from app.web.answer import Answer
from app.web.study_models import StudyEntry


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
