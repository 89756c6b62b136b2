# SPDX-License-Identifier: Apache-2.0
"""What a code of the lint stands for, whatever document it was found in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class LintCode:
    """One rule.

    Attributes:
        sentence: what is wrong where it is found.
        formula: what holds where it is not found.
        found_by: the lint itself; the document's closed shape, which refuses such a document before
            the lint reads it; or the lint with a pilot's numbers (``protocol lint --power``).
        by_pilot: a pilot finds it where the document alone does not, so that a lock, which has no
            pilot, takes its acknowledgement and does not ask for it.
    """

    sentence: str
    formula: str
    found_by: Literal["lint", "shape", "power"] = "lint"
    by_pilot: bool = False
