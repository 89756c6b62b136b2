# SPDX-License-Identifier: Apache-2.0
"""Lint: gates with a p-value can decide, against controls, at a margin that is one."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from app.core.protocol.decimals import decimal_text
from app.core.protocol.design import Design, design_findings, least_p, units_wanted
from app.core.protocol.finding import LintFinding
from app.core.protocol.gate import (
    AnyGate,
    BoundGate,
    ComparisonGate,
    DriftGate,
    MetricGate,
    ShareGate,
)
from app.core.protocol.gate_design import design_of
from app.core.protocol.lint_changes import add_bound, add_companion, as_blocks
from app.core.protocol.lint_references import GateRule, Gates, error, warning
from app.core.protocol.margin import MAX_UNITS, Margin, alpha_of_attempt, least_quantile_n
from app.core.protocol.patch import Patch, put, remove
from app.core.statement.protocol_document import ProtocolDocument

_USUAL_MARGIN: Final = "0.2"
"""What machines that restart between slots can tell (SCORING.md B6)."""
_HALF: Final = Fraction(1, 2)
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
        pointer, design = f"/gates/{index}", design_of(document, gate, gates)
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
        design = design_of(document, gate, ())
        if design is None or _is_bounded(gate, gates):
            continue
        if isinstance(gate, ComparisonGate):
            yield from _separated(gate, design, gates, f"/gates/{index}")
        elif isinstance(gate, ShareGate):
            yield from _all_bad(gate, design, f"/gates/{index}")


def _separated(
    gate: ComparisonGate, design: Design, gates: Gates, pointer: str
) -> Iterator[LintFinding]:
    many = sum(
        isinstance(each, ComparisonGate) and each.scope == gate.scope and each.role != "exploratory"
        for each in gates
    )
    # Either side of an equivalence may be the broken one, so each has half of alpha.
    many = max(many, 1) * (2 if gate.contrast.claim == "equivalence" else 1)
    p, alpha = least_p(design), alpha_of_attempt(gate.contrast.alpha, 1) / many
    if p is not None and p > alpha:
        detail = (
            "After the correction over all comparisons of the scope not even complete "
            "separation would FAIL, and no absolute bound stands beside it."
        )
        wanted = units_wanted(design, alpha)
        smallest = f"smallest p {decimal_text(p)} > {decimal_text(alpha)}"
        formula, change = f"{smallest}; {wanted} units reach it", design.more(wanted)
        yield error("E_FAIL_UNATTAINABLE", pointer, detail, formula, change)


def _all_bad(gate: ShareGate, design: Design, pointer: str) -> Iterator[LintFinding]:
    """Yield that so small a share is met, or undecided, however many of the units are bad."""
    n, alpha = design.n or 0, alpha_of_attempt(gate.alpha, 1)
    p = (1 - gate.share) ** n
    if p > alpha:
        detail = (
            "Not even if every planned unit were bad would the claim FAIL: the share is so small "
            "that bad units are no surprise, and no absolute bound stands beside it."
        )
        wanted = least_quantile_n(1 - gate.share, alpha)
        least = f"smallest p (1 - {decimal_text(gate.share)})^{n} = {decimal_text(p)}"
        formula = f"{least} > {decimal_text(alpha)}; {wanted} units reach it"
        change = design.more(wanted) or _likelier(n, design, pointer)
        yield error("E_FAIL_UNATTAINABLE", pointer, detail, formula, change)


def _likelier(n: int, design: Design, pointer: str) -> Patch:
    """Return the patch to the least share, in hundredths, that so many units could find missed.

    Where there are too few for any share, it is one half and as many units as that takes.
    """
    alpha = design.alpha or Fraction(0)
    enough = least_quantile_n(_HALF, alpha)
    if n < enough:
        return put(f"{pointer}/p", decimal_text(_HALF)) + design.more(enough)
    hundredths = (Fraction(each, 100) for each in range(1, 51))
    return put(f"{pointer}/p", decimal_text(next(p for p in hundredths if (1 - p) ** n <= alpha)))


def anchors(document: ProtocolDocument, gates: Gates) -> Iterator[LintFinding]:
    """Accepted margins add up from head to head unless an absolute bound ends that."""
    for index, gate in enumerate(gates):
        if isinstance(gate, ComparisonGate) and gate.contrast.claim != "superiority":
            if gate.against_cell is None and not _is_bounded(gate, gates):
                detail = (
                    "Every head may be worse than the last by the margin: decide what is too much "
                    "for ever, as a bound or a quantile of the same metric, arm, cell and role."
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


def _is_bounded(gate: AnyGate, gates: Gates) -> bool:
    """Return whether a limit of its own stands beside a claim; no share stands beside a share."""
    kinds = BoundGate if isinstance(gate, ShareGate) else BoundGate | ShareGate
    return isinstance(gate, MetricGate) and any(
        isinstance(each, kinds)
        and each.role != "exploratory"
        and each.family in (None, gate.family)
        and each.metric.name == gate.metric.name
        and each.population.arm == gate.population.arm
        and each.population.cell == gate.population.cell
        and each.population.stream_role in (gate.population.stream_role, "any")
        for each in gates
    )


def _has_companion(gate: ComparisonGate, gates: Gates) -> bool:
    return any(
        isinstance(each, ComparisonGate)
        and each.against_cell is None
        and (each.role != "exploratory" or gate.role == "exploratory")
        and each.scope == gate.scope
        and each.family in (None, gate.family)
        and each.metric.name == gate.metric.name
        and each.population.arm == gate.population.arm
        and each.population.cell == gate.against_cell
        and each.population.stream_role in (gate.population.stream_role, "any")
        for each in gates
    )


RULES: Final[tuple[GateRule, ...]] = (controls, margins, designs, failures, anchors)
