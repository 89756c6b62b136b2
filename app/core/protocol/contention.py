# SPDX-License-Identifier: Apache-2.0
"""Which claims about contention rest on an assay, and where a protocol has one (SCORING.md B6).

Without contention everything is as good as its control, so to be no worse is evidence only beside a
control that is seen to contend, or to fail as it should. To be better is evidence only beside the
latter. The judge lets such a gate PASS only beside an assay of its place, and the lint refuses one
that has none.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from app.core.identity import Scope
from app.core.protocol.cells import concurrency_of
from app.core.protocol.gate import AnyGate, AssayGate, ComparisonGate, ContentionGate
from app.core.protocol.plan import cell_of
from app.core.statement.protocol_document import ProtocolDocument

_CONTENDED: Final = (Scope.FAIRNESS, Scope.PERFORMANCE)


def rests_on_assay(document: ProtocolDocument, gate: AnyGate) -> bool:
    """Tell whether a gate compares what contends, so that an assay must show that it could tell."""
    if not isinstance(gate, ComparisonGate):
        return False
    contended = concurrency_of(cell_of(document, gate.population.cell)) > 1
    return contended and gate.scope in _CONTENDED


def has_assay(claim: AnyGate, gates: Iterable[AnyGate]) -> bool:
    """Tell whether the protocol looks for what a comparison under contention could have missed.

    That is contention in a control, or a control that fails a comparison of the same metric. One
    that is expected to PASS, or to break another kind of limit, shows nothing about this test, and
    contention shows nothing about a claim to be better.
    """
    every = tuple(gates)
    better = isinstance(claim, ComparisonGate) and claim.contrast.claim == "superiority"
    return any(
        is_beside(assay, claim)
        and (
            not better
            if isinstance(assay, ContentionGate)
            else any(fails_alike(assay, control, claim) for control in every)
        )
        for assay in every
        if isinstance(assay, AssayGate | ContentionGate)
    )


def is_beside(assay: AssayGate | ContentionGate, gate: AnyGate) -> bool:
    """Tell whether a gate speaks about the assay's scope and cell, and can be a claim."""
    same = (gate.scope, gate.population.cell) == (assay.scope, assay.population.cell)
    return same and gate.role in ("primary", "secondary")


def is_read(assay: AssayGate, control: AnyGate) -> bool:
    """Tell whether a gate of the control is one that should show what the assay expects."""
    same = control.population.arm == assay.population.arm
    return same and is_beside(assay, control) and control.expect == assay.expect


def fails_alike(assay: AssayGate, control: AnyGate, claim: AnyGate) -> bool:
    """Tell whether an assay reads that a control FAILs what the claim is about."""
    return (
        (assay.expect or "FAIL") == "FAIL"
        and is_read(assay, control)
        and isinstance(control, ComparisonGate)
        and isinstance(claim, ComparisonGate)
        and control.metric.name == claim.metric.name
    )
