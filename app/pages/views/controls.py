# SPDX-License-Identifier: Apache-2.0
"""A against A2: the same gate on the control and on the return to it, side by side.

Only what gates observed is set beside one another; no difference is computed here and none is
judged. A gate pair is two gates that demand the same of both arms.
"""

from __future__ import annotations

from app.core.statement.gate_record import GateRecord
from app.core.statement.judgement import Judgement
from app.core.statement.protocol_document import ProtocolDocument
from app.core.verdict.explain import cause_line_of
from app.core.verdict.judgement_text import counts_text, observed_text
from app.pages.facts import StudyFacts
from app.pages.views.table import Cell, Table, code, state


def controls_table(study: StudyFacts) -> Table:
    """Return one row per gate that the control and its return both have."""
    control, back = control_arms(study.state.document)
    if control is None or back is None:
        missing = "control" if control is None else "return to control"
        return Table(
            caption=f"{study.name}: control against return to control.",
            headers=(),
            rows=(),
            empty=f"{study.name}: the protocol has no {missing}, so drift during the study is not "
            "separated from what it tests.",
        )
    rows = [_row(first, second) for first, second in _pairs(study, control, back)]
    return Table(
        caption=f"{study.name}: {control} (control) against {back} (return to control). Nothing is "
        "judged here: these are the observations of the gates named.",
        headers=("Gates", "Rule as locked", f"{control} observed", f"{back} observed"),
        rows=rows,
        empty=f"{study.name}: no gate of this protocol is asked of both {control} and {back}, or "
        "none is judged yet: their streams stand in the plots above.",
    )


def control_arms(document: ProtocolDocument) -> tuple[str | None, str | None]:
    """Return the control and the arm that returns to it."""
    by_role = {arm.role: arm.id for arm in reversed(document.arms)}
    return by_role.get("control"), by_role.get("return_control")


def _pairs(study: StudyFacts, control: str, back: str) -> list[tuple[Judgement, Judgement]]:
    records = {gate.id: gate for gate in study.state.document.gates}
    judged = study.record.judgements
    second = {_asked(records[gate.gate]): gate for gate in judged if gate.arm == back}
    return [
        (gate, second[_asked(records[gate.gate])])
        for gate in judged
        if gate.arm == control and _asked(records[gate.gate]) in second
    ]


def _asked(gate: GateRecord) -> tuple[object, ...]:
    """Return what a gate asks, without the arm it asks it of."""
    population = gate.population
    return (
        gate.kind,
        population.cell,
        population.stream_role,
        population.phase,
        population.unit,
        repr(gate.metric),
        repr(gate.rule),
        gate.statistic,
    )


def _row(first: Judgement, second: Judgement) -> tuple[Cell, ...]:
    return (
        Cell(f"{first.gate} and {second.gate}"),
        code(first.rule),
        *(
            state(
                one.state,
                note=f"{observed_text(one)}; {counts_text(one)}",
                below=cause_line_of(one),
            )
            for one in (first, second)
        ),
    )
