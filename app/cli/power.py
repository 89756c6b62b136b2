# SPDX-License-Identifier: Apache-2.0
"""``fairtrial protocol lint --power``: how likely each claim decides at a pilot's spread."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Final

import typer

from app.core.canonical import JsonValue
from app.core.protocol.blocks import blocks_of
from app.core.protocol.cells import repetitions_of
from app.core.protocol.decimals import decimal_text
from app.core.protocol.gate import ComparisonGate, ShareGate, parse_gates
from app.core.protocol.margin import alpha_of_attempt
from app.core.protocol.plan import cell_of
from app.core.protocol.units import BY_BOOT
from app.core.statement.protocol_document import ProtocolDocument
from app.service.estimate_power import (
    MOST_BLOCKS,
    RUNS,
    Comparing,
    blocks_wanted,
    chance_to_pass,
    margin_in_sd,
    share_chance,
)

_WANTED: Final = Fraction("0.8")
_GOOD: Final = Fraction("0.99")
"""The share of good units at which a share gate's chance is given."""


def spread_of(text: str) -> Fraction:
    """Return a spread above 0.

    Raises:
        BadParameter: it is no such number.
    """
    try:
        spread = Fraction(text)
    except (ValueError, ZeroDivisionError) as error:
        raise typer.BadParameter("Expected a decimal number.", param_hint="--spread") from error
    if spread <= 0:
        raise typer.BadParameter("Expected a number above 0.", param_hint="--spread")
    return spread


def power_rows(
    document: ProtocolDocument, *, spread: Fraction, seed: int
) -> Sequence[dict[str, JsonValue]]:
    """Return a row for each claim: its design, its n, and how likely a good candidate passes."""
    return [
        row
        for gate in parse_gates(document)
        if isinstance(gate, ComparisonGate | ShareGate)
        for row in _rows(document, gate, spread, seed)
    ]


def power_lines(
    rows: Sequence[Mapping[str, JsonValue]], *, spread: str, seed: int
) -> Iterator[str]:
    """Yield the rows as a table."""
    yield f"power at spread {spread}, {RUNS} simulated studies, seed {seed}"
    for row in rows:
        wanted = "" if row["wanted"] is None else f", about {row['wanted']} units reach 0.8"
        yield (
            f"{row['gate']}: {row['design']}, n {row['n']}, {row['what']}: "
            f"PASS in {row['chance']}{wanted}"
        )
        if row["warning"] is not None:
            yield f"  {row['warning']}: a good candidate would often stay undecided"


def _rows(
    document: ProtocolDocument, gate: ComparisonGate | ShareGate, spread: Fraction, seed: int
) -> Iterator[dict[str, JsonValue]]:
    cell = cell_of(document, gate.population.cell)
    if isinstance(gate, ShareGate):
        in_boots = gate.population.unit in BY_BOOT
        n = blocks_of(cell) if in_boots else repetitions_of(cell)
        alpha = alpha_of_attempt(gate.alpha, 1)
        chance = share_chance(n=n, share=gate.share, alpha=alpha, good=_GOOD)
        what = f"p {decimal_text(gate.share)} where 0.99 of all units are good (exact)"
        yield _row(gate.id, "binomial", n, what=what, chance=chance, wanted=None)
        return
    margin, n = gate.contrast.margin, blocks_of(cell)
    ratio = margin.scale == "ratio"
    in_blocks = gate.design == "signflip_blocks"
    of = Comparing(
        "blocks" if in_blocks else "bracket",
        min(n, MOST_BLOCKS) if in_blocks else n,
        margin_in_sd(abs(margin.value), spread, ratio=ratio),
        alpha_of_attempt(gate.contrast.alpha, 1),
    )
    chance = Fraction(str(round(chance_to_pass(of, seed=seed), 3)))
    wanted = blocks_wanted(spread, abs(margin.value)) if in_blocks and ratio else None
    what = f"margin {decimal_text(abs(margin.value))}, no difference"
    if of.n < n:
        what += f" (simulated with {of.n}: more decide oftener)"
    yield _row(gate.id, of.design, n, what=what, chance=chance, wanted=wanted)


def _row(
    gate: str, design: str, n: int, *, what: str, chance: Fraction, wanted: int | None
) -> dict[str, JsonValue]:
    return {
        "gate": gate,
        "design": design,
        "n": n,
        "what": what,
        "chance": decimal_text(Fraction(round(chance * 1000), 1000)),
        "wanted": wanted,
        "warning": "W_UNDERPOWERED" if chance < _WANTED else None,
    }
