# SPDX-License-Identifier: Apache-2.0
"""Lint: the gates together decide something, about every side and every slot."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from msgspec import UNSET

from app.core.identity import Scope
from app.core.protocol.cells import concurrency_of, streams_of
from app.core.protocol.finding import LintFinding
from app.core.protocol.gate import gate_findings
from app.core.protocol.gate_unused import unused
from app.core.protocol.lint_references import Rule, error, warning
from app.core.statement.gate_record import GateRecord
from app.core.statement.protocol_document import ProtocolDocument

_TAIL: Final = re.compile(r"(^|[^a-z0-9])p(75|90|95|99)([^a-z0-9]|$)")
_COUNTING: Final = ("primary", "secondary", "integrity")
_TOKENS: Final = ("decode_rate", "throughput", "completion_tokens")


def blocking(document: ProtocolDocument) -> Iterator[LintFinding]:
    """Every scope has a primary gate on a candidate."""
    candidates = _candidates(document)
    for index, scope in enumerate(document.scopes):
        if not any(
            gate.role == "primary" and gate.population.arm in candidates
            for gate in _of_scope(document, scope)
        ):
            detail = "No primary gate on a candidate arm speaks about this scope: it cannot PASS."
            yield error("E_NO_BLOCKING_GATE", f"/scopes/{index}", detail)


def matrix(document: ProtocolDocument) -> Iterator[LintFinding]:
    """Every candidate is gated in every cell of a scope; fairness needs contention."""
    for index, scope in enumerate(document.scopes):
        places = {
            (gate.population.arm, gate.population.cell)
            for gate in _of_scope(document, scope)
            if gate.role in _COUNTING
        }
        cells = {cell for _, cell in places}
        missing = [
            f"{arm}/{cell}"
            for arm in sorted(_candidates(document))
            for cell in sorted(cells)
            if (arm, cell) not in places
        ]
        if missing:
            detail = "A candidate has no gate of this scope in a cell where others have one."
            formula = "no gate: " + ", ".join(missing)
            yield error("E_SCOPE_UNDECLARED_CELL", f"/scopes/{index}", detail, formula)
        alone = all(concurrency_of(cell) == 1 for cell in document.cells if cell.id in cells)
        if scope == Scope.FAIRNESS and cells and alone:
            detail = "Fairness is about requests that contend, and every cell has one request."
            yield error("E_SCOPE_UNDECLARED_CELL", f"/scopes/{index}", detail)


def both_sides(document: ProtocolDocument) -> Iterator[LintFinding]:
    """Fairness is gated on every role of its cells: helping one must not starve the other."""
    if Scope.FAIRNESS not in document.scopes:
        return
    gates = [
        gate
        for gate in _of_scope(document, Scope.FAIRNESS)
        if gate.role in _COUNTING and gate.kind not in ("completeness", "integrity")
    ]
    for cell in document.cells:
        seen = {
            gate.population.stream_role
            for gate in gates
            if gate.population.cell == cell.id and gate.population.arm in _candidates(document)
        }
        roles = {planned.role for planned in streams_of(cell)}
        if seen and "any" not in seen and not roles <= seen:
            detail = "A role of the cell has no fairness gate, so it may pay for the other."
            pointer = f"/scopes/{document.scopes.index(Scope.FAIRNESS)}"
            yield error("E_ONE_SIDED", pointer, detail, f"gated: {', '.join(sorted(seen))}")


def medians(document: ProtocolDocument) -> Iterator[LintFinding]:
    """A median says nothing about the slots beyond it."""
    complete = {
        _place(gate)
        for gate in document.gates
        if gate.kind == "completeness" and gate.role in _COUNTING
    }
    for index, gate in enumerate(document.gates):
        if gate.statistic in ("median", "kth") and _place(gate) not in complete:
            detail = "A middle value passes although streams beyond it never finished."
            yield warning("W_MEDIAN_HIDES_INCOMPLETE", f"/gates/{index}/statistic", detail)


def labels(document: ProtocolDocument) -> Iterator[LintFinding]:
    """No gate bears a percentile that it does not establish, or reads what is no evidence."""
    for index, gate in enumerate(document.gates):
        if gate.kind != "quantile" and _TAIL.search(gate.id):
            detail = "An order statistic of the planned slots is not a percentile of the process."
            yield error("E_TAIL_LABEL", f"/gates/{index}/id", detail)
        name = "" if gate.metric is UNSET else gate.metric.name
        if name in ("exit_code", "http_status"):
            code = "E_EXIT_CODE_GATE" if name == "exit_code" else "E_HTTP_STATUS_GATE"
            detail = "That a program ended well or a status was 200 is no evidence of an outcome."
            yield error(code, f"/gates/{index}/metric/name", detail)


def answers(document: ProtocolDocument) -> Iterator[LintFinding]:
    """Who demands the expected answer has said what it is."""
    expected = {
        (cell.id, planned.role)
        for cell in document.cells
        for planned in streams_of(cell)
        if planned.expected_answer is not None or planned.answer_parts is not None
    }
    for index, gate in enumerate(document.gates):
        demanded = gate.rule is not UNSET and gate.rule.and_ == "answer_matched"
        if demanded and (gate.population.cell, gate.population.stream_role) not in expected:
            detail = "The stream has no expected_answer and no answer_parts to match."
            yield error("E_NO_EXPECTED_ANSWER", f"/gates/{index}/rule/and", detail)


def fallbacks(document: ProtocolDocument) -> Iterator[LintFinding]:
    """Whoever counts tokens has said what a missing usage means."""
    for index, gate in enumerate(document.gates):
        counts = gate.metric is not UNSET and gate.metric.name in _TOKENS
        if counts and gate.metric is not UNSET and gate.metric.fallback_bounds is UNSET:
            detail = "Where the server reports no usage the value will be unknown."
            yield warning("W_USAGE_FALLBACK_MISSING", f"/gates/{index}/metric", detail)


def _candidates(document: ProtocolDocument) -> set[str]:
    return {arm.id for arm in document.arms if arm.role == "candidate"}


def _of_scope(document: ProtocolDocument, scope: Scope) -> list[GateRecord]:
    return [gate for gate in document.gates if gate.scope == scope]


def _place(gate: GateRecord) -> tuple[str, str]:
    return (gate.population.arm, gate.population.cell)


SHAPE_RULES: Final[tuple[Rule, ...]] = (gate_findings,)
RULES: Final[tuple[Rule, ...]] = (
    unused,
    blocking,
    matrix,
    both_sides,
    medians,
    labels,
    answers,
    fallbacks,
)
