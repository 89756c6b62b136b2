# SPDX-License-Identifier: Apache-2.0
"""On which line a statement stands (DESIGN.md 6)."""

from __future__ import annotations

from typing import Final

from app.core.log.leaf import head_line, ledger_line, repository_line
from app.core.statement.header import HeadSubject
from app.core.statement.hold import HoldPredicate
from app.core.statement.parse import Parsed
from app.core.statement.policy import PolicyPredicate
from app.core.statement.protocol import ProtocolPredicate
from app.core.statement.ref import RefPredicate

_HEAD_NAME: Final = "git+https://"
_OF_A_REPOSITORY = PolicyPredicate | ProtocolPredicate | HoldPredicate | RefPredicate
"""Predicates that name their repository whatever their subject is."""


def repository_of(parsed: Parsed) -> str | None:
    """Return the repository a statement is about; None for the ledger's own line."""
    predicate, subject = parsed.predicate, parsed.subject
    if isinstance(predicate, _OF_A_REPOSITORY):
        return predicate.repository
    if isinstance(subject, HeadSubject):
        return subject.name.removeprefix(_HEAD_NAME)
    return None


def head_of(parsed: Parsed) -> str | None:
    """Return the full commit id a statement is about; None for the wider lines.

    A hold that concerns one head stands on that head's line, every wider one on the repository's.
    """
    predicate, subject = parsed.predicate, parsed.subject
    if isinstance(predicate, HoldPredicate):
        return predicate.applies_to.head
    return subject.digest.gitCommit if isinstance(subject, HeadSubject) else None


def line_of(parsed: Parsed) -> str:
    """Return the line a statement stands on."""
    repository, head = repository_of(parsed), head_of(parsed)
    if repository is None:
        return ledger_line()
    return repository_line(repository) if head is None else head_line(repository, head)
