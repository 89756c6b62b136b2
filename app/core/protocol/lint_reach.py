# SPDX-License-Identifier: Apache-2.0
"""Lint: limits, margins and factors lie where outcomes can lie on either side of them.

A slot is watched until its deadline, and no request is answered sooner than a connection and one
step of an engine take. What is asked for beyond either end is met by everything or by nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from msgspec import UNSET

from app.core.protocol.decimals import decimal_text
from app.core.protocol.finding import LintFinding
from app.core.protocol.gate import (
    BoundGate,
    ComparisonGate,
    ContentionGate,
    DriftGate,
    EnvelopeGate,
    FairnessGate,
    MetricGate,
    ProgressGate,
    ShareGate,
)
from app.core.protocol.gate_given import domain_of
from app.core.protocol.lint_references import GateRule, Gates, error, warning
from app.core.protocol.margin import Margin
from app.core.protocol.metrics import STREAM_METRICS, scale_of
from app.core.protocol.patch import Patch, put
from app.core.protocol.plan import cell_of
from app.core.statement.protocol_document import ProtocolDocument, StreamsCell

LEAST_US: Final = 1000
"""One millisecond: sooner nothing answers a request, nor is one worth a slot."""
_USUAL: Final = Fraction(1, 5)
_SHOWN: Final = Fraction(3, 2)
"""A factor that contention shows on such machines."""
_UPPER: Final = ("<", "<=")
_OWN_LIMIT: Final = (BoundGate, ProgressGate, FairnessGate)


def limits(_document: ProtocolDocument, gates: Gates) -> Iterator[LintFinding]:
    """No time is asked for that no answer takes."""
    for index, gate in enumerate(gates):
        if not isinstance(gate, ShareGate | BoundGate | ProgressGate | FairnessGate):
            continue
        of_lanes = isinstance(gate, FairnessGate) and gate.ratio is not None
        if of_lanes or not _is_time(gate) or gate.demand.op not in _UPPER:
            continue
        limit_us = gate.demand.limit / scale_of(gate.metric)
        if limit_us < LEAST_US:
            detail = (
                "No request is answered within a millisecond, so nothing meets the limit: decide "
                "on one in the metric's own unit."
            )
            formula = f"{decimal_text(limit_us)} us < {LEAST_US} us"
            yield error("E_CANNOT_PASS", f"/gates/{index}/comparison/limit", detail, formula)


def margins(document: ProtocolDocument, gates: Gates) -> Iterator[LintFinding]:
    """A candidate can be seen beyond its margin, and on this side of it."""
    for index, gate in enumerate(gates):
        if isinstance(gate, ComparisonGate):
            margin = gate.contrast.margin
        elif isinstance(gate, DriftGate | EnvelopeGate):
            margin = gate.margin
        else:
            continue
        seen_us = _seen_us(document, gate)
        formula = _out_of_reach(margin, gate, seen_us)
        if formula:
            better = margin.value < 0
            which = "better" if better else "worse, however late its answers,"
            detail = f"No candidate is {which} by so much: decide on a narrower margin."
            code = "E_CANNOT_PASS" if better else "E_CANNOT_FAIL"
            place = f"/gates/{index}/comparison/margin"
            yield error(code, place, detail, formula, _narrower(margin, gate, seen_us, place))


def factors(document: ProtocolDocument, gates: Gates) -> Iterator[LintFinding]:
    """Contention is looked for by a factor that a control can show."""
    for index, gate in enumerate(gates):
        if not isinstance(gate, ContentionGate):
            continue
        more, limit, seen_us = gate.demand.op == ">=", gate.demand.limit, _seen_us(document, gate)
        most = Fraction(seen_us or 0, LEAST_US)
        if (most and limit > most) if more else limit <= 0:
            detail = "No control can show contention by such a factor, so nothing beside it passes."
            reach = f"{decimal_text(limit)} > {seen_us} us / {LEAST_US} us"
            formula = reach if more else f"{decimal_text(limit)} <= 0"
            place = f"/gates/{index}/comparison/limit"
            change = put(place, decimal_text(_SHOWN) if more else "0.5")
            if more and most < _SHOWN:
                detail, change = f"{detail} Decide on a later deadline.", ()
            yield error("E_CANNOT_PASS", place, detail, formula, change)


def known_bad(document: ProtocolDocument, gates: Gates) -> Iterator[LintFinding]:
    """A control that must fail is not asked for more than the candidate is."""
    candidates = {arm.id for arm in document.arms if arm.role == "candidate"}
    for index, gate in enumerate(gates):
        if not isinstance(gate, _OWN_LIMIT) or gate.expect != "FAIL":
            continue
        own = [
            each.demand.limit
            for each in gates
            if each.population.arm in candidates and _asks_alike(gate, each)
        ]
        upper = gate.demand.op in _UPPER
        laxest = (max if upper else min)(own, default=gate.demand.limit)
        if gate.demand.limit < laxest if upper else gate.demand.limit > laxest:
            detail = (
                "The control is asked for more than the candidate: that it fails does not show "
                "that the candidate's own gate can."
            )
            formula = f"{gate.demand.op} {decimal_text(gate.demand.limit)}"
            formula += f", of the candidate {gate.demand.op} {decimal_text(laxest)}"
            place = f"/gates/{index}/comparison/limit"
            change = put(place, decimal_text(laxest))
            yield warning("W_NO_ASSAY_CONTROL", place, detail, formula, change)


def _out_of_reach(margin: Margin, gate: MetricGate, seen_us: int | None) -> str:
    """Return why no outcome lies beyond a margin, in its numbers; "": some can."""
    size, text = abs(margin.value), decimal_text(abs(margin.value))
    if margin.scale == "abs":
        domain, seen = domain_of(gate.metric), None
        if domain.hi is not None:
            seen = domain.hi - domain.lo
        elif seen_us is not None:
            seen = seen_us * scale_of(gate.metric)
        return f"{text} >= {decimal_text(seen)}" if seen is not None and size >= seen else ""
    if seen_us is None or margin.worse != "higher":
        return ""
    if margin.value < 0:
        least = (1 - size) * seen_us
        return f"(1 - {text}) x {seen_us} us < {LEAST_US} us" if least < LEAST_US else ""
    beyond = (1 + size) * LEAST_US >= seen_us
    return f"(1 + {text}) x {LEAST_US} us >= {seen_us} us" if beyond else ""


def _seen_us(document: ProtocolDocument, gate: MetricGate) -> int | None:
    """Return how long a slot shows a time; None: the gate is about no time, or about a ratio."""
    cell = cell_of(document, gate.population.cell)
    inside = gate.population.against_cell is not UNSET and not isinstance(gate, ContentionGate)
    is_seen = _is_time(gate) and not inside and isinstance(cell, StreamsCell)
    return cell.ends.slot_deadline_us if is_seen and isinstance(cell, StreamsCell) else None


def _narrower(margin: Margin, gate: MetricGate, seen_us: int | None, place: str) -> Patch:
    """Return the patch to a margin that such machines can tell; empty: a person decides.

    That is so of a distance, and where slots are watched for so short that no share is seen.
    """
    usual = margin.at(-_USUAL if margin.value < 0 else _USUAL)
    if margin.scale == "abs" or _out_of_reach(usual, gate, seen_us):
        return ()
    return put(place, decimal_text(usual.value))


def _asks_alike(one: MetricGate, other: object) -> bool:
    """Tell whether two gates differ in their arm and limit alone."""
    return (
        isinstance(other, MetricGate)
        and type(one) is type(other)
        and (one.scope, one.metric, one.slot_summary)
        == (other.scope, other.metric, other.slot_summary)
        and (one.demand.statistic, one.demand.op) == (other.demand.statistic, other.demand.op)
        and one.population.cell == other.population.cell
        and one.population.stream_role == other.population.stream_role
    )


def _is_time(gate: MetricGate) -> bool:
    return STREAM_METRICS.get(gate.metric.name) == "time"


RULES: Final[tuple[GateRule, ...]] = (limits, margins, factors, known_bad)
