# SPDX-License-Identifier: Apache-2.0
"""What another tool's decision is worth for its slot: is it bound to what the lock names?

The digests stand in the claim gates of the slot's cell. A decision that is bound to none, in a
replay too, is nobody's evidence about this protocol: what it was decided by cannot be looked up.
"""

from __future__ import annotations

from collections.abc import Iterator

from app.core.reason import Reason
from app.core.receipt.found import Found
from app.core.statement.capture import ClaimCapture
from app.core.statement.gate_record import Rule
from app.core.statement.protocol_document import ClaimCell, ProtocolDocument


def found_in_claim(capture: ClaimCapture, cell: ClaimCell, *, document: ProtocolDocument) -> Found:
    """Return what ``capture`` says."""
    bound = all(is_bound(capture, rule) for rule in _rules(cell, document))
    bound = bound and capture.tool == cell.tool
    return Found(
        complete=Reason.DECISION_BOUND,
        identity=() if bound else (Reason.DECISION_NOT_BOUND,),
        unfinished=Reason.NO_DECISION if capture.decision is None else None,
    )


def is_bound(capture: ClaimCapture, rule: Rule) -> bool:
    """Tell whether a decision is bound to the three digests that ``rule`` names."""
    locked = (rule.policy_sha256, rule.collector_sha256, rule.workload_sha256)
    said = (capture.policy_sha256, capture.collector_sha256, capture.workload_sha256)
    return locked == said


def _rules(cell: ClaimCell, document: ProtocolDocument) -> Iterator[Rule]:
    for gate in document.gates:
        if gate.kind == "claim" and gate.population.cell == cell.id and isinstance(gate.rule, Rule):
            yield gate.rule
