# SPDX-License-Identifier: Apache-2.0
"""Lint: the gates together decide something, about every side and every slot."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from msgspec import UNSET

from app.core.identity import CellId, Scope
from app.core.protocol.cells import concurrency_of, streams_of
from app.core.protocol.finding import LintFinding
from app.core.protocol.gate import gate_findings
from app.core.protocol.gate_unused import unused
from app.core.protocol.lint_changes import add_completeness, add_copies, fresh_id
from app.core.protocol.lint_references import Rule, error, warning
from app.core.protocol.patch import Patch, put, remove
from app.core.statement.gate_record import GateRecord
from app.core.statement.protocol_document import ProtocolDocument

_TAIL: Final = re.compile(
    r"(?P<before>^|[^a-z0-9])p(?P<per_cent>50|75|9[0-9]([._]9+)?)(?P<behind>[^a-z0-9]|$)"
)
COUNTING: Final = ("primary", "secondary", "integrity")
_NO_EVIDENCE: Final = {
    "exit_code": "E_EXIT_CODE_GATE",
    "return_code": "E_EXIT_CODE_GATE",
    "http_status": "E_HTTP_STATUS_GATE",
    "status_code": "E_HTTP_STATUS_GATE",
}
_TOKENS: Final = ("decode_rate", "throughput", "completion_tokens")


def blocking(document: ProtocolDocument) -> Iterator[LintFinding]:
    """Every scope has a primary gate on a candidate."""
    candidates = _candidates(document)
    for index, scope in enumerate(document.scopes):
        if not any(
            gate.role == "primary" and gate.population.arm in candidates
            for gate in _of_scope(document, scope)
        ):
            detail = (
                "No primary gate on a candidate arm speaks about this scope, so it cannot PASS: "
                "decide which gate blocks."
            )
            change = _blocking(document, index, scope)
            yield error("E_NO_BLOCKING_GATE", f"/scopes/{index}", detail, change=change)


def _blocking(document: ProtocolDocument, index: int, scope: Scope) -> Patch:
    """Return the patch that makes a candidate's gate primary, or does without the scope."""
    for number, gate in enumerate(document.gates):
        counts = gate.scope == scope and gate.role in (*COUNTING, "exploratory")
        if counts and gate.population.arm in _candidates(document):
            return put(f"/gates/{number}/role", "primary")
    is_empty = not _of_scope(document, scope) and len(document.scopes) > 1
    return remove(f"/scopes/{index}") if is_empty else ()


def matrix(document: ProtocolDocument) -> Iterator[LintFinding]:
    """Every candidate is gated in every cell of a scope; fairness needs contention."""
    for index, scope in enumerate(document.scopes):
        places = {
            (gate.population.arm, gate.population.cell)
            for gate in _of_scope(document, scope)
            if gate.role in COUNTING
        }
        cells = {cell for _, cell in places} & {cell.id for cell in document.cells}
        missing = [
            (arm, cell)
            for arm in sorted(_candidates(document))
            for cell in sorted(cells)
            if (arm, cell) not in places
        ]
        if missing:
            detail = "A candidate has no gate of this scope in a cell where others have one."
            formula = "no gate: " + ", ".join(f"{arm}/{cell}" for arm, cell in missing)
            change = add_completeness(document, missing, scope)
            yield error("E_SCOPE_UNDECLARED_CELL", f"/scopes/{index}", detail, formula, change)
        alone = all(concurrency_of(cell) == 1 for cell in document.cells if cell.id in cells)
        if scope == Scope.FAIRNESS and cells and alone:
            detail = (
                "Fairness is about requests that contend, and every cell has one request: decide "
                "on a cell in which two overlap."
            )
            yield error("E_SCOPE_UNDECLARED_CELL", f"/scopes/{index}", detail)


def both_sides(document: ProtocolDocument) -> Iterator[LintFinding]:
    """Fairness is gated on every role of its cells: helping one must not starve the other."""
    if Scope.FAIRNESS not in document.scopes:
        return
    gates = [
        gate
        for gate in _of_scope(document, Scope.FAIRNESS)
        if gate.role in COUNTING and gate.kind not in ("completeness", "integrity")
    ]
    for cell in document.cells:
        seen = {
            gate.population.stream_role
            for gate in gates
            if gate.population.cell == cell.id and gate.population.arm in _candidates(document)
        }
        roles = {planned.role for planned in streams_of(cell)}
        if seen and "any" not in seen and not roles <= seen:
            detail = (
                "A role of the cell has no fairness gate, so it may pay for the other: decide what "
                "it may not lose."
            )
            pointer = f"/scopes/{document.scopes.index(Scope.FAIRNESS)}"
            formula = f"gated: {', '.join(sorted(seen))}"
            change = _other_sides(document, gates, cell.id, sorted(roles - seen))
            yield error("E_ONE_SIDED", pointer, detail, formula, change)


def _other_sides(
    document: ProtocolDocument, gates: list[GateRecord], cell: CellId, roles: list[str]
) -> Patch:
    """Return the patch that asks of other roles what is asked of one; empty: it has no metric."""
    asked = next(
        (each for each in gates if each.population.cell == cell and each.metric is not UNSET), None
    )
    return () if asked is None else add_copies(document, asked, roles)


def medians(document: ProtocolDocument) -> Iterator[LintFinding]:
    """A median says nothing about the slots beyond it."""
    complete = {
        _place(gate)
        for gate in document.gates
        if gate.kind == "completeness" and gate.role in COUNTING
    }
    cells = {cell.id for cell in document.cells}
    for index, gate in enumerate(document.gates):
        is_middle = gate.statistic in ("median", "kth") and gate.population.cell in cells
        if is_middle and _place(gate) not in complete:
            detail = "A middle value passes although streams beyond it never finished."
            change = add_completeness(document, [_place(gate)], gate.scope)
            place = f"/gates/{index}/statistic"
            yield warning("W_MEDIAN_HIDES_INCOMPLETE", place, detail, change=change)


def labels(document: ProtocolDocument) -> Iterator[LintFinding]:
    """No gate bears a percentile that it does not establish, or reads what is no evidence."""
    for index, gate in enumerate(document.gates):
        label = _TAIL.search(gate.id)
        if label is not None and not _is_about(gate, label["per_cent"]):
            detail = (
                "A percentile of the process is what a quantile gate of that p claims; an order "
                "statistic of the planned slots, or another p, is none."
            )
            name = _TAIL.sub(r"\g<before>worst\g<behind>", gate.id)
            change = put(f"/gates/{index}/id", fresh_id(document, name))
            yield error("E_TAIL_LABEL", f"/gates/{index}/id", detail, change=change)
        name = "" if gate.metric is UNSET else gate.metric.name
        if name in _NO_EVIDENCE:
            code = _NO_EVIDENCE[name]
            detail = "That a program ended well or a status was 200 is no evidence of an outcome."
            change = remove(f"/gates/{index}")
            yield error(code, f"/gates/{index}/metric/name", detail, change=change)


def _is_about(gate: GateRecord, per_cent: str) -> bool:
    """Tell whether the gate is the claim that a label such as p95 or p99.9 names."""
    digits = per_cent.replace("_", ".")
    return (
        gate.kind == "quantile"
        and gate.p is not UNSET
        and (Fraction(gate.p) * 100 == Fraction(digits))
    )


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
            place = f"/gates/{index}/rule/and"
            yield error("E_NO_EXPECTED_ANSWER", place, detail, change=remove(place))


def fallbacks(document: ProtocolDocument) -> Iterator[LintFinding]:
    """Whoever counts tokens has said what a missing usage means."""
    for index, gate in enumerate(document.gates):
        counts = gate.metric is not UNSET and gate.metric.name in _TOKENS
        if counts and gate.metric is not UNSET and gate.metric.fallback_bounds is UNSET:
            detail = "Where the server reports no usage the value will be unknown."
            place = f"/gates/{index}/metric"
            change = put(f"{place}/fallback_bounds", "content_deltas_to_max_tokens")
            yield warning("W_USAGE_FALLBACK_MISSING", place, detail, change=change)


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
