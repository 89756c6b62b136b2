# SPDX-License-Identifier: Apache-2.0
"""A study's score: every gate judged over all planned slots, then the scopes.

1. The accounts must close, or every gate is INVALID(LEDGER_UNBALANCED).
2. Integrity gates first: in a capture whose server did not stay the same, what follows is unknown
   for the other gates; failed requests stay the server's failures.
3. Every gate is judged by the one function ``judge``.
4. A broken validity gate turns the results of its arm and cell INVALID, save what FAILs by slots
   that are valid.
5. Scopes combine what enters them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from app.core.protocol.gate import AnyGate, BoundGate, IntegrityGate, ProgressGate, parse_gates
from app.core.protocol.metrics import STREAM_METRICS
from app.core.protocol.plan import plan
from app.core.reason import Reason
from app.core.score.balance import Accounts, accounts_of
from app.core.score.decide import Judged, judge
from app.core.score.interval import Truth, finite
from app.core.score.judgement import judgement_of
from app.core.score.observe import Evidence, Unit, evidence_of, observe, since
from app.core.score.observed import Basis, Observed, absent, zero_or_one
from app.core.score.retries import retry_cap
from app.core.score.scope import Place, Results, breaks_its_place, scope_states
from app.core.score.scored_slot import ScoredSlot
from app.core.score.state import State
from app.core.statement.judgement import Judgement, ScopeState
from app.core.statement.protocol_document import ProtocolDocument

__all__ = ["ScoredSlot", "StudyScore", "judge", "judge_study"]

_CONTROLS: Final = ("control", "return_control")


@dataclass(frozen=True, slots=True)
class StudyScore:
    """Everything that follows from a study's captures.

    Attributes:
        flags: what a reader should know although it changes no state.
    """

    judgements: tuple[Judgement, ...]
    scopes: tuple[ScopeState, ...]
    flags: tuple[Reason, ...] = ()


@dataclass(frozen=True, slots=True)
class _Scored:
    gate: AnyGate
    units: tuple[Unit, ...]
    judged: Judged


def judge_study(document: ProtocolDocument, slots: Sequence[ScoredSlot]) -> StudyScore:
    """Return the score of a study.

    Args:
        document: the locked protocol.
        slots: every planned slot, once, in any order.
    """
    accounts = accounts_of(plan(document), slots)
    ordered = sorted(slots, key=lambda slot: slot.planned.repetition)
    gates = parse_gates(document)
    evidence = _after_integrity(document, gates, _by_place(document, ordered))
    scored = [_score(document, gate, slots, evidence[gate.id], accounts) for gate in gates]
    broken = {_place(each.gate) for each in scored if breaks_its_place(each.gate, each.judged)}
    scored = [_unless_invalid(each, broken) for each in scored]
    return StudyScore(
        tuple(judgement_of(each.gate, each.judged, each.units) for each in scored),
        scope_states(
            Results(
                document,
                [(each.gate, each.judged) for each in scored],
                _measured_slots(document, ordered),
            )
        ),
        tuple(_flags(document, scored)),
    )


def _by_place(
    document: ProtocolDocument, slots: Sequence[ScoredSlot]
) -> dict[Place, tuple[Evidence, ...]]:
    found: dict[Place, list[Evidence]] = {}
    for slot in slots:
        place = (slot.planned.arm, slot.planned.cell)
        found.setdefault(place, []).append(evidence_of(document, slot))
    return {place: tuple(each) for place, each in found.items()}


def _after_integrity(
    document: ProtocolDocument,
    gates: Sequence[AnyGate],
    evidence: Mapping[Place, tuple[Evidence, ...]],
) -> dict[str, tuple[Evidence, ...]]:
    """Return, for each gate, the evidence it reads."""
    breaks: dict[str, int] = {}
    for gate in gates:
        if isinstance(gate, IntegrityGate) and gate.role != "exploratory":
            for slot, at_us in _breaks(document, gate, evidence.get(_place(gate), ())):
                breaks[slot] = min(at_us, breaks.get(slot, at_us))
    return {
        gate.id: tuple(
            since(each, breaks[each.slot.planned.id])
            if each.slot.planned.id in breaks and not isinstance(gate, IntegrityGate)
            else each
            for each in evidence.get(_place(gate), ())
        )
        for gate in gates
    }


def _breaks(
    document: ProtocolDocument, gate: IntegrityGate, evidence: Sequence[Evidence]
) -> Iterator[tuple[str, int]]:
    """Yield every slot that breaks the gate by itself, and since when nothing is known in it."""
    units = observe(gate, evidence, document=document)
    limit = finite(gate.demand.limit)
    for each, unit in zip(evidence, units, strict=True):
        interval = unit.observed.interval
        if interval is not None and interval.compared(gate.demand.op, limit) is Truth.FALSE:
            events = [
                event.at_us
                for capture in each.slot.captures
                for event in capture.observations.events
                if event.name == gate.metric.name
            ]
            yield unit.slot, min(events, default=0)


def _score(
    document: ProtocolDocument,
    gate: AnyGate,
    slots: Sequence[ScoredSlot],
    evidence: Sequence[Evidence],
    accounts: Accounts,
) -> _Scored:
    units = observe(gate, evidence, document=document)
    observations = [unit.observed for unit in units]
    if accounts.broken is not None:
        state, reason = accounts.broken
        return _Scored(gate, units, Judged(state, reason, None, 0, len(units)))
    independent = _boots(evidence, units) if gate.population.unit == "boot" else None
    cap = _deviation_cap(evidence) or retry_cap(slots, gate.population.cell)
    return _Scored(gate, units, judge(gate.demand, observations, independent=independent, cap=cap))


def _deviation_cap(evidence: Sequence[Evidence]) -> Reason | None:
    """Return DEVIATION if a deviation touches a slot of the gate's arm and cell."""
    return Reason.DEVIATION if any(each.slot.deviated for each in evidence) else None


def _boots(evidence: Sequence[Evidence], units: Sequence[Unit]) -> int:
    """Return how many different server boots were observed; unnamed ones may all be the same."""
    return len(
        {
            each.slot.boot
            for each, unit in zip(evidence, units, strict=True)
            if unit.observed.is_observed
        }
    )


def _unless_invalid(scored: _Scored, broken: set[Place]) -> _Scored:
    stands = scored.gate.role == "validity" or scored.judged.state is State.FAIL
    if stands or _place(scored.gate) not in broken:
        return scored
    invalid = replace(scored.judged, state=State.INVALID, reason=Reason.VALIDITY_GATE_BROKEN)
    return replace(scored, judged=invalid)


def _measured_slots(
    document: ProtocolDocument, slots: Sequence[ScoredSlot]
) -> dict[Place, list[Observed]]:
    """Return, for every arm and cell, whether each of its slots was measured."""
    found: dict[Place, list[Observed]] = {
        (arm.id, cell.id): [] for arm in document.arms for cell in document.cells
    }
    for slot in slots:
        seen = zero_or_one(value=True) if slot.absence is None else absent(slot.absence, slot.why)
        found.setdefault((slot.planned.arm, slot.planned.cell), []).append(seen)
    return found


def _flags(document: ProtocolDocument, scored: Sequence[_Scored]) -> Iterator[Reason]:
    """Yield DEGENERATE_DATA where a time is one and the same in all slots of a control."""
    controls = {arm.id for arm in document.arms if arm.role in _CONTROLS}
    if any(each.gate.population.arm in controls and _is_degenerate(each) for each in scored):
        yield Reason.DEGENERATE_DATA


def _is_degenerate(scored: _Scored) -> bool:
    gate = scored.gate
    if not isinstance(gate, BoundGate | ProgressGate):
        return False
    exact = [unit.observed for unit in scored.units if unit.observed.basis is Basis.EXACT]
    is_time = STREAM_METRICS.get(gate.metric.name) == "time"
    return is_time and len(exact) > 1 and len({each.interval for each in exact}) == 1


def _place(gate: AnyGate) -> Place:
    return (gate.population.arm, gate.population.cell)
