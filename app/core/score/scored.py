# SPDX-License-Identifier: Apache-2.0
"""A gate and what it says, before and after the corrections for many claims at once.

Corrections only ever turn PASS or FAIL into INCONCLUSIVE.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from msgspec import UNSET, UnsetType, structs

from app.core.protocol.gate import AnyGate, ComparisonGate
from app.core.reason import Reason
from app.core.score.decide import Judged
from app.core.score.envelope import ObservedEnvelope
from app.core.score.judge_claim import ClaimJudged
from app.core.score.multiplicity import Claimed, Corrected, corrected
from app.core.score.number import chance_text
from app.core.score.observe import Unit
from app.core.score.state import State
from app.core.statement.judgement import Inference, RequiredOf
from app.core.statement.tally import ReviewTally


@dataclass(frozen=True, slots=True)
class Scored:
    """A gate and what it says.

    Attributes:
        claimed: its test, where it has one.
        envelope: what was observed of all arms, of an observed envelope.
        required: how many units PASS needs and how many count, where its units do not say it.
        reviews: those that count, of a gate about reviews.
    """

    gate: AnyGate
    units: tuple[Unit, ...]
    judged: Judged
    claimed: ClaimJudged | None = None
    envelope: ObservedEnvelope | None = None
    required: RequiredOf | None = None
    reviews: tuple[ReviewTally, ...] | None = None

    @property
    def inference(self) -> Inference | UnsetType:
        """The record of its test."""
        return UNSET if self.claimed is None else self.claimed.record

    def said(self, state: State, reason: Reason) -> Scored:
        """Return the gate, its state replaced."""
        return replace(self, judged=replace(self.judged, state=state, reason=reason))


def scored_claim(gate: AnyGate, claimed: ClaimJudged) -> Scored:
    """Return a gate with a p-value and what it says by itself."""
    return Scored(gate, claimed.units, claimed.judged, claimed, required=claimed.required)


def with_corrections(scored: Sequence[Scored]) -> list[Scored]:
    """Return all gates with the p-values of families and scopes corrected."""
    claims = [(each, each.claimed) for each in scored if each.claimed is not None]
    found = corrected([_claim(each, claimed) for each, claimed in claims])
    pairs = zip(claims, found, strict=True)
    after = {each.gate.id: _with(each, claimed, one) for (each, claimed), one in pairs}
    return [after.get(each.gate.id, each) for each in scored]


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
    said = scored.said(after.state, after.reason)
    return replace(said, claimed=replace(claimed, record=record))
