# SPDX-License-Identifier: Apache-2.0
"""Lint: arms differ in what the protocol says they differ in, and in nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, cast

from msgspec import UNSET, to_builtins
from msgspec.structs import replace

from app.core.canonical import JsonValue
from app.core.identity import ArmId
from app.core.protocol.finding import LintFinding
from app.core.protocol.lint_changes import add_assay, fresh_id
from app.core.protocol.lint_references import Rule, error, warning
from app.core.protocol.patch import Patch, append, put, remove
from app.core.statement.gate_record import GateRecord
from app.core.statement.protocol_document import ProtocolDocument


def candidates(document: ProtocolDocument) -> Iterator[LintFinding]:
    """Somebody must be judged."""
    if not any(arm.role == "candidate" for arm in document.arms):
        detail = (
            "No arm is a candidate, so no scope can be decided: decide which arm is asked about."
        )
        yield error("E_NO_CANDIDATE", "/arms", detail)


def return_controls(document: ProtocolDocument) -> Iterator[LintFinding]:
    """A return to the control is the control, setting by setting."""
    controls = [arm for arm in document.arms if arm.role == "control"]
    for index, arm in enumerate(document.arms):
        if arm.role != "return_control":
            continue
        pointer = f"/arms/{index}/settings"
        if not controls:
            detail = "A return control returns to a control, and the document has none."
            place = f"/arms/{index}/role"
            yield error("E_NO_CONTROL", place, detail, change=put(place, "control"))
        elif all(arm.settings != control.settings for control in controls):
            change = put(pointer, {**controls[0].settings})
            detail = "A return control has the settings of its control, every one of them."
            yield error("E_CONTROL_NOT_UNCHANGED", pointer, detail, change=change)


def differences(document: ProtocolDocument) -> Iterator[LintFinding]:
    """Arms differ only in the declared settings, and whatever is declared is published."""
    names = {name for arm in document.arms for name in arm.settings}
    differing = {
        name for name in names if len({arm.settings.get(name) for arm in document.arms}) > 1
    }
    if not differing <= set(document.varies):
        change = put("/varies", [*sorted(differing | set(document.varies))])
        detail = "Arms differ in a setting that is not declared to vary."
        yield error("E_UNDECLARED_DIFFERENCE", "/varies", detail, change=change)
    disclosed = set(document.disclosed_settings)
    if not names | set(document.varies) <= disclosed:
        wanted = sorted(disclosed | names | set(document.varies))
        change = put("/disclosed_settings", [*wanted])
        detail = "A setting that makes an arm what it is must be among the disclosed ones."
        yield error("E_UNDISCLOSED_SETTING", "/disclosed_settings", detail, change=change)


def expectations(document: ProtocolDocument) -> Iterator[LintFinding]:
    """Expectations stand on controls; a positive control is expected to FAIL."""
    roles = {arm.id: arm.role for arm in document.arms}
    for index, gate in enumerate(document.gates):
        role, pointer = roles.get(gate.population.arm), f"/gates/{index}/expect"
        if role == "candidate" and gate.expect is not UNSET:
            detail = "Nothing is expected of a candidate; it is what is asked about."
            yield error("E_EXPECT_ON_CANDIDATE", pointer, detail, change=remove(pointer))
        if role == "positive_control" and gate.role == "primary" and gate.expect != "FAIL":
            detail = "A positive control shows that the gate can fail, so it is expected to."
            change = put(pointer, "FAIL") + add_assay(document, gate, "FAIL")
            yield error("E_POSITIVE_CONTROL_UNEXPECTED", pointer, detail, change=change)


def assay(document: ProtocolDocument) -> Iterator[LintFinding]:
    """Nothing shows that the gates can fail."""
    expected = any(
        gate.expect == "FAIL" or (gate.kind == "assay" and gate.metric is not UNSET)
        for gate in document.gates
    )
    if not expected and not any(arm.role == "positive_control" for arm in document.arms):
        detail = (
            "No arm is expected to fail, so a PASS does not show that the test could have seen "
            "the failure: decide on a known-bad arm with an assay gate, or say so where PASS is "
            "quoted."
        )
        yield warning("W_NO_ASSAY_CONTROL", "/arms", detail)


def equalities(document: ProtocolDocument) -> Iterator[LintFinding]:
    """Who asks a candidate for one exact value asks its control for it too.

    Where two runs of an unchanged control differ by a blank line, a candidate that differs has
    shown nothing, and one that does not has passed by luck.
    """
    roles = {arm.id: arm.role for arm in document.arms}
    controls = [arm for arm, role in roles.items() if role == "control"]
    shown = {
        _asked(gate)
        for gate in document.gates
        if roles.get(gate.population.arm) == "control" and gate.expect == "PASS"
    }
    for index, gate in enumerate(document.gates):
        of_candidate = roles.get(gate.population.arm) == "candidate"
        counts = of_candidate and gate.role in ("primary", "secondary") and gate.kind == "equality"
        if counts and controls and _asked(gate) not in shown:
            detail = (
                "Nothing shows that an unchanged control gives that value each time: expect it of "
                "the control too, or a difference may be nobody's."
            )
            change = _expected_of(document, gate, controls[0])
            yield warning("W_NO_ASSAY_CONTROL", f"/gates/{index}", detail, change=change)


def _asked(gate: GateRecord) -> tuple[str, ...]:
    population = gate.population
    name = "" if gate.metric is UNSET else gate.metric.name
    return (gate.kind, gate.scope, population.cell, population.stream_role, name)


def _expected_of(document: ProtocolDocument, gate: GateRecord, control: ArmId) -> Patch:
    """Return the patch by which a control is asked the same, and an assay reads that it does."""
    population = replace(gate.population, arm=control)
    name = fresh_id(document, f"{gate.id}-{control}".lower())
    same = replace(gate, id=name, role="secondary", population=population, expect="PASS")
    assay = add_assay(document, same, "PASS")
    return append("/gates", cast("JsonValue", to_builtins(same))) + assay


RULES: Final[tuple[Rule, ...]] = (
    candidates,
    return_controls,
    differences,
    expectations,
    assay,
    equalities,
)
