# SPDX-License-Identifier: Apache-2.0
"""Findings about single gate records."""

from __future__ import annotations

from app.core.protocol.finding import LintFinding


def required(pointer: str, what: str) -> LintFinding:
    """Return that a member is missing which the kind demands."""
    return finding("E_GATE_MEMBER_MISSING", pointer, f"This kind of gate must say {what}.")


def finding(code: str, pointer: str, detail: str, change: str = "") -> LintFinding:
    """Return that a gate cannot be judged as written."""
    return LintFinding(code, "error", pointer, detail, change=change)
