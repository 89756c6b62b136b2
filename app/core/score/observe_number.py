# SPDX-License-Identifier: Apache-2.0
"""What one unit's number is: of a stream, of a slot folded from its streams, of its lanes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from app.core.protocol.gate import (
    BoundGate,
    ClaimGate,
    CompletenessGate,
    ContentionGate,
    EnvelopeGate,
    FairnessGate,
    ProgressGate,
    SlotSummary,
)
from app.core.protocol.gate_given import domain_of
from app.core.protocol.metrics import BY_SLOT, scale_of, source_kind
from app.core.score.interval import whole
from app.core.score.lanes import lane_ratio
from app.core.score.measure import scaled, stream_metric
from app.core.score.observed import Basis, Observed
from app.core.score.reading import Reading
from app.core.score.slot_metric import slot_metric
from app.core.score.statistic import summary_of
from app.core.score.worst import is_failed, is_no_number, no_number, worst_for
from app.core.statement.capture import Capture, ClaimCapture
from app.core.statement.gate_record import Metric, Operator
from app.core.statement.protocol_document import PlannedStream

NumberGate = BoundGate | ProgressGate | ClaimGate | EnvelopeGate | ContentionGate


def measured(
    gate: NumberGate,
    capture: Capture,
    readings: Sequence[Reading],
    stream: PlannedStream | None,
) -> Observed:
    """Return what is known of a unit's metric; ``stream`` is None where the unit is a slot."""
    metric = gate.metric
    chosen = chosen_of(readings, gate.population.stream_role, stream)
    if metric.name in BY_SLOT or source_kind(metric) != "stream":
        # Less work done is a lower rate, which is worse already where at least something is wanted.
        favoured = gate.demand.op not in (">", ">=")
        if favoured and any(is_failed(metric, reading) for reading in chosen):
            return worst_for(gate.demand.op)
        seen = of_slot(metric, capture, chosen)
        return no_number(gate.demand.op) if is_no_number(seen) else seen
    each = _of_streams(metric, capture, chosen, gate.demand.op)
    return folded_of(gate, each, gate.slot_summary, gate.slot_k)


def lanes_of(gate: FairnessGate, capture: Capture, lanes: Sequence[Reading]) -> Observed:
    """Return what is known of a lane, or of how far the lanes of a slot lie apart."""
    worse: Operator = "<=" if gate.metric.direction == "lower_is_better" else ">="
    each = _of_streams(gate.metric, capture, lanes, worse)
    if gate.ratio is None:
        return each[0]
    domain = domain_of(gate.metric)
    known = [whole(domain) if one.interval is None else one.interval.within(domain) for one in each]
    return Observed(lane_ratio(known, gate.ratio), _least_known(one.basis for one in each))


def _of_streams(
    metric: Metric, capture: Capture, readings: Sequence[Reading], op: Operator
) -> list[Observed]:
    """Return what is known of each stream's metric, of a failed one the worst for ``op``."""
    factor = scale_of(metric)
    resolution = _resolution(metric, capture, factor)
    return [
        worst_for(op)
        if is_failed(metric, reading)
        else scaled(stream_metric(metric, reading, resolution=resolution), factor)
        for reading in readings
    ]


def of_slot(metric: Metric, capture: Capture, readings: Sequence[Reading]) -> Observed:
    """Return what is known of a metric of which a slot has one, in the metric's unit."""
    return scaled(slot_metric(metric, capture, readings), scale_of(metric))


def _resolution(metric: Metric, capture: Capture, factor: Fraction) -> int | Fraction:
    read = 0 if isinstance(capture, ClaimCapture) else capture.clock.resolution_us
    return max(Fraction(metric.resolution) / factor, Fraction(read)) if metric.resolution else read


def chosen_of(
    readings: Sequence[Reading], role: str, stream: PlannedStream | None
) -> tuple[Reading, ...]:
    """Return the reading of ``stream``, or those of all streams of a role."""
    if stream is not None:
        return tuple(each for each in readings if each.planned == stream)
    return tuple(each for each in readings if role in ("any", each.planned.role))


def folded_of(
    gate: NumberGate | CompletenessGate,
    observations: Iterable[Observed],
    summary: SlotSummary,
    k: int | None,
) -> Observed:
    """Return one observation for the several streams of a slot."""
    each = tuple(observations)
    if len(each) == 1:
        return each[0]
    domain = gate.demand.domain
    intervals = [
        whole(domain) if one.interval is None else one.interval.within(domain) for one in each
    ]
    higher_is_worse = gate.demand.op in ("<", "<=", "==")
    folded = summary_of(summary, k, intervals, higher_is_worse=higher_is_worse)
    return Observed(folded, _least_known(one.basis for one in each))


def _least_known(bases: Iterable[Basis]) -> Basis:
    order = (Basis.UNKNOWN, Basis.CENSORED, Basis.BOUNDED, Basis.EXACT)
    return min(bases, key=order.index)
