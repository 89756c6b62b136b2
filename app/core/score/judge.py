# SPDX-License-Identifier: Apache-2.0
"""A study's score: every gate judged over all planned slots, then the scopes.

1. The accounts must close, or every gate is INVALID(LEDGER_UNBALANCED).
2. Integrity gates first: in a capture whose server did not stay the same, what follows is unknown
   for the other gates; failed requests stay the server's failures.
3. Every gate is judged by the one function ``judge``, those with a p-value by ``judge_claim``.
4. Many claims at once are corrected; a PASS beside an assay that saw nothing is none.
5. A broken validity gate turns the results of its arm and cell INVALID, save what FAILs by slots
   that are valid.
6. Scopes combine what enters them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from app.core.identity import CellId, Scope
from app.core.protocol.gate import (
    AnyGate,
    AssayGate,
    ComparisonGate,
    ContentionGate,
    DriftGate,
    EnvelopeGate,
    IntegrityGate,
    ParityGate,
    ReviewGate,
    ShareGate,
    SlotGate,
    parse_gates,
)
from app.core.protocol.plan import plan
from app.core.reason import Reason
from app.core.score.amounts import amounts_differ
from app.core.score.assay import with_assays
from app.core.score.balance import Accounts, accounts_of
from app.core.score.decide import Judged, judge
from app.core.score.flags import flags_of
from app.core.score.interval import Truth, finite
from app.core.score.judge_claim import Claims, claim_units, judge_claim
from app.core.score.judge_contended import contended_units, judge_contended
from app.core.score.judgement import judgement_of
from app.core.score.observe import Evidence, Unit, evidence_of, observe, since
from app.core.score.observed import Observed, absent, zero_or_one
from app.core.score.parity import parity_units
from app.core.score.required import Counted, required_of
from app.core.score.retries import retry_caps
from app.core.score.review import counting, judge_review
from app.core.score.scope import Place, Results, breaks_its_place, places_of, scope_states
from app.core.score.scored import Scored, scored_claim, with_corrections
from app.core.score.scored_slot import ScoredSlot
from app.core.score.state import State
from app.core.score.worst import WHOLE_OUTPUT
from app.core.statement.capture import ClaimCapture
from app.core.statement.judgement import Judgement, ScopeState
from app.core.statement.people_records import ReviewRecord
from app.core.statement.protocol_document import ProtocolDocument

__all__ = ["ScoredSlot", "StudyScore", "judge", "judge_study"]


@dataclass(frozen=True, slots=True)
class StudyScore:
    """Everything that follows from a study's captures.

    Attributes:
        flags: what a reader should know although it changes no state.
    """

    judgements: tuple[Judgement, ...]
    scopes: tuple[ScopeState, ...]
    flags: tuple[Reason, ...] = ()


def judge_study(
    document: ProtocolDocument,
    slots: Sequence[ScoredSlot],
    *,
    attempts: Mapping[Scope, int] | None = None,
    reviews: Sequence[ReviewRecord] = (),
) -> StudyScore:
    """Return the score of a study.

    Args:
        document: the locked protocol.
        slots: every planned slot, once, in any order.
        attempts: for each scope the how-manieth study of the head this is, from 1; gates with a
            p-value may spend the less alpha the later it is. None: the first.
        reviews: every review of the head; only gates that ask for reviews read them.
    """
    accounts = accounts_of(plan(document), slots)
    ordered = sorted(slots, key=lambda slot: slot.planned.repetition)
    gates = parse_gates(document)
    evidence = _by_place(document, ordered)
    after = _after_integrity(document, gates, evidence)
    claims = Claims(document, after, attempts or {}, ())
    retried = retry_caps(slots)
    scored = with_corrections(
        [
            _reviewed(gate, reviews, accounts)
            if isinstance(gate, ReviewGate)
            else _score(
                gate,
                retried,
                evidence if isinstance(gate, IntegrityGate) else after,
                accounts,
                claims,
            )
            for gate in gates
        ]
    )
    scored = with_assays(document, scored)
    broken = {_place(each.gate) for each in scored if breaks_its_place(each.gate, each.judged)}
    scored = [_unless_invalid(each, broken) for each in scored]
    return StudyScore(
        tuple(judgement_of(each) for each in scored),
        scope_states(
            Results(
                document,
                [(each.gate, each.judged) for each in scored],
                _measured_slots(document, ordered),
            )
        ),
        tuple(flags_of(document, scored)),
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
) -> dict[Place, tuple[Evidence, ...]]:
    """Return the evidence as every gate but those of integrity reads it."""
    breaks: dict[str, int] = {}
    for gate in gates:
        if isinstance(gate, IntegrityGate) and gate.role != "exploratory":
            for slot, at_us in _breaks(document, gate, evidence.get(_place(gate), ())):
                breaks[slot] = min(at_us, breaks.get(slot, at_us))
    return {
        place: tuple(
            since(each, breaks[each.slot.planned.id]) if each.slot.planned.id in breaks else each
            for each in of_place
        )
        for place, of_place in evidence.items()
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
                if not isinstance(capture, ClaimCapture)
                for event in capture.observations.events
                if event.name == gate.metric.name
            ]
            yield unit.slot, min(events, default=0)


def _reviewed(gate: ReviewGate, reviews: Sequence[ReviewRecord], accounts: Accounts) -> Scored:
    if accounts.broken is not None:
        return _unbalanced(gate, (), *accounts.broken)
    return Scored(gate, (), judge_review(gate, reviews), reviews=counting(gate, reviews))


def _score(
    gate: SlotGate,
    retried: Collection[CellId],
    evidence: Mapping[Place, tuple[Evidence, ...]],
    accounts: Accounts,
    claims: Claims,
) -> Scored:
    if isinstance(gate, AssayGate):
        return Scored(gate, (), Judged(State.NOT_RUN, Reason.NO_GATE_EVALUATED, None))
    caps = tuple(_caps(gate, retried, evidence))
    if isinstance(gate, ComparisonGate | ShareGate | DriftGate):
        if accounts.broken is not None:
            return _unbalanced(gate, claim_units(gate, claims), *accounts.broken)
        return scored_claim(gate, judge_claim(gate, replace(claims, caps=caps)))
    if isinstance(gate, EnvelopeGate | ContentionGate):
        if accounts.broken is not None:
            return _unbalanced(gate, contended_units(gate, claims)[0], *accounts.broken)
        return judge_contended(gate, replace(claims, caps=caps))
    of_place = evidence.get(_place(gate), ())
    if isinstance(gate, ParityGate):
        # Where slots were left out, the two arms need not have units for one another.
        balanced = accounts.broken is None
        units = parity_units(gate, evidence, document=claims.document) if balanced else ()
    else:
        units = observe(gate, of_place, document=claims.document)
    if accounts.broken is not None:
        return _unbalanced(gate, units, *accounts.broken)
    observations = [unit.observed for unit in units]
    independent = _boots(of_place, units) if gate.population.unit == "boot" else None
    cap = next(iter(caps), None)
    judged = judge(gate.demand, observations, independent=independent, cap=cap)
    counted = Counted(gate.population.arm, units, independent)
    return Scored(gate, units, judged, required=required_of(gate.demand.required_n, [counted]))


def _unbalanced(gate: AnyGate, units: tuple[Unit, ...], state: State, reason: Reason) -> Scored:
    return Scored(gate, units, Judged(state, reason, None))


def _caps(
    gate: AnyGate, retried: Collection[CellId], evidence: Mapping[Place, tuple[Evidence, ...]]
) -> Iterator[Reason]:
    """Yield why the gate gives no PASS: deviations, retries that choose slots, unequal outputs."""
    read = places_of(gate)
    if any(each.slot.deviated for place in read for each in evidence.get(place, ())):
        yield Reason.DEVIATION
    if any(cell in retried for _, cell in read):
        yield Reason.RETRY_SELECTION
    compared = isinstance(gate, ComparisonGate | EnvelopeGate) and gate.metric.name in WHOLE_OUTPUT
    for cell in dict.fromkeys(cell for _, cell in read) if compared else ():
        arms = [each for place in read if place[1] == cell for each in evidence.get(place, ())]
        if amounts_differ(arms, gate.population.stream_role):
            yield Reason.OUTPUT_AMOUNTS_DIFFER


def _boots(evidence: Sequence[Evidence], units: Sequence[Unit]) -> int:
    """Return how many different server boots were observed; unnamed ones may all be the same."""
    return len(
        {
            each.slot.boot
            for each, unit in zip(evidence, units, strict=True)
            if unit.observed.is_observed
        }
    )


def _unless_invalid(scored: Scored, broken: set[Place]) -> Scored:
    """Return the gate, INVALID if what it reads means nothing.

    A FAIL stands beside a broken place of its own, by the slots that are valid; one against
    controls that mean nothing does not.
    """
    own, *others = places_of(scored.gate)
    against = not broken.isdisjoint(others)
    stands = scored.judged.state is State.FAIL or own not in broken
    if scored.gate.role == "validity" or (stands and not against):
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


def _place(gate: AnyGate) -> Place:
    return (gate.population.arm, gate.population.cell)
