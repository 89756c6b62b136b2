# SPDX-License-Identifier: Apache-2.0
"""Gates with a p-value over the slots of a study: which units, which test, and its record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from msgspec import structs

from app.core.identity import ArmId, Scope
from app.core.protocol.blocks import blocks_of, waves_of
from app.core.protocol.gate import ClaimGate, ComparisonGate, DriftGate, ShareGate
from app.core.protocol.margin import alpha_of_attempt, least_rank_sum_p
from app.core.protocol.plan import cell_of
from app.core.reason import Reason
from app.core.score.blocks import judge_blocks
from app.core.score.boot_ratio import boot_ratios
from app.core.score.boots import folded, groups_of
from app.core.score.bracket import judge_bracket
from app.core.score.claim_record import (
    Spent,
    blocks_record,
    bracket_record,
    drift_record,
    share_record,
    with_samples,
)
from app.core.score.decide import Judged
from app.core.score.drift_gate import judge_drift
from app.core.score.observe import Evidence, Unit, observe
from app.core.score.required import Counted, required_of
from app.core.score.sample import Sample
from app.core.score.scope import Place
from app.core.score.share import ShareClaim, judge_share
from app.core.score.state import State
from app.core.statement.judgement import Inference, RequiredOf
from app.core.statement.protocol_document import ProtocolDocument


@dataclass(frozen=True, slots=True)
class ClaimJudged:
    """What a gate with a p-value says.

    Attributes:
        units: of the gate's own arm and of its controls, as planned.
        p_pass: what a family's correction starts from.
        p_fail: what the correction over a scope's comparisons starts from.
    """

    units: tuple[Unit, ...]
    judged: Judged
    record: Inference
    p_pass: Fraction
    p_fail: Fraction
    alpha: Fraction
    required: RequiredOf | None = None


@dataclass(frozen=True, slots=True)
class Claims:
    """What every claim of a study is judged from.

    Attributes:
        evidence: of every arm and cell.
        attempts: for each scope the how-manieth study of this head it is, from 1.
        caps: reasons for which no PASS is given.
    """

    document: ProtocolDocument
    evidence: Mapping[Place, Sequence[Evidence]]
    attempts: Mapping[Scope, int]
    caps: tuple[Reason, ...]

    def attempt_of(self, gate: ClaimGate) -> int:
        """Return the number of the attempt that the gate is judged in."""
        return self.attempts.get(gate.scope, 1)


def claim_units(gate: ClaimGate, claims: Claims) -> tuple[Unit, ...]:
    """Return all planned units of the gate's own arm, without judging anything."""
    return observe(
        gate,
        claims.evidence.get((gate.population.arm, gate.population.cell), ()),
        document=claims.document,
    )


def judge_claim(gate: ClaimGate, claims: Claims) -> ClaimJudged:
    """Return what the gate says of its own arm."""
    match gate:
        case ComparisonGate():
            return _comparison(gate, claims)
        case ShareGate():
            return _share(gate, claims)
        case DriftGate():
            return _drift(gate, claims)


def _comparison(gate: ComparisonGate, claims: Claims) -> ClaimJudged:
    arms = (gate.population.arm, *gate.vs)
    contrast = gate.contrast.at_attempt(claims.attempt_of(gate))
    units, samples = _samples(gate, claims, arms, paired=gate.design == "signflip_blocks")
    planned = blocks_of(cell_of(claims.document, gate.population.cell))
    contrast = replace(contrast, required_n=contrast.required_n or planned)
    if gate.design == "signflip_blocks":
        blocks = judge_blocks(contrast, *samples, caps=claims.caps)
        record = blocks_record(blocks, contrast, claims.attempt_of(gate))
        said, p_pass, p_fail = (blocks.state, blocks.reason), blocks.p_pass, blocks.p_fail
    else:
        candidate, control, back = samples
        bracket = judge_bracket(contrast, candidate, (control, back), caps=claims.caps)
        record = bracket_record(bracket, gate.vs, contrast, claims.attempt_of(gate))
        said, p_pass, p_fail = (bracket.state, bracket.reason), bracket.p_pass, bracket.p_fail
    judged = Judged(*said, None)
    record = with_samples(record, arms, [each.observed for each in units], samples)
    required = required_of(contrast.required_n, _counted(arms, units, samples))
    return ClaimJudged(units, judged, record, p_pass, p_fail, contrast.alpha, required)


def _share(gate: ShareGate, claims: Claims) -> ClaimJudged:
    alpha = alpha_of_attempt(gate.alpha, claims.attempt_of(gate))
    arms = (gate.population.arm,)
    units, (sample,) = _samples(gate, claims, arms)
    cell = cell_of(claims.document, gate.population.cell)
    planned = len(units) if gate.population.unit == "slot" else blocks_of(cell)
    required = gate.demand.required_n or planned
    claim = ShareClaim(gate.share, alpha, gate.demand.op, gate.demand.limit, required)
    share = judge_share(claim, sample, caps=claims.caps)
    record = share_record(share, claim, claims.attempt_of(gate))
    record = with_samples(record, arms, [each.observed for each in units], [sample])
    judged = Judged(share.state, share.reason, None)
    needed = required_of(required, _counted(arms, units, [sample]))
    return ClaimJudged(units, judged, record, share.p_pass, share.p_fail, alpha, needed)


def _drift(gate: DriftGate, claims: Claims) -> ClaimJudged:
    alpha = alpha_of_attempt(gate.alpha, claims.attempt_of(gate))
    arms = (gate.first, gate.population.arm)
    units, (first, back) = _samples(gate, claims, arms)
    state, reason, drift = judge_drift(first, back, margin=gate.margin, alpha=alpha)
    if state is State.PASS and claims.caps:
        state, reason = State.INCONCLUSIVE, claims.caps[0]
    least_p = least_rank_sum_p(len(back.units), len(first.units))
    spent = Spent(alpha, claims.attempt_of(gate))
    record = drift_record(drift, gate.margin, spent, least_p=least_p)
    record = with_samples(record, arms, [each.observed for each in units], (first, back))
    judged = Judged(state, reason, None)
    return ClaimJudged(units, judged, record, drift.p, Fraction(1), alpha)


def _samples(
    gate: ClaimGate, claims: Claims, arms: Sequence[ArmId], *, paired: bool = False
) -> tuple[tuple[Unit, ...], list[Sample]]:
    """Return all planned units, and each arm's sample with the slots of one boot as one unit."""
    units = [_units(gate, claims, arm) for arm in arms]
    samples = [Sample(tuple(unit.observed for unit in each), gate.demand.domain) for each in units]
    if gate.population.unit != "slot":
        cell = gate.population.cell
        boots = [[_boot(each) for each in claims.evidence[(arm, cell)]] for arm in arms]
        waves = waves_of(cell_of(claims.document, cell))
        if paired:
            groups = [groups_of(boots, waves)] * len(arms)
        else:
            groups = [groups_of([each], waves) for each in boots]
        pairs = zip(samples, groups, strict=True)
        samples = [folded(sample, each, gate) for sample, each in pairs]
    return tuple(unit for each in units for unit in each), samples


def _counted(
    arms: Sequence[ArmId], units: Sequence[Unit], samples: Sequence[Sample]
) -> list[Counted]:
    """Return each arm's planned units, of which there are as many in each, and how many count."""
    planned = len(units) // len(arms)
    return [
        Counted(arm, units[place * planned : (place + 1) * planned], sample.n_observed)
        for place, (arm, sample) in enumerate(zip(arms, samples, strict=True))
    ]


def _units(gate: ClaimGate, claims: Claims, arm: ArmId) -> tuple[Unit, ...]:
    """Return one arm's planned units, as ratios where the gate reads two cells of a boot."""
    evidence = claims.evidence[(arm, gate.population.cell)]
    units = observe(gate, evidence, document=claims.document)
    if not isinstance(gate, ComparisonGate) or gate.against_cell is None:
        return units
    against = claims.evidence[(arm, gate.against_cell)]
    population = structs.replace(gate.population, cell=gate.against_cell)
    others = observe(replace(gate, population=population), against, document=claims.document)
    return boot_ratios(
        tuple(zip(evidence, units, strict=True)),
        tuple(zip(against, others, strict=True)),
        domain=gate.demand.domain,
    )


def _boot(evidence: Evidence) -> str | None:
    """Return the boot a slot ran in; those that name none may all be the same.

    A slot that the server failed before it could name its boot counts by itself: a server must not
    make fewer of its failures by failing early.
    """
    slot = evidence.slot
    if slot.absence is not None or (slot.state == "FAILED" and slot.boot is None):
        return None
    return slot.boot or ""
