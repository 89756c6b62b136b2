# SPDX-License-Identifier: Apache-2.0
"""What each gate of a protocol can decide: with its units, with its margin, and what it would take.

A claim is decidable where a candidate as good as its control would PASS with a chance of 0.8 in the
first attempt; a claim to be better, where it is better by twice the margin. A gate about exactly
its planned units has no chance: it is asked whether the pilot's own control, to which nothing was
done, meets it. A gate about drift is asked whether a control that nothing was done to is its own
return; it never gives FAIL.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final, Literal

from app.core.identity import Slug
from app.core.protocol.contrast import Contrast
from app.core.protocol.decimals import decimal_text
from app.core.protocol.design import Design
from app.core.protocol.gate import (
    BoundGate,
    ComparisonGate,
    DriftGate,
    FairnessGate,
    ProgressGate,
    ShareGate,
    parse_gates,
)
from app.core.protocol.gate_design import design_of
from app.core.statement.pilot import Pilot
from app.core.statement.protocol_document import ProtocolDocument
from app.service.estimate_power import Comparing, chance_to_pass, share_chance
from app.service.margin_sd import margin_to_sd, sd_past_margin, sd_to_margin
from app.service.read_pilot import Spread, spread_of, values_of
from app.service.search_power import (
    WANTED,
    greatest_share,
    least_margin_sd,
    least_share_units,
    least_units,
)

_Sample = BoundGate | ProgressGate | FairnessGate
_GOOD: Final = Fraction(99, 100)
"""The share of good units where no pilot says another."""


@dataclass(frozen=True, slots=True)
class PowerRow:
    """What one gate can decide.

    Attributes:
        what: the margin, share or limit as locked, and what is supposed of the candidate.
        spread: what it is judged at; None: the pilot does not say, or it is of no meaning.
        chance: to PASS where the candidate is what is supposed; None: not known.
        chance_to_fail: to FAIL where it is ``fails_at`` margins off; None: not asked.
        decidable: with the locked units and margin; None: not known.
        least_n: the fewest units for the locked margin; None: none, or not known.
        least_margin: the narrowest margin for the locked units, of a share the greatest share, of a
            limit the one that the pilot's control just meets.
        basis: how the chances came about.
        fails_at: worse by twice the margin; where it had to be better, by no difference at all.
    """

    gate: Slug
    design: Literal["blocks", "bracket", "drift", "binomial", "sample"]
    n: int
    what: str
    spread: Spread | None = None
    chance: Fraction | None = None
    chance_to_fail: Fraction | None = None
    decidable: bool | None = None
    least_n: int | None = None
    least_margin: Fraction | None = None
    basis: Literal["exact", "simulated"] = "exact"
    fails_at: Literal[0, 2] = 2


def power_of(
    document: ProtocolDocument, *, pilot: Pilot | None, spread: Fraction, seed: int
) -> Iterator[PowerRow]:
    """Yield a row for every gate with a p-value, and for every limit that the pilot speaks of.

    Args:
        document: with gates that are in order.
        pilot: what was measured before; None: ``spread`` is supposed of every comparison.
        spread: standard deviation of one unit; a share of the control for ratio margins.
        seed: of the simulation.
    """
    gates = parse_gates(document)
    controls = [arm.id for arm in document.arms if arm.role == "control"]
    for gate in gates:
        design = design_of(document, gate, gates)
        if isinstance(gate, ComparisonGate | DriftGate) and design is not None:
            supposed = Spread(float(spread), 0, "control")
            seen = supposed if pilot is None else spread_of(pilot, gate)
            if isinstance(gate, DriftGate):
                yield _drift(gate, design, seen, seed)
            else:
                yield _compared(gate, design, seen, seed)
        elif isinstance(gate, ShareGate) and design is not None:
            yield _share(gate, design, _good_of(pilot, gate, controls))
        elif isinstance(gate, _Sample) and pilot is not None:
            yield from _sample(gate, pilot, controls)


def _compared(gate: ComparisonGate, design: Design, spread: Spread | None, seed: int) -> PowerRow:
    contrast, n = gate.contrast, design.n or 0
    better = contrast.claim == "superiority"
    kind: Literal["blocks", "bracket"] = "blocks" if design.kind == "sign_flip" else "bracket"
    supposed = "better by twice as much" if better else "no difference"
    what = f"margin {decimal_text(abs(contrast.margin.value))}, {supposed}"
    row = PowerRow(gate.id, kind, n, what, spread, fails_at=0 if better else 2)
    if spread is None or spread.of_unit == 0:
        return row
    near, far = (of(contrast, spread.of_unit) for of in (sd_to_margin, sd_past_margin))
    alpha, both = (design.alpha or Fraction(0)) / design.any_of, contrast.claim == "equivalence"
    of = Comparing(kind, n, far if better else near, alpha, two_sided=both)
    chance = _thousandths(chance_to_pass(of, seed=seed))
    # Which side of an equivalence is broken is not known before: for FAIL each has half of alpha.
    alpha_to_fail = (design.alpha or Fraction(0)) / (2 if both else 1)
    worse = Comparing(kind, n, near if better else far, alpha_to_fail)
    least = least_margin_sd(of, seed=seed)
    return replace(
        row,
        chance=chance,
        chance_to_fail=_thousandths(chance_to_pass(worse, seed=seed)),
        decidable=chance >= WANTED,
        least_n=least_units(of, seed=seed),
        least_margin=None if least is None else margin_to_sd(contrast, least, spread.of_unit),
        basis="simulated",
    )


def _drift(gate: DriftGate, design: Design, spread: Spread | None, seed: int) -> PowerRow:
    n, margin = design.n or 0, gate.margin.unsigned()
    what = f"drift margin {decimal_text(margin.value)}, no difference"
    row = PowerRow(gate.id, "drift", n, what, spread)
    if spread is None or spread.of_unit == 0:
        return row
    contrast = Contrast("equivalence", margin, design.alpha or Fraction(0))
    near = sd_to_margin(contrast, spread.of_unit)
    of = Comparing("single", n, near, contrast.alpha, two_sided=True)
    chance, least = _thousandths(chance_to_pass(of, seed=seed)), least_margin_sd(of, seed=seed)
    return replace(
        row,
        chance=chance,
        decidable=chance >= WANTED,
        least_n=least_units(of, seed=seed),
        least_margin=None if least is None else margin_to_sd(contrast, least, spread.of_unit),
        basis="simulated",
    )


def _share(gate: ShareGate, design: Design, good: Fraction) -> PowerRow:
    n, alpha = design.n or 0, (design.alpha or Fraction(0)) / design.any_of
    chance = share_chance(n=n, share=gate.share, alpha=alpha, good=good)
    what = f"p {decimal_text(gate.share)} where {decimal_text(good)} of all units are good"
    return PowerRow(
        gate.id,
        "binomial",
        n,
        what,
        chance=_thousandths(chance),
        decidable=chance >= WANTED,
        least_n=least_share_units(share=gate.share, alpha=alpha, good=good),
        least_margin=greatest_share(n=n, alpha=alpha, good=good),
    )


def _good_of(pilot: Pilot | None, gate: ShareGate, controls: list[str]) -> Fraction:
    """Return the share of the pilot's control that is good; a unit without a value is not."""
    values = [] if pilot is None else [v for arm in controls for v in values_of(pilot, arm, gate)]
    if not values:
        return _GOOD
    return Fraction(sum(each is not None and _holds(gate, each) for each in values), len(values))


def _sample(gate: _Sample, pilot: Pilot, controls: list[str]) -> Iterator[PowerRow]:
    """Yield whether the pilot's control meets a limit, and which one it just meets."""
    values = [v for arm in controls for v in values_of(pilot, arm, gate)]
    known = sorted(value for value in values if value is not None)
    at = {"max": -1, "min": 0, "median": len(known) // 2}
    name = gate.demand.statistic
    if name == "all":
        name = "max" if gate.demand.op in ("<", "<=") else "min"
    if not known or name not in at or gate.demand.op == "==":
        return
    value = known[at[name]]
    what = f"{name} {gate.demand.op} {decimal_text(gate.demand.limit)}, the pilot's control"
    met = len(known) == len(values) and _holds(gate, value)
    yield PowerRow(gate.id, "sample", len(values), what, decidable=met, least_margin=value)


def _holds(gate: ShareGate | _Sample, value: Fraction) -> bool:
    limit = gate.demand.limit
    return {
        "<": value < limit,
        "<=": value <= limit,
        "==": value == limit,
        ">=": value >= limit,
        ">": value > limit,
    }[gate.demand.op]


def _thousandths(chance: float | Fraction) -> Fraction:
    return Fraction(round(chance * 1000), 1000)
