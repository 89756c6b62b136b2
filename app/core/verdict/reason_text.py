# SPDX-License-Identifier: Apache-2.0
"""What one reason code says to a person: a sentence, a page, and who acts when nothing else says.

The texts never enter a verdict document: a better wording changes no signed byte. No text names a
cause of what was observed; a protocol establishes that something held or did not, never why.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Acts = Literal["maintainer", "runner", "reviewer", "nobody"]
"""The author is not among them: only a statement of a person can ask something of the author."""


@dataclass(frozen=True, slots=True)
class ReasonText:
    """The words for one code.

    Attributes:
        acts: the role that acts next when this reason decides and no statement names anybody.
        sentence: one sentence, fit for a table cell.
        page: what it means, what it does not mean, and what to do.
    """

    acts: Acts
    sentence: str
    page: str
