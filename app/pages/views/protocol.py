# SPDX-License-Identifier: Apache-2.0
"""A protocol in words and tables: what was declared before anything ran."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from app.core.canonical import canonical
from app.core.protocol.amend import Amended
from app.core.protocol.cells import streams_cells
from app.core.protocol.finding import LintFinding
from app.core.protocol.gate import parse_gates
from app.core.protocol.plan import plan
from app.core.protocol.wording import rule_text
from app.core.statement.gate_record import EventOf
from app.core.statement.protocol_document import (
    FaultRow,
    PlannedStream,
    ProtocolDocument,
    StatusRange,
    StreamsCell,
)
from app.core.verdict.numbers import duration, seconds
from app.pages.views.table import Cell, Table, code, number


def summary_lines(document: ProtocolDocument) -> list[str]:
    """Return the rules that are no table, one sentence each."""
    shape = document.conditions.topology
    tools = ", ".join(f"{one.name} {one.version}" for one in document.conditions.harness)
    stops = " or ".join(one.replace("_", " is ") for one in document.stop_rule.on)
    reservation = document.reservation
    every = (
        f"Every capture comes from {shape.nodes} nodes with {shape.gpu_model}, tensor parallel "
        f"{shape.tensor_parallel}, and from one of: {tools}."
    )
    reserved = (
        f"At most {reservation.ahead_max} slots stand reserved at once, each for "
        f"{duration(reservation.allowance_us)}; a study is open for at most "
        f"{duration(document.window.max_us)}."
    )
    stopped = (
        f"No further slot may be reserved once a {stops}."
        if stops
        else "No slot state forbids further reservations."
    )
    return [
        f"Scopes: {', '.join(document.scopes)}. Scoring rules: number {document.scoring}.",
        f"Planned slots: {len(plan(document))}; arms run in the order {', '.join(document.order)}.",
        f"Arms may differ in {', '.join(document.varies) or 'nothing'}, and in nothing else.",
        every,
        reserved,
        stopped,
        _retry_text(document),
        f"Up to {document.max_void_studies} void studies on a head do not count.",
        f"Captures are bound to their challenge: {' or '.join(document.binding)}.",
        f"Requests go to {document.endpoint_path} with {_settings(document.request_controls)}.",
        f"Prompts come from {document.workload.generator}, sha256 {document.workload.sha256}.",
    ]


def arms_table(document: ProtocolDocument) -> Table:
    """Return the arms."""
    return Table(
        caption="Arms: fixed deployments.",
        headers=("Arm", "Role", "Settings"),
        rows=[
            (Cell(arm.id), Cell(arm.role.replace("_", " ")), code(_settings(arm.settings)))
            for arm in document.arms
        ],
    )


def cells_table(document: ProtocolDocument) -> Table:
    """Return the load shapes and their streams."""
    return Table(
        caption="Cells: load shapes, stream by stream.",
        headers=("Stream", "Repetitions", "Prompt tokens", "Output tokens", "Starts", "Slot ends"),
        rows=[
            _stream_row(cell, stream)
            for _, cell in streams_cells(document)
            for stream in cell.streams
        ],
    )


def gates_table(document: ProtocolDocument) -> Table:
    """Return the gates with their rules as locked."""
    return Table(
        caption="Gates: what is demanded, before anything is known.",
        headers=("Gate", "Rule", "Kind and role", "Scope", "Arm and cell", "Observed units needed"),
        rows=[
            (
                Cell(gate.id),
                code(rule_text(gate)),
                Cell(f"{gate.demand.kind}, {gate.role}"),
                Cell(gate.scope),
                Cell(f"{gate.population.arm} {gate.population.cell}"),
                number(str(gate.demand.required_n or "every planned one")),
            )
            for gate in parse_gates(document)
        ],
    )


def faults_table(document: ProtocolDocument) -> Table:
    """Return the fault table: the first row whose facts hold decides."""
    return Table(
        caption="Fault table: facts and whose fault they are; the first row that fits decides.",
        headers=("Row", "Phase", "HTTP status", "Error", "Container", "Fault"),
        rows=[_fault_row(n, row) for n, row in enumerate(document.fault_table, start=1)],
    )


def lint_table(findings: Sequence[LintFinding]) -> Table:
    """Return what the linter says of the document, by the rules of this version."""
    return Table(
        caption="Remarks of the linter of this version.",
        headers=("Code", "Severity", "Where", "What it means"),
        rows=[
            (
                code(one.code),
                Cell(one.severity),
                code(one.pointer or "the whole document"),
                Cell(one.detail, note=one.formula or None),
            )
            for one in findings
        ],
        empty="The linter has no remark.",
    )


def amended_table(changes: Sequence[Amended]) -> Table:
    """Return what a later version changes, and which way."""
    return Table(
        caption="Every place that differs; a demand is tightened, loosened or changed.",
        headers=("Where", "Before", "After", "Which way"),
        rows=[
            (
                Cell(one.where),
                code("nothing" if one.before is None else canonical(one.before).decode()),
                code("nothing" if one.after is None else canonical(one.after).decode()),
                Cell(one.direction),
            )
            for one in changes
        ],
        empty="No place differs.",
    )


def _stream_row(cell: StreamsCell, stream: PlannedStream) -> tuple[Cell, ...]:
    prompt = stream.prompt_tokens
    expected = stream.expected_answer
    answer = None if expected is None else f"expected answer: {expected}"
    exact = "exactly" if stream.exact_output else "at most"
    return (
        Cell(f"{cell.id} {stream.role}, lane {stream.lane}", note=answer),
        number(str(cell.repetitions)),
        number(f"{prompt.target:,} ± {prompt.tolerance:,}"),
        number(f"{exact} {stream.max_output_tokens:,}"),
        Cell(_start_text(stream)),
        Cell(_end_text(cell)),
    )


def _start_text(stream: PlannedStream) -> str:
    starts = stream.starts
    if isinstance(starts.after, EventOf):
        delay = starts.delay_us if isinstance(starts.delay_us, int) else None
        behind = "right" if delay is None else seconds(delay)
        return f"{behind} after {_event(starts.after)}"
    return starts.at.replace("_", " ") if isinstance(starts.at, str) else "at once"


def _end_text(cell: StreamsCell) -> str:
    ends = cell.ends
    cancels = "".join(
        f"; {one.stream_role} is cancelled {seconds(one.grace_us)} after {_event(one.after)}"
        for one in ends.cancels
    )
    meaning = f", which counts as {ends.cancel_is}" if ends.cancels else ""
    before = "; ".join(f"{_event(o.left)} {o.op} {_event(o.right)}" for o in cell.preconditions)
    only = f". Only if {before}" if before else ""
    return f"deadline {seconds(ends.slot_deadline_us)}{cancels}{meaning}{only}"


def _fault_row(position: int, row: FaultRow) -> tuple[Cell, ...]:
    anything = Cell("any", tone="quiet")
    status = row.http_status
    return (
        Cell(str(position)),
        Cell(row.phase),
        Cell(f"{status.first} to {status.last}") if isinstance(status, StatusRange) else anything,
        Cell(row.error) if isinstance(row.error, str) else anything,
        Cell(row.container) if isinstance(row.container, str) else anything,
        Cell(row.fault),
    )


def _retry_text(document: ProtocolDocument) -> str:
    retry = document.retry
    if retry.max_per_slot == 0 or not retry.only:
        return "No slot may be tried again."
    codes = ", ".join(f"{one.phase} HTTP {one.http_status}" for one in retry.only)
    return f"A slot may be tried {retry.max_per_slot} more time, only after: {codes}."


def _event(event: EventOf) -> str:
    return f"{event.stream_role}.{event.event}"


def _settings(settings: Mapping[str, str]) -> str:
    return ", ".join(f"{name}={value}" for name, value in settings.items()) or "nothing"
