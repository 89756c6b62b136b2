# SPDX-License-Identifier: Apache-2.0
"""Whether a design can decide at all, and how likely it does: numbers before anything is locked.

The lint asks this of every gate with a p-value. A number that is not known asks nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Literal

from app.core.protocol.decimals import decimal_text
from app.core.protocol.finding import LintFinding
from app.core.protocol.margin import (
    least_quantile_n,
    least_rank_sum_p,
    least_sign_flip_p,
)
from app.core.protocol.patch import Patch, put
from app.core.protocol.units import unit_findings
from app.core.statement.gate_record import GateKind

_KINDS: Final[Mapping[str, GateKind]] = {
    "rank_sum": "comparison",
    "sign_flip": "comparison",
    "share": "quantile",
    "bound": "bound",
}
"""The kind of gate that a way of judging belongs to."""
_BRACKET_POWER: Final = {
    3: (12, 47, 82, 97),
    4: (11, 51, 93, 99),
    5: (24, 77, 99, 100),
    6: (28, 87, 100, 100),
    8: (38, 95, 100, 100),
    10: (50, 99, 100, 100),
}
"""Per cent that pass against both controls at no difference, for margin/sd 1, 2, 3 and 4."""
_WANTED_POWER: Final = 80


def no_change(wanted: int) -> Patch:
    """Return no patch: nothing says where units are planned."""
    del wanted
    return ()


@dataclass(frozen=True, slots=True)
class Design:
    """The numbers of one gate.

    Attributes:
        kind: how it is judged.
        alpha: what it may spend, all corrections included but that of its family.
        n: units of the candidate, blocks, or units of a share.
        m: units of the control.
        any_of: how many claims there are of which any may pass.
        share: the quantile's p, or the proportion to exceed.
        unit: what one observation is.
        margin_over_sd: the margin in standard deviations of a pilot.
        more: the patch that plans so many units.
    """

    kind: Literal["rank_sum", "sign_flip", "share", "bound"]
    alpha: Fraction | None = None
    n: int | None = None
    m: int | None = None
    any_of: int = 1
    share: Fraction | None = None
    unit: str | None = None
    has_control: bool = True
    has_population: bool = True
    drops_slots: bool = False
    interpolates: bool = False
    is_mean: bool = False
    limit: Fraction | None = None
    resolution: Fraction | None = None
    margin_over_sd: Fraction | None = None
    more: Callable[[int], Patch] = no_change


def design_findings(design: Design, pointer: str = "") -> Iterator[LintFinding]:
    """Yield what keeps the design from deciding, and what makes that unlikely."""
    if not design.has_population:
        detail = "Nothing says what the gate is about: arm, cell, stream role, phase and unit."
        yield _error("E_NO_POPULATION", f"{pointer}/population", detail)
    if not design.has_control:
        detail = "A comparison with nothing: name the control."
        yield _error("E_NO_CONTROL", f"{pointer}/comparison/vs", detail)
    if design.drops_slots:
        detail = "A planned slot is never removed, whatever became of it."
        yield _error("E_DROPS_SLOTS", pointer, detail)
    if design.interpolates:
        detail = "A value between two units is one that nobody measured: take one of them."
        yield _error("E_INTERPOLATED_QUANTILE", f"{pointer}/statistic", detail)
    if design.unit is not None:
        yield from unit_findings(_KINDS[design.kind], design.unit, pointer)
    yield from _resolution(design, pointer)
    yield from _attainable(design, pointer)
    if design.is_mean:
        detail = "In a mean the others make up for the worst unit."
        yield LintFinding("W_MEAN_STATISTIC", "warning", f"{pointer}/statistic", detail, "")
    yield from _power(design, pointer)


def least_p(design: Design) -> Fraction | None:
    """Return the smallest p that the design's units allow; None: they are not known."""
    match design:
        case Design(kind="rank_sum", n=int(n), m=int(m)):
            return least_rank_sum_p(n, m)
        case Design(kind="sign_flip", n=int(n)):
            return least_sign_flip_p(n)
        case Design(kind="share", n=int(n), share=Fraction() as share):
            return share**n
        case _:
            return None


def units_wanted(design: Design, alpha: Fraction) -> int:
    """Return the least number of units, an arm or block, whose smallest p is within ``alpha``."""
    if design.kind == "share" and design.share is not None:
        return least_quantile_n(design.share, alpha)
    of = (lambda n: least_rank_sum_p(n, n)) if design.kind == "rank_sum" else least_sign_flip_p
    n = 1
    while of(n) > alpha:
        n += 1
    return n


def _resolution(design: Design, pointer: str) -> Iterator[LintFinding]:
    if design.limit is None or design.resolution is None:
        return
    least = 2 * design.resolution
    if abs(design.limit) < least:
        formula = f"{decimal_text(abs(design.limit))} < 2 x {decimal_text(design.resolution)}"
        detail = "The limit or margin is finer than the clock can tell."
        place = f"{pointer}/comparison/{'limit' if design.kind == 'bound' else 'margin'}"
        change = put(place, decimal_text(-least if design.limit < 0 else least))
        yield _error("E_BELOW_RESOLUTION", place, detail, formula, change)


def _attainable(design: Design, pointer: str) -> Iterator[LintFinding]:
    p = least_p(design)
    if p is None or design.alpha is None:
        return
    alpha = design.alpha / design.any_of
    if p > alpha:
        wanted = units_wanted(design, alpha)
        family = "" if design.any_of == 1 else f" / {design.any_of}"
        change = design.more(wanted)
        detail = "Even if every unit agreed, so few could not establish the claim."
        if not change:
            detail += " Decide what fewer units can establish: so many no cell can plan."
        smallest, most = decimal_text(p), decimal_text(design.alpha)
        formula = f"smallest p {smallest} > {most}{family}; {wanted} units reach it"
        yield _error("E_N_UNATTAINABLE", pointer, detail, formula, change)


def _power(design: Design, pointer: str) -> Iterator[LintFinding]:
    ratio = design.margin_over_sd
    if design.kind != "rank_sum" or ratio is None or design.n is None or design.m is None:
        return
    n = min(design.n, design.m)
    row = max((each for each in _BRACKET_POWER if each <= n), default=None)
    column = min(int(ratio), 4)
    power = 0 if row is None or column < 1 else _BRACKET_POWER[row][column - 1]
    if power < _WANTED_POWER:
        formula = (
            f"power {power} % < {_WANTED_POWER} % at n {n} and margin {decimal_text(ratio)} sd"
        )
        detail = "A candidate that is as good as its control would often stay undecided."
        yield LintFinding("W_UNDERPOWERED", "warning", pointer, detail, formula)


def _error(
    code: str, pointer: str, detail: str, formula: str = "", change: Patch = ()
) -> LintFinding:
    return LintFinding(code, "error", pointer, detail, formula, change)
