# SPDX-License-Identifier: Apache-2.0
"""May this document be locked, never to change?"""

from __future__ import annotations

from typing import Final

from app.core.admission.request import Effect, Request, refuse
from app.core.errors import Conflict, Finding, LintRefused
from app.core.identity import Role
from app.core.protocol.lint import LintFinding, lint
from app.core.protocol.lint_codes import OF_A_PILOT
from app.core.protocol.parse import document_digest
from app.core.statement.protocol import ProtocolPredicate
from app.core.study.state import LockedProtocol

KNOWN_SCORING: Final = frozenset({1})
"""Numbers of the scoring rules this version implements."""


def admit_protocol(request: Request, lock: ProtocolPredicate) -> Effect:
    """Admit a lock.

    Raises:
        NotAllowed: ``role``, ``repository``, ``key-retired``, ``key-revoked``.
        Conflict: ``locked``, ``protocol-moved``.
        LintRefused: the document could not be judged honestly.
        Unprocessable: ``scoring``, ``acknowledged-warnings``, ``supersedes``.
    """
    # 1. Signed by its signer, for this ledger.
    request.require_header()
    # 2. A maintainer of this repository.
    request.require_role(Role.MAINTAINER, lock.repository)
    # 3. A document is locked once, and a name and version mean one document: whoever edits a locked
    #    protocol finds the old one standing.
    locked = request.standing.repository.protocols.values()
    document = lock.document
    digest = document_digest(document)
    named = [one for one in locked if one.document.name == document.name]
    taken = any(one.document.version == document.version for one in named)
    if taken or any(one.digest == digest for one in locked):
        message = (
            "A protocol is locked under this name and version already; it never changes. "
            "Lock a later version that supersedes it."
        )
        raise Conflict(message, code="locked")
    # 4. An amendment names the newest version, is later than it.
    _require_succession(lock, max(named, key=lambda one: one.document.version, default=None))
    # 5. Scoring rules that this ledger can apply.
    if document.scoring not in KNOWN_SCORING:
        detail = "Expected the number of scoring rules this version implements."
        raise refuse("scoring", "/document/scoring", detail)
    # 6. It can be judged honestly, and its warnings are known to whoever locks it. A lock that
    #    stands was held against the lint of its own day; a stricter one must not unmake a ledger.
    if not request.stood:
        _require_clean(lock)
    return Effect.ACCEPTED


def _require_succession(lock: ProtocolPredicate, newest: LockedProtocol | None) -> None:
    expected = None if newest is None else newest.digest
    if lock.supersedes != expected:
        message = "The newest version of this protocol is another than the one this supersedes."
        raise Conflict(message, code="protocol-moved")
    if newest is not None and lock.document.version < newest.document.version:
        detail = "Expected a version after the one it supersedes."
        raise refuse("supersedes", "/document/version", detail)


def _said(finding: LintFinding) -> str:
    """Return what a finding says, with its numbers: the number that would do is among them."""
    return f"{finding.detail} {finding.formula}" if finding.formula else finding.detail


def _require_clean(lock: ProtocolPredicate) -> None:
    findings = lint(lock.document)
    errors = tuple(
        Finding(f"/predicate/document{f.pointer}", f.code, _said(f))
        for f in findings
        if f.severity == "error"
    )
    if errors:
        message = "The protocol could not be judged honestly as it stands; the findings say why."
        raise LintRefused(message, findings=errors)
    warnings = {finding.code for finding in findings}
    # What a pilot said beside the document is not known here: it may be named, and need not.
    if set(lock.acknowledged_warnings) - (OF_A_PILOT - warnings) != warnings:
        names = ", ".join(sorted(warnings)) or "none"
        detail = f"Expected exactly the warnings that the lint gives, each once: {names}."
        raise refuse("acknowledged-warnings", "/acknowledged_warnings", detail)
