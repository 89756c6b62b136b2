# SPDX-License-Identifier: Apache-2.0
"""What a reader of a study should know although it changes no state."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from app.core.protocol.gate import BoundGate, FairnessGate, ProgressGate
from app.core.protocol.metrics import STREAM_METRICS
from app.core.reason import Reason
from app.core.score.observed import Basis
from app.core.score.scored import Scored
from app.core.statement.protocol_document import ProtocolDocument

_CONTROLS: Final = ("control", "return_control")


def flags_of(document: ProtocolDocument, scored: Sequence[Scored]) -> Iterator[Reason]:
    """Yield DEGENERATE_DATA where a time is one and the same in all slots of a control."""
    controls = {arm.id for arm in document.arms if arm.role in _CONTROLS}
    if any(each.gate.population.arm in controls and _is_degenerate(each) for each in scored):
        yield Reason.DEGENERATE_DATA


def _is_degenerate(scored: Scored) -> bool:
    gate = scored.gate
    if not isinstance(gate, BoundGate | ProgressGate | FairnessGate):
        return False
    exact = [unit.observed for unit in scored.units if unit.observed.basis is Basis.EXACT]
    is_time = STREAM_METRICS.get(gate.metric.name) == "time"
    return is_time and len(exact) > 1 and len({each.interval for each in exact}) == 1
