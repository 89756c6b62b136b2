# SPDX-License-Identifier: Apache-2.0
"""What the lint says about one place of a protocol."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class LintFinding:
    """A rule, where it is broken, and the smallest change that would heal it.

    Attributes:
        code: ``E_`` refuses the lock, ``W_`` must be acknowledged in it.
        pointer: RFC 6901 pointer into the document.
        detail: one or two sentences for a person.
        formula: the rule with this document's numbers in it; "" where there are none.
        change: JSON that can be pasted at the pointer or into it; "" where only a person can say.
    """

    code: str
    severity: Literal["error", "warning"]
    pointer: str
    detail: str
    formula: str = ""
    change: str = ""
