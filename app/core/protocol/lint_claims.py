# SPDX-License-Identifier: Apache-2.0
"""Lint: gates with a p-value can decide, against controls, at a margin that is one."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from typing import Final

from app.core.protocol.blocks import blocks_of, waves_of
from app.core.protocol.cells import repetitions_of
from app.core.protocol.decimals import decimal_text
from app.core.protocol.design import Design, design_findings, least_p, units_wanted
from app.core.protocol.finding import LintFinding
from app.core.protocol.gate import (
    AnyGate,
    BoundGate,
    ComparisonGate,
    DriftGate,
    ShareGate,
)
from app.core.protocol.lint_changes import add_bound, add_companion, as_blocks, repetitions
from app.core.protocol.lint_references import GateRule, Gates, error, warning
from app.core.protocol.margin import MAX_UNITS, Margin, alpha_of_attempt
from app.core.protocol.patch import put, remove
from app.core.protocol.plan import cell_of
from app.core.statement.protocol_document import ProtocolDocument

_USUAL_MARGIN: Final = "0.2"
"""What machines that restart between slots can tell (SCORING.md B6)."""
_CONTROLS: Final = ("control", "return_control")


def controls(document: ProtocolDocument, gates: Gates) -> Iterator[LintFinding]:
    """What a candidate is compared with is a control of this protocol."""
    roles = {arm.id: arm.role for arm in document.arms}
    for index, gate in enumerate(gates):
        pointer = f"/gates/{index}/comparison/vs"
        if not isinstance(gate, ComparisonGate | DriftGate):
            continue
        names = gate.vs if isinstance(gate, ComparisonGate) else (gate.first,)
        if any(roles.get(name) not in _CONTROLS for name in names):
            offered = [arm.id for arm in document.arms if arm.role in _CONTROLS]
            change = put(pointer, [*offered[: len(names)]]) if len(offered) >= len(names) else ()
            detail = "A comparison is with control arms of the protocol."
            yield error("E_NO_CONTROL", pointer, detail, f"vs {', '.join(names)}", change)
        elif gate.population.arm in names or len(set(names)) < len(names):
            others = [
                arm.id
                for arm in document.arms
                if arm.role in _CONTROLS and arm.id != gate.population.arm
            ]
            change = put(pointer, [*others[: len(names)]]) if len(others) >= len(names) else ()
            detail = "The same data stands on both sides, or for both controls."
            yield error("E_SAME_DATA", pointer, detail, f"vs {', '.join(names)}", change)
        if isinstance(gate, ComparisonGate) and gate.against_cell == gate.population.cell:
            place = f"/gates/{index}/population/against_cell"
            detail = "A cell over itself is 1, whatever the server does."
            yield error("E_SAME_DATA", place, detail, change=remove(place))


def margins(document: ProtocolDocument, gates: Gates) -> Iterator[LintFinding]:
    """A margin has the sign of its claim and leaves something of the control."""
    for index, gate in enumerate(gates):
        pointer = f"/gates/{index}"
        if isinstance(gate, DriftGate):
            yield from _sign(gate.margin, pointer, above=True)
        elif isinstance(gate, ComparisonGate):
            contrast = gate.contrast
            above = contrast.claim != "superiority"
            yield from _sign(contrast.margin, pointer, above=above)
            if not contrast.cap_drift and above:
                detail = "Only superiority may pass beside controls that may have drifted."
                place = f"{pointer}/drift_policy"
                change = put(place, "cap_if_possibly_drifted")
                yield error("E_BRACKET_ONLY", place, detail, change=change)
            if gate.design == "exact_ranksum":
                detail = (
                    "Control, candidate, control guards against a steady drift only; blocks guard "
                    "against any other too."
                )
                place, formula = f"{pointer}/inference", "better while only B runs: passes 23-37 %"
                change = as_blocks(document.gates[index], pointer)
                yield warning("W_MONOTONE_ORDER", place, detail, formula, change)


def designs(document: ProtocolDocument, gates: Gates) -> Iterator[LintFinding]:
    """The planned units can decide what is claimed, and a computer can count them."""
    for index, gate in enumerate(gates):
        pointer, design = f"/gates/{index}", _design_of(document, gate, gates)
        if design is None:
            continue
        yield from design_findings(design, pointer)
        if design.kind != "share" and (design.n or 0) > MAX_UNITS:
            detail = "Exact inference is offered up to that many units."
            formula = f"{design.n} > {MAX_UNITS}"
            yield error("E_N_TOO_LARGE", pointer, detail, formula, design.more(MAX_UNITS))


def failures(document: ProtocolDocument, gates: Gates) -> Iterator[LintFinding]:
    """A worse candidate can be found to be one, after the correction over the scope."""
    for index, gate in enumerate(gates):
        design = _design_of(document, gate, ())
        if not isinstance(gate, ComparisonGate) or design is None or _is_bounded(gate, gates):
            continue
        many = sum(
            isinstance(each, ComparisonGate)
            and each.scope == gate.scope
            and each.role != "exploratory"
            for each in gates
        )
        p, alpha = least_p(design), alpha_of_attempt(gate.contrast.alpha, 1) / max(many, 1)
        if p is not None and p > alpha:
            detail = (
                "After the correction over all comparisons of the scope not even complete "
                "separation would FAIL, and no absolute bound stands beside it."
            )
            wanted = units_wanted(design, alpha)
            smallest = f"smallest p {decimal_text(p)} > {decimal_text(alpha)}"
            formula, change = f"{smallest}; {wanted} units reach it", design.more(wanted)
            yield error("E_FAIL_UNATTAINABLE", f"/gates/{index}", detail, formula, change)


def anchors(document: ProtocolDocument, gates: Gates) -> Iterator[LintFinding]:
    """Accepted margins add up from head to head unless an absolute bound ends that."""
    for index, gate in enumerate(gates):
        if isinstance(gate, ComparisonGate) and gate.contrast.claim != "superiority":
            if gate.against_cell is None and not _is_bounded(gate, gates):
                detail = (
                    "Every head may be worse than the last by the margin: decide what is too much "
                    "for ever, as a bound or a quantile of the same metric, arm and cell."
                )
                pointer, change = f"/gates/{index}", add_bound(document, index, gate)
                formula = "five heads at 8 % each are 47 %"
                yield error("E_NO_ANCHOR", pointer, detail, formula, change)
            if gate.against_cell is not None and not _has_companion(gate, gates):
                detail = (
                    "A candidate that slows both cells does not show in their ratio: compare the "
                    "other cell by itself too."
                )
                pointer = f"/gates/{index}/population/against_cell"
                change = add_companion(document, index, gate.against_cell)
                yield error("E_NO_COMPANION_GATE", pointer, detail, change=change)


def _design_of(
    document: ProtocolDocument, gate: AnyGate, family: tuple[AnyGate, ...]
) -> Design | None:
    """Return the numbers of a gate with a p-value, in the first attempt; None: it has none."""
    cell = cell_of(document, gate.population.cell)
    in_slots = gate.population.unit == "slot"
    n = repetitions_of(cell) if in_slots else blocks_of(cell)
    members = {
        (each.population.arm, each.population.cell)
        for each in family
        if each.family is not None and each.family == gate.family and each.scope == gate.scope
    }
    many = max(len(members), 1)
    waves = 1 if in_slots else waves_of(cell)
    more = partial(repetitions, document, cell.id, waves=waves)
    match gate:
        case ComparisonGate():
            alpha = alpha_of_attempt(gate.contrast.alpha, 1)
            bracket = gate.design == "exact_ranksum"
            absolute = gate.contrast.margin.scale == "abs"
            return Design(
                "rank_sum" if bracket else "sign_flip",
                alpha,
                n,
                n if bracket else None,
                many,
                limit=gate.contrast.margin.value if absolute else None,
                resolution=Fraction(gate.metric.resolution) if gate.metric.resolution else None,
                more=more,
            )
        case DriftGate():
            return Design("rank_sum", alpha_of_attempt(gate.alpha, 1), n, n, many, more=more)
        case ShareGate():
            alpha = alpha_of_attempt(gate.alpha, 1)
            return Design("share", alpha, n, any_of=many, share=gate.share, more=more)
        case _:
            return None


def _sign(margin: Margin, pointer: str, *, above: bool) -> Iterator[LintFinding]:
    right = margin.value > 0 if above else margin.value < 0
    kept = margin.scale == "abs" or abs(margin.value) < 1 or (above and margin.worse == "higher")
    if not right or not kept:
        value = abs(margin.value)
        detail = (
            "A margin is above 0 for what may be worse and below 0 for superiority, and a share "
            "of the control is less than all of it."
        )
        distance = decimal_text(value) if kept and margin.value else _USUAL_MARGIN
        place, formula = f"{pointer}/comparison/margin", f"margin {decimal_text(margin.value)}"
        change = put(place, distance if above else f"-{distance}")
        yield error("E_MARGIN_SIGN", place, detail, formula, change)


def _is_bounded(gate: ComparisonGate, gates: tuple[AnyGate, ...]) -> bool:
    """Return whether a limit of its own stands beside a comparison."""
    return any(
        isinstance(each, BoundGate | ShareGate)
        and each.role != "exploratory"
        and each.family in (None, gate.family)
        and each.metric.name == gate.metric.name
        and each.population.arm == gate.population.arm
        and each.population.cell == gate.population.cell
        for each in gates
    )


def _has_companion(gate: ComparisonGate, gates: tuple[AnyGate, ...]) -> bool:
    return any(
        isinstance(each, ComparisonGate)
        and each.against_cell is None
        and each.population.arm == gate.population.arm
        and each.population.cell == gate.against_cell
        for each in gates
    )


RULES: Final[tuple[GateRule, ...]] = (controls, margins, designs, failures, anchors)
