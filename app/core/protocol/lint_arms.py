# SPDX-License-Identifier: Apache-2.0
"""Lint: arms differ in what the protocol says they differ in, and in nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec import UNSET

from app.core.protocol.finding import LintFinding
from app.core.protocol.lint_changes import add_assay
from app.core.protocol.lint_references import Rule, error, warning
from app.core.protocol.patch import put, remove
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


RULES: Final[tuple[Rule, ...]] = (
    candidates,
    return_controls,
    differences,
    expectations,
    assay,
)
