# SPDX-License-Identifier: Apache-2.0
"""Lint: counts that a gate asks for or allows are such as its own slots can come to.

A check or a job takes a millisecond at least, so a slot has room for so many and no more. What is
allowed beyond that never fails, and what is asked beyond it never comes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from app.core.protocol.finding import LintFinding
from app.core.protocol.gate import ReviewGate
from app.core.protocol.gate_results import ChecksGate, JobsGate
from app.core.protocol.lint_reach import LEAST_US
from app.core.protocol.lint_references import GateRule, Gates, error
from app.core.protocol.patch import Patch, put
from app.core.protocol.plan import cell_of
from app.core.statement.protocol_document import ChecksCell, JobsCell, ProtocolDocument

MOST_REVIEWS: Final = 100
"""People who review one head independently of its author and of one another: never more."""


def allowed_failures(document: ProtocolDocument, gates: Gates) -> Iterator[LintFinding]:
    """No gate allows as many failures as its slots have room for."""
    for index, gate in enumerate(gates):
        cell = cell_of(document, gate.population.cell)
        if isinstance(gate, ChecksGate) and isinstance(cell, ChecksCell):
            most, why = _checks(document, cell)
        elif isinstance(gate, JobsGate) and isinstance(cell, JobsCell):
            most, why = _jobs(cell)
        else:
            continue
        if 0 < most <= gate.max_failed:
            place = f"/gates/{index}/rule/max_failed"
            detail = "Not even a slot in which everything fails has more failures than that."
            change = put(place, most - 1)
            yield error("E_CANNOT_FAIL", place, detail, f"{gate.max_failed} >= {why}", change)


def wanted_results(document: ProtocolDocument, gates: Gates) -> Iterator[LintFinding]:
    """No lane is asked for more results than it has time for, no head for more reviews."""
    for index, gate in enumerate(gates):
        cell = cell_of(document, gate.population.cell)
        if isinstance(gate, JobsGate) and isinstance(cell, JobsCell):
            most, why = _jobs(cell)
            place, wanted = f"/gates/{index}/rule/min_validated", gate.min_validated
            detail = "No lane has time for so many results before its slot's deadline."
        elif isinstance(gate, ReviewGate):
            most, why = MOST_REVIEWS, f"{MOST_REVIEWS} reviews"
            place, wanted = f"/gates/{index}/rule/accepted", int(gate.demand.limit)
            detail = "No head is reviewed by so many people who are independent of it."
        else:
            continue
        if wanted > most:
            change: Patch = put(place, most)
            yield error("E_CANNOT_PASS", place, detail, f"{wanted} > {why}", change)


def _checks(document: ProtocolDocument, cell: ChecksCell) -> tuple[int, str]:
    """Return how many checks a slot may report as failed, and by which numbers."""
    if not cell.suites:
        return len(cell.named), f"{len(cell.named)} named results"
    allowance = document.reservation.allowance_us
    return allowance // LEAST_US, f"{allowance} us / {LEAST_US} us"


def _jobs(cell: JobsCell) -> tuple[int, str]:
    """Return how many jobs a lane has time for, and by which numbers."""
    deadline = cell.ends.slot_deadline_us
    return deadline // LEAST_US, f"{deadline} us / {LEAST_US} us"


RULES: Final[tuple[GateRule, ...]] = (allowed_failures, wanted_results)
