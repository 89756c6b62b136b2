# SPDX-License-Identifier: Apache-2.0
"""Assay sensitivity: a test that cannot see a known failure has not shown that there is none.

It is shown in the study itself, in one of two ways: a control that is known to be bad fails as
expected, or the control's own cell is seen to contend, by a locked factor over a solo one. Where
neither is, everything is as good as its control, so a PASS says nothing (SCORING.md B6).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from app.core.protocol.contention import has_assay, is_beside, is_read, rests_on_assay
from app.core.protocol.gate import AssayGate, ContentionGate
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
    gates = [each.gate for each in scored]
    return [
        _capped(each)
        if rests_on_assay(document, each.gate) and not has_assay(each.gate, gates)
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
    looked = [each for each in scored if is_read(gate, each.gate)]
    expected = State(gate.expect or State.FAIL)
    sensitive = _shown(gate, looked, scored, expected) is expected
    kinds = {each.gate.demand.kind for each in looked}
    rest = frozenset(
        each.gate.id
        for each in scored
        if is_beside(gate, each.gate) and (not looked or each.gate.demand.kind in kinds)
    )
    return _said(assay, sensitive=sensitive), rest


def _contended(
    assay: Scored, gate: ContentionGate, scored: Sequence[Scored]
) -> tuple[Scored, frozenset[str]]:
    """Return an assay that has measured contention, and the gates that rest on it."""
    rest = frozenset(
        each.gate.id
        for each in scored
        if is_beside(gate, each.gate) and each.gate.demand.kind not in _SHOW_THEMSELVES
    )
    if assay.judged.state in (State.INVALID, State.NOT_RUN):
        return assay, rest
    return _said(assay, sensitive=assay.judged.state is State.PASS), rest


def _said(assay: Scored, *, sensitive: bool) -> Scored:
    if sensitive:
        return assay.said(State.PASS, Reason.ASSAY_SENSITIVE)
    return assay.said(State.INCONCLUSIVE, Reason.NO_ASSAY_SENSITIVITY)


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
