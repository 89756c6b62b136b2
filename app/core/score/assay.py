# SPDX-License-Identifier: Apache-2.0
"""Assay sensitivity: a test that cannot see a known failure has not shown that there is none.

It is shown in the study itself, in one of two ways: a control that is known to be bad fails as
expected, or the control's own cell is seen to contend, by a locked factor over a solo one. Where
neither is, everything is as good as its control, so a PASS says nothing (SCORING.md B6).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from app.core.identity import Scope
from app.core.protocol.cells import concurrency_of
from app.core.protocol.gate import AssayGate, ComparisonGate, ContentionGate
from app.core.protocol.plan import cell_of
from app.core.reason import Reason
from app.core.score.scope import breaks_its_place
from app.core.score.scored import Scored
from app.core.score.state import State
from app.core.statement.protocol_document import ProtocolDocument

_OWN_REASONS: Final = frozenset(
    (
        Reason.NOT_BEFORE,
        Reason.BOUND_VIOLATED,
        Reason.BEYOND_ENVELOPE,
        Reason.WORSE_THAN_BOTH_CONTROLS,
        Reason.WORSE_IN_BLOCKS,
        Reason.DIFFERENT_FROM_BOTH_CONTROLS,
        Reason.DIFFERENT_IN_BLOCKS,
        Reason.CLAIM_REFUTED,
    )
)
"""The reasons for which a positive control should fail; a wrong answer is not one of them."""
_CONTENDED: Final = (Scope.FAIRNESS, Scope.PERFORMANCE)
_SHOW_THEMSELVES: Final = ("canary", "completeness")
"""Kinds whose PASS does not rest on contention: their own events or ends show what they claim."""


def with_assay(candidate: State, *, expected: State, shown: State) -> tuple[State, Reason | None]:
    """Return what is left of a candidate's state beside a control that was expected to show one.

    Only a PASS needs it: a FAIL is established by itself. None: the candidate's own reason.
    """
    if candidate is State.PASS and shown is not expected:
        return State.INCONCLUSIVE, Reason.NO_ASSAY_SENSITIVITY
    return candidate, None


def with_assays(document: ProtocolDocument, scored: Sequence[Scored]) -> list[Scored]:
    """Return all gates, assays judged, and without a PASS beside an assay that saw nothing."""
    candidates = {arm.id for arm in document.arms if arm.role == "candidate"}
    after = list(scored)
    for index, assay in enumerate(scored):
        if isinstance(assay.gate, AssayGate):
            after[index], capped = _expected(assay, assay.gate, scored)
        elif isinstance(assay.gate, ContentionGate):
            after[index], capped = _contended(assay, assay.gate, scored)
        else:
            continue
        if after[index].judged.state is State.PASS:
            continue
        for place, each in enumerate(after):
            if each.gate.id in capped and each.gate.population.arm in candidates:
                after[place] = _capped(each)
    return [
        _capped(each)
        if _rests_on_contention(document, each) and not _has_assay(each, scored)
        else each
        for each in after
    ]


def _capped(scored: Scored) -> Scored:
    """Return the gate beside an assay that saw nothing."""
    own = scored.judged
    state, reason = with_assay(own.state, expected=State.PASS, shown=State.INCONCLUSIVE)
    return scored.said(state, reason or own.reason)


def _expected(
    assay: Scored, gate: AssayGate, scored: Sequence[Scored]
) -> tuple[Scored, frozenset[str]]:
    """Return an assay that reads gates of a control, and the gates that rest on it."""
    looked = [each for each in scored if _is_read(gate, each)]
    expected = State(gate.expect or State.FAIL)
    sensitive = _shown(gate, looked, scored, expected) is expected
    kinds = {each.gate.demand.kind for each in looked}
    rest = frozenset(
        each.gate.id
        for each in scored
        if _is_beside(gate, each) and (not looked or each.gate.demand.kind in kinds)
    )
    return _said(assay, sensitive=sensitive), rest


def _contended(
    assay: Scored, gate: ContentionGate, scored: Sequence[Scored]
) -> tuple[Scored, frozenset[str]]:
    """Return an assay that has measured contention, and the gates that rest on it."""
    rest = frozenset(
        each.gate.id
        for each in scored
        if _is_beside(gate, each) and each.gate.demand.kind not in _SHOW_THEMSELVES
    )
    if assay.judged.state in (State.INVALID, State.NOT_RUN):
        return assay, rest
    return _said(assay, sensitive=assay.judged.state is State.PASS), rest


def _said(assay: Scored, *, sensitive: bool) -> Scored:
    if sensitive:
        return assay.said(State.PASS, Reason.ASSAY_SENSITIVE)
    return assay.said(State.INCONCLUSIVE, Reason.NO_ASSAY_SENSITIVITY)


def _has_assay(claim: Scored, scored: Sequence[Scored]) -> bool:
    """Tell whether the protocol looks for what a comparison under contention could have missed.

    That is contention in a control, or a control that fails a comparison of the same metric. One
    that is expected to PASS, or to break another kind of limit, shows nothing about this test.
    """
    return any(
        _is_beside(assay.gate, claim)
        and (
            isinstance(assay.gate, ContentionGate)
            or any(_fails_alike(assay.gate, each, claim) for each in scored)
        )
        for assay in scored
        if isinstance(assay.gate, AssayGate | ContentionGate)
    )


def _fails_alike(assay: AssayGate, control: Scored, claim: Scored) -> bool:
    """Tell whether an assay reads that a control FAILs what the claim is about."""
    one, other = control.gate, claim.gate
    return (
        State(assay.expect or State.FAIL) is State.FAIL
        and _is_read(assay, control)
        and isinstance(one, ComparisonGate)
        and isinstance(other, ComparisonGate)
        and one.metric.name == other.metric.name
    )


def _rests_on_contention(document: ProtocolDocument, scored: Scored) -> bool:
    """Tell whether a gate claims to be no worse under contention, so that an assay must show it."""
    gate = scored.gate
    if not isinstance(gate, ComparisonGate) or gate.contrast.claim == "superiority":
        return False
    contended = concurrency_of(cell_of(document, gate.population.cell)) > 1
    return contended and gate.scope in _CONTENDED


def _is_beside(assay: AssayGate | ContentionGate, scored: Scored) -> bool:
    """Return whether a gate speaks about the assay's scope and cell, and can be a claim."""
    gate = scored.gate
    same = (gate.scope, gate.population.cell) == (assay.scope, assay.population.cell)
    return same and gate.role in ("primary", "secondary")


def _is_read(assay: AssayGate, scored: Scored) -> bool:
    """Return whether a gate of the control is one that should show what the assay expects."""
    same = scored.gate.population.arm == assay.population.arm
    return same and _is_beside(assay, scored) and scored.gate.expect == assay.expect


def _shown(
    assay: AssayGate, looked: Sequence[Scored], scored: Sequence[Scored], expected: State
) -> State:
    """Return what the control showed; INCONCLUSIVE if that says nothing.

    It says something if every gate that was expected to did, for its own reason, and no other gate
    of the control's cell is INVALID or NOT_RUN, or breaks it.
    """
    others = [
        State.INVALID if breaks_its_place(each.gate, each.judged) else each.judged.state
        for each in scored
        if each.gate.population.arm == assay.population.arm
        and each.gate.population.cell == assay.population.cell
        and not isinstance(each.gate, AssayGate | ContentionGate)
    ]
    as_expected = all(
        each.judged.state is expected
        and (expected is State.PASS or each.judged.reason in _OWN_REASONS)
        for each in looked
    )
    valid = State.INVALID not in others and State.NOT_RUN not in others
    return expected if looked and as_expected and valid else State.INCONCLUSIVE
