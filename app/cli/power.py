# SPDX-License-Identifier: Apache-2.0
"""``fairtrial protocol lint --power``: what each gate can decide, as a table and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

import typer

from app.cli.session import read_object
from app.core.canonical import JsonValue, canonical
from app.core.protocol.decimals import decimal_text
from app.core.statement.parse import parse_pilot
from app.core.statement.pilot import Pilot
from app.service.estimate_power import RUNS
from app.service.plan_power import PowerRow


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


def pilot_of(file: str | None) -> Pilot | None:
    """Return the pilot in a file of ``schemas/pilot.v1.schema.json``; None: none is given.

    Raises:
        MalformedDocument: it is not strict JSON.
        SchemaViolation: it is of another shape.
    """
    return None if file is None else parse_pilot(canonical(read_object(file)))


def power_members(row: PowerRow) -> dict[str, JsonValue]:
    """Return a row as JSON: numbers as decimal strings, null where nothing is known."""
    spread = row.spread
    return {
        "gate": row.gate,
        "design": row.design,
        "n": row.n,
        "what": row.what,
        "basis": row.basis,
        "spread": None if spread is None else f"{spread.of_unit:.4g}",
        "spread_by": None if spread is None or not spread.n else spread.by,
        "spread_n": None if spread is None or not spread.n else spread.n,
        "chance": _text(row.chance),
        "chance_to_fail": _text(row.chance_to_fail),
        "decidable": row.decidable,
        "least_n": row.least_n,
        "least_margin": _text(row.least_margin),
        "warning": _warning(row),
    }


def power_lines(rows: Sequence[PowerRow], *, spread: str, seed: int, pilot: bool) -> Iterator[str]:
    """Yield the rows as text."""
    at = "of the pilot" if pilot else spread
    yield f"power at spread {at}, {RUNS} simulated studies, seed {seed}"
    for row in rows:
        yield f"{row.gate}: {row.design}, n {row.n}, {row.what}: {_said(row)}"
        if row.spread is not None and row.spread.n:
            by = "units of the control" if row.spread.by == "control" else "blocks"
            yield f"  spread {row.spread.of_unit:.4g}, by {row.spread.n} {by}"
        yield from (f"  {each}" for each in _least(row))
        warning = _warning(row)
        if warning is not None:
            yield f"  {warning}: a good candidate would often stay undecided"


def _said(row: PowerRow) -> str:
    if row.design == "sample":
        return "meets it" if row.decidable else "does not, in every unit, meet it"
    if row.chance is None:
        return "the pilot does not say: two values that differ would"
    said = f"PASS in {decimal_text(row.chance)}"
    if row.chance_to_fail is not None:
        at = "two margins" if row.fails_at else "no difference"
        said += f", FAIL at {at} in {decimal_text(row.chance_to_fail)}"
    return f"{said} ({row.basis})"


def _least(row: PowerRow) -> Iterator[str]:
    """Yield what it would take."""
    if row.design == "sample":
        yield f"the pilot's control just meets {_text(row.least_margin)}"
        return
    if row.chance is None:
        return
    units = "no n that is offered" if row.least_n is None else f"n {row.least_n}"
    what = "p" if row.design == "binomial" else "margin"
    margin = f"no {what}" if row.least_margin is None else f"{what} {_text(row.least_margin)}"
    yield f"decides in 0.8 with {units} at this {what}, or with {margin} at this n"


def _warning(row: PowerRow) -> str | None:
    return "W_UNDERPOWERED" if row.decidable is False and row.design != "sample" else None


def _text(value: Fraction | None) -> str | None:
    return None if value is None else decimal_text(value)
