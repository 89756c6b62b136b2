# SPDX-License-Identifier: Apache-2.0
"""The numbers of a gate with a p-value, as its document plans them: units, alpha, family."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import partial

from app.core.protocol.blocks import blocks_of, waves_of
from app.core.protocol.cells import repetitions_of
from app.core.protocol.design import Design
from app.core.protocol.gate_types import AnyGate, ComparisonGate, DriftGate, ShareGate
from app.core.protocol.lint_changes import repetitions
from app.core.protocol.margin import alpha_of_attempt
from app.core.protocol.plan import cell_of
from app.core.statement.protocol_document import ProtocolDocument


def design_of(document: ProtocolDocument, gate: AnyGate, gates: Sequence[AnyGate]) -> Design | None:
    """Return the numbers of a gate with a p-value, in the first attempt; None: it has none."""
    cell = cell_of(document, gate.population.cell)
    in_slots = gate.population.unit == "slot"
    n = repetitions_of(cell) if in_slots else blocks_of(cell)
    members = {
        (each.population.arm, each.population.cell)
        for each in gates
        if each.family is not None and each.family == gate.family and each.scope == gate.scope
    }
    many = max(len(members), 1)
    waves = 1 if in_slots else waves_of(cell)
    more = partial(repetitions, document, cell.id, waves=waves)
    match gate:
        case ComparisonGate():
            alpha = alpha_of_attempt(gate.contrast.alpha, 1)
            bracket = gate.design == "exact_ranksum"
            absolute = gate.contrast.margin.scale == "abs"
            return Design(
                "rank_sum" if bracket else "sign_flip",
                alpha,
                n,
                n if bracket else None,
                many,
                limit=gate.contrast.margin.value if absolute else None,
                resolution=Fraction(gate.metric.resolution) if gate.metric.resolution else None,
                more=more,
            )
        case DriftGate():
            return Design("rank_sum", alpha_of_attempt(gate.alpha, 1), n, n, many, more=more)
        case ShareGate():
            alpha = alpha_of_attempt(gate.alpha, 1)
            return Design("share", alpha, n, any_of=many, share=gate.share, more=more)
        case _:
            return None
