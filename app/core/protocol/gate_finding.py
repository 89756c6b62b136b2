# SPDX-License-Identifier: Apache-2.0
"""Findings about single gate records."""

from __future__ import annotations

from app.core.protocol.finding import LintFinding
from app.core.protocol.patch import Patch


def required(pointer: str, what: str, change: Patch = ()) -> LintFinding:
    """Return that a member is missing which the kind demands."""
    ending = "." if change else ": decide it."
    detail = f"This kind of gate must say {what}{ending}"
    return finding("E_GATE_MEMBER_MISSING", pointer, detail, change)


def finding(code: str, pointer: str, detail: str, change: Patch = ()) -> LintFinding:
    """Return that a gate cannot be judged as written."""
    return LintFinding(code, "error", pointer, detail, change=change)
