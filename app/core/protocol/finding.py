# SPDX-License-Identifier: Apache-2.0
"""What the lint says about one place of a protocol."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from app.core.protocol.patch import Patch


@dataclass(frozen=True, slots=True)
class LintFinding:
    """A rule, where it is broken, and the smallest change that would heal it.

    Attributes:
        code: ``E_`` refuses the lock, ``W_`` must be acknowledged in it.
        pointer: RFC 6901 pointer into the document.
        detail: one or two sentences for a person.
        formula: the rule with this document's numbers in it; "" where there are none.
        change: a JSON Patch against the document; empty where only a person can decide.
    """

    code: str
    severity: Literal["error", "warning"]
    pointer: str
    detail: str
    formula: str = ""
    change: Patch = ()
