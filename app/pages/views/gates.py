# SPDX-License-Identifier: Apache-2.0
"""Gates as a table, worst first, and the plot and the data table of each."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from markupsafe import Markup
from msgspec import UNSET

from app.core.statement.judgement import Judgement, Observation
from app.core.verdict.explain import cause_line_of, explain
from app.core.verdict.judgement_text import (
    DELAY,
    NO_VALUE,
    counts_text,
    how_text,
    limit_text,
    observed_text,
    room_text,
)
from app.core.verdict.numbers import (
    fraction_of,
    hours,
    interval_text,
    is_everything,
    is_infinite,
    unit_text,
)
from app.core.verdict.unit_text import told_text, unit_name
from app.pages.charts.strip import Mark, Row, Strip, draw_strip
from app.pages.facts import HeadFacts, StudyFacts
from app.pages.views.counted import counted_text
from app.pages.views.links import reason_page
from app.pages.views.table import Cell, Table, code, number, state

_WORST_FIRST: Final = ("FAIL", "INVALID", "NOT_RUN", "INCONCLUSIVE", "PASS")
_MICRO: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class GatePlot:
    """A gate's plot and the table of the same units."""

    anchor: str
    heading: str
    rule: str
    drawn: Markup
    data: Table


def gate_table(facts: HeadFacts) -> Table:
    """Return every gate of every closed study, the worst first."""
    found = [(study, gate) for study in facts.studies for gate in study.record.judgements]
    return Table(
        caption="Gates, worst first: by state, then by margin as a share of the limit.",
        headers=("Gate", "State and reason", "Rule as locked", "Limit", "Observed", "Margin"),
        rows=[
            _row(facts, study, gate)
            for study, gate in sorted(found, key=lambda one: _badness(one[1]))
        ],
        empty="No gate was judged: there is no closed study on this head.",
    )


def gate_plots(study: StudyFacts) -> list[GatePlot]:
    """Return a plot for every gate of a study that has units."""
    return [_plot(study, gate) for gate in study.record.judgements if gate.observations]


def _row(facts: HeadFacts, study: StudyFacts, gate: Judgement) -> tuple[Cell, ...]:
    note = f"{gate.reason}: {explain(gate.reason).sentence}"
    return (
        Cell(
            gate.gate,
            f"#{_anchor(study, gate)}" if gate.observations else None,
            note=f"study {study.record.ordinal}, arm {gate.arm}, {gate.cell}, {gate.scope}, "
            f"role {gate.role}, kind {gate.kind}",
        ),
        state(
            gate.state,
            note=note,
            note_href=reason_page(gate.reason),
            below=cause_line_of(gate),
        ),
        code(gate.rule, note=_in_hours(gate)),
        number(limit_text(gate)),
        Cell(
            observed_text(gate),
            tone="number",
            note=f"{_what(gate)}{counts_text(gate)}",
            below=counted_text(facts, study, gate),
        ),
        number(room_text(gate), note=how_text(gate)),
    )


def _in_hours(gate: Judgement) -> str | None:
    """Return the times in a rule about jobs as hours; the rule itself stays as locked."""
    if gate.kind != "jobs":
        return None
    times = re.findall(r"(\d+) us", gate.rule)
    return "; ".join(f"{one} us is {hours(int(one))} (h:min:s)" for one in times) or None


def _what(gate: Judgement) -> str:
    return f"{DELAY}; " if gate.kind == "canary" else ""


def _badness(gate: Judgement) -> tuple[int, int, Fraction]:
    """Order gates: state, those with a margin first, then the margin against the limit's size."""
    place = _WORST_FIRST.index(gate.state)
    if gate.margin is None:
        return place, 1, Fraction(0)
    if is_infinite(gate.margin):
        return place, -1 if gate.margin.startswith("-") else 2, Fraction(0)
    margin = fraction_of(gate.margin)
    if gate.limit is None or is_infinite(gate.limit) or fraction_of(gate.limit) == 0:
        return place, 0, margin
    return place, 0, margin / abs(fraction_of(gate.limit))


def _anchor(study: StudyFacts, gate: Judgement) -> str:
    return f"study-{study.record.ordinal}-gate-{gate.gate}"


def _plot(study: StudyFacts, gate: Judgement) -> GatePlot:
    heading = f"{gate.gate}, arm {gate.arm}, {gate.cell}: {gate.state}"
    reasons = {slot.slot: slot.state for slot in study.record.slots}
    rows = [_unit_row(gate, one, reasons) for one in gate.observations]
    compared = gate.inference is not UNSET and gate.inference.margin is not None
    finite = gate.limit is not None and not is_infinite(gate.limit) and not compared
    strip = Strip(
        title=f"{heading}. {gate.rule}",
        unit=unit_text(gate.unit),
        limit=_scaled(gate.limit, gate.unit) if finite and gate.limit is not None else None,
        limit_text=limit_text(gate),
        rows=rows,
    )
    return GatePlot(
        anchor=_anchor(study, gate),
        heading=heading,
        rule=f"{gate.rule}. Drawn: {DELAY}" if gate.kind == "canary" else gate.rule,
        drawn=draw_strip(strip).to_markup(),
        data=_data(gate, reasons),
    )


def _unit_row(gate: Judgement, one: Observation, slots: Mapping[str, str]) -> Row:
    mark = _mark_of(one)
    interval = one.interval
    drawn = interval is not None and mark in {"value", "interval", "censored"}
    low = _scaled(interval.lo, gate.unit) if interval is not None and drawn else None
    high = _scaled(interval.hi, gate.unit) if interval is not None and mark == "interval" else None
    return Row(unit_name(one), mark, low, high, _said(gate, one, slots))


def _mark_of(one: Observation) -> Mark:
    interval = one.interval
    if interval is None or is_everything(interval):
        return "none"
    if is_infinite(interval.lo):
        return "never" if interval.lo == interval.hi else "none"
    if interval.lo == interval.hi:
        return "value"
    return "censored" if is_infinite(interval.hi) else "interval"


def _said(gate: Judgement, one: Observation, slots: Mapping[str, str]) -> str:
    where = f"slot {slots.get(one.slot, 'not planned')}"
    if _mark_of(one) == "none":
        return f"no value ({where})"
    return f"{interval_text(one.interval, gate.unit)} ({one.basis}, {where})"


def _data(gate: Judgement, slots: Mapping[str, str]) -> Table:
    return Table(
        caption=f"All {len(gate.observations)} planned units of {gate.gate}; limit "
        f"{limit_text(gate)}.",
        headers=("Unit", "Value", "Basis", "Slot"),
        rows=[
            (
                Cell(unit_name(one)),
                number(_value(gate, one), note=_told(gate, one)),
                _basis(one),
                Cell(slots.get(one.slot, "not planned")),
            )
            for one in gate.observations
        ],
    )


def _value(gate: Judgement, one: Observation) -> str:
    return NO_VALUE if _mark_of(one) == "none" else interval_text(one.interval, gate.unit)


def _told(gate: Judgement, one: Observation) -> str | None:
    return None if one.told is UNSET else told_text(one.told, gate.unit)


def _basis(one: Observation) -> Cell:
    """Return how a value is known; it may stand there and still decide nothing for PASS."""
    undecided = one.basis == "unknown" and _mark_of(one) != "none"
    text = "unknown: it cannot decide for PASS" if undecided else one.basis
    if one.why is UNSET:
        return Cell(text)
    return Cell(text, note=one.why, note_href=reason_page(one.why))


def _scaled(value: str, unit: str | None) -> Fraction:
    exact = fraction_of(value)
    return exact / _MICRO if unit == "us" else exact
