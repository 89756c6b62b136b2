# SPDX-License-Identifier: Apache-2.0
"""A gate and what it says, before and after what other gates take away from it.

Corrections and assays only ever turn PASS or FAIL into INCONCLUSIVE.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from msgspec import UNSET, UnsetType, structs

from app.core.protocol.gate import AnyGate, AssayGate, ComparisonGate
from app.core.reason import Reason
from app.core.score.assay import with_assay
from app.core.score.decide import Judged
from app.core.score.judge_claim import ClaimJudged
from app.core.score.multiplicity import Claimed, Corrected, corrected
from app.core.score.number import chance_text
from app.core.score.observe import Unit
from app.core.score.scope import breaks_its_place
from app.core.score.state import State
from app.core.statement.judgement import Inference
from app.core.statement.protocol_document import ProtocolDocument

_OWN_REASONS: Final = frozenset(
    (
        Reason.NOT_BEFORE,
        Reason.BOUND_VIOLATED,
        Reason.WORSE_THAN_BOTH_CONTROLS,
        Reason.WORSE_IN_BLOCKS,
        Reason.DIFFERENT_FROM_BOTH_CONTROLS,
        Reason.DIFFERENT_IN_BLOCKS,
        Reason.CLAIM_REFUTED,
    )
)
"""The reasons for which a positive control should fail; a wrong answer is not one of them."""


@dataclass(frozen=True, slots=True)
class Scored:
    """A gate and what it says.

    Attributes:
        claimed: its test, where it has one.
    """

    gate: AnyGate
    units: tuple[Unit, ...]
    judged: Judged
    claimed: ClaimJudged | None = None

    @property
    def inference(self) -> Inference | UnsetType:
        """The record of its test."""
        return UNSET if self.claimed is None else self.claimed.record


def scored_claim(gate: AnyGate, claimed: ClaimJudged) -> Scored:
    """Return a gate with a p-value and what it says by itself."""
    return Scored(gate, claimed.units, claimed.judged, claimed)


def with_corrections(scored: Sequence[Scored]) -> list[Scored]:
    """Return all gates with the p-values of families and scopes corrected."""
    claims = [(each, each.claimed) for each in scored if each.claimed is not None]
    found = corrected([_claim(each, claimed) for each, claimed in claims])
    pairs = zip(claims, found, strict=True)
    after = {each.gate.id: _with(each, claimed, one) for (each, claimed), one in pairs}
    return [after.get(each.gate.id, each) for each in scored]


def with_assays(document: ProtocolDocument, scored: Sequence[Scored]) -> list[Scored]:
    """Return all gates, assays judged, and without a PASS beside an assay that saw nothing."""
    candidates = {arm.id for arm in document.arms if arm.role == "candidate"}
    after = list(scored)
    for index, assay in enumerate(scored):
        if not isinstance(assay.gate, AssayGate):
            continue
        looked = [each for each in scored if _is_read(assay.gate, each)]
        expected = State(assay.gate.expect or State.FAIL)
        shown = _shown(assay.gate, looked, scored, expected)
        sensitive = shown is expected
        after[index] = _said(
            assay,
            State.PASS if sensitive else State.INCONCLUSIVE,
            Reason.ASSAY_SENSITIVE if sensitive else Reason.NO_ASSAY_SENSITIVITY,
        )
        kinds = {each.gate.demand.kind for each in looked}
        for place, each in enumerate(after):
            if _is_beside(assay.gate, each) and each.gate.population.arm in candidates:
                if looked and each.gate.demand.kind not in kinds:
                    continue
                state, reason = with_assay(each.judged.state, expected=expected, shown=shown)
                after[place] = _said(each, state, reason or each.judged.reason)
    return after


def _claim(scored: Scored, claimed: ClaimJudged) -> Claimed:
    gate = scored.gate
    compared = isinstance(gate, ComparisonGate) and gate.role != "exploratory"
    return Claimed(
        scored.judged.state,
        scored.judged.reason,
        claimed.p_pass,
        claimed.p_fail,
        claimed.alpha,
        None if gate.family is None else (gate.scope, gate.family.name),
        (gate.population.arm, gate.population.cell),
        gate.scope if compared else None,
    )


def _with(scored: Scored, claimed: ClaimJudged, after: Corrected) -> Scored:
    record = structs.replace(
        claimed.record,
        adjusted_p_pass=None if after.p_pass is None else chance_text(after.p_pass),
        adjusted_p_fail=None if after.p_fail is None else chance_text(after.p_fail),
    )
    said = _said(scored, after.state, after.reason)
    return replace(said, claimed=replace(claimed, record=record))


def _said(scored: Scored, state: State, reason: Reason) -> Scored:
    return replace(scored, judged=replace(scored.judged, state=state, reason=reason))


def _is_beside(assay: AssayGate, scored: Scored) -> bool:
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
        and not isinstance(each.gate, AssayGate)
    ]
    as_expected = all(
        each.judged.state is expected
        and (expected is State.PASS or each.judged.reason in _OWN_REASONS)
        for each in looked
    )
    valid = State.INVALID not in others and State.NOT_RUN not in others
    return expected if looked and as_expected and valid else State.INCONCLUSIVE
