# SPDX-License-Identifier: Apache-2.0
"""From gates to scopes, over the declared matrix of arms and cells (SCORING.md B9).

Candidates decide. A control arm only enters with INVALID and NOT_RUN: without it there is no
yardstick, and what it shows of the server is not the candidate's. A scope is PASS only if a primary
gate has established a claim.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from app.core.identity import ArmId, CellId, Scope
from app.core.protocol.gate import (
    AnyGate,
    ComparisonGate,
    ContentionGate,
    DriftGate,
    EnvelopeGate,
    Family,
    ParityGate,
)
from app.core.reason import Reason
from app.core.score.decide import Judged, nothing_measured
from app.core.score.lattice import (
    combine,
    combined_reason,
    count_vector,
    enters,
    from_control,
    together,
)
from app.core.score.observed import Absence, Observed
from app.core.score.state import State
from app.core.statement.judgement import ScopeState
from app.core.statement.protocol_document import Arm, ProtocolDocument, ReviewCell

Place = tuple[ArmId, CellId]
Said = tuple[State, Reason]


@dataclass(frozen=True, slots=True)
class Results:
    """Everything the scopes of a study follow from.

    Attributes:
        judged: every gate and what it says.
        slots: of every arm and cell, whether each slot was measured.
    """

    document: ProtocolDocument
    judged: Sequence[tuple[AnyGate, Judged]]
    slots: Mapping[Place, Sequence[Observed]]


def scope_states(results: Results) -> tuple[ScopeState, ...]:
    """Return the state of each of the document's scopes, in its order."""
    return tuple(_scope_state(scope, results) for scope in results.document.scopes)


def _scope_state(scope: Scope, results: Results) -> ScopeState:
    said = tuple(_entering(scope, results))
    state, reason = together(said)
    if state is State.PASS and not _has_claim(scope, results):
        state, reason = State.NOT_RUN, Reason.NO_GATE_EVALUATED
    elif state is State.PASS and _has_abandoned(scope, results):
        state, reason = State.INCONCLUSIVE, Reason.ABANDONED
    counts = count_vector(each for each, _ in said)
    return ScopeState(scope=scope, state=state.value, reason=reason.value, counts=counts)


def _entering(scope: Scope, results: Results) -> Iterator[Said]:
    of_scope: dict[Place, list[tuple[AnyGate, Judged]]] = {}
    for gate, judged in results.judged:
        if gate.scope == scope:
            of_scope.setdefault(places_of(gate)[0], []).append((gate, judged))
    cells = {cell for (_, cell), gates in of_scope.items() if any(enters(g.role) for g, _ in gates)}
    for arm in results.document.arms:
        for cell in results.document.cells:
            if cell.id not in cells:
                continue
            gates = of_scope.get((arm.id, cell.id), [])
            if isinstance(cell, ReviewCell):  # about the head, whatever arms there are
                yield from _must_pass(gates)
            else:
                yield from _place(arm, cell.id, gates, results)
    yield from _families(scope, results)


def _families(scope: Scope, results: Results) -> Iterator[Said]:
    """Yield what each family says of which not all must pass: its places together, then any."""
    families: dict[Family, dict[Place, list[Said]]] = {}
    for gate, judged in results.judged:
        if gate.scope == scope and enters(gate.role) and gate.family is not None:
            place = (gate.population.arm, gate.population.cell)
            members = families.setdefault(gate.family, {})
            members.setdefault(place, []).append((judged.state, judged.reason))
    for family, members in families.items():
        said = [together(each) for each in members.values()]
        state = combine([each for each, _ in said], mode="k_of_n", k=family.k)
        yield state, combined_reason(state, [reason for each, reason in said if each is state])


def _must_pass(gates: Sequence[tuple[AnyGate, Judged]]) -> list[Said]:
    """Return what each of the gates says that must pass."""
    return [
        (judged.state, judged.reason)
        for gate, judged in gates
        if enters(gate.role) and gate.family is None
    ]


def _place(
    arm: Arm, cell: CellId, gates: Sequence[tuple[AnyGate, Judged]], results: Results
) -> Iterator[Said]:
    said = _must_pass(gates)
    if arm.role == "candidate":
        in_family = any(gate.family is not None for gate, _ in gates)
        yield from said or ([] if in_family else [(State.NOT_RUN, Reason.NO_GATE_EVALUATED)])
        return
    for state, reason in said or _of_control((arm.id, cell), results):
        if from_control(state) is not None:
            yield state, reason


def _of_control(place: Place, results: Results) -> Iterator[Said]:
    """Yield what a control arm without a gate of its own says: whether it was measured at all."""
    for gate, judged in results.judged:
        if breaks_its_place(gate, judged) and _is_at(gate, *place):
            yield State.INVALID, Reason.VALIDITY_GATE_BROKEN
    slots = results.slots[place]
    if not any(slot.is_measured for slot in slots):
        yield nothing_measured(slots)


def _has_claim(scope: Scope, results: Results) -> bool:
    candidates = {arm.id for arm in results.document.arms if arm.role == "candidate"}
    return any(
        gate.scope == scope
        and gate.role == "primary"
        and gate.population.arm in candidates
        and judged.state is State.PASS
        for gate, judged in results.judged
    )


def _has_abandoned(scope: Scope, results: Results) -> bool:
    """Tell whether somebody began a slot in a cell of the scope and never said what came of it.

    Who may drop a slot after seeing what it shows chooses the sample, on any arm: the others are
    what is left. So such a scope never passes.
    """
    cells = {
        cell
        for gate, _ in results.judged
        if gate.scope == scope and gate.role != "exploratory"
        for _, cell in places_of(gate)
    }
    return any(
        slot.absence is Absence.ABANDONED
        for (_, cell), slots in results.slots.items()
        if cell in cells
        for slot in slots
    )


def places_of(gate: AnyGate) -> tuple[Place, ...]:
    """Return the arms and cells that the gate reads, its own first."""
    arms, cells = [gate.population.arm], [gate.population.cell]
    if isinstance(gate, ComparisonGate):
        arms += gate.vs
        cells += [] if gate.against_cell is None else [gate.against_cell]
    elif isinstance(gate, DriftGate):
        arms.append(gate.first)
    elif isinstance(gate, ParityGate):
        arms.append(gate.vs)
    elif isinstance(gate, EnvelopeGate):
        arms += gate.vs
    elif isinstance(gate, ContentionGate):
        cells.append(gate.against_cell)
    return tuple((arm, cell) for cell in cells for arm in arms)


def breaks_its_place(gate: AnyGate, judged: Judged) -> bool:
    """Tell whether a validity gate says that its arm and cell mean nothing."""
    broken = judged.reason is Reason.IDENTITY_MISMATCH or judged.state is State.FAIL
    return gate.role == "validity" and broken


def _is_at(gate: AnyGate, arm: ArmId, cell: CellId) -> bool:
    return (gate.population.arm, gate.population.cell) == (arm, cell)
