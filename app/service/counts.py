# SPDX-License-Identifier: Apache-2.0
"""What one process has appended and refused since it started; nothing decides by it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(slots=True)
class Counts:
    """Counts of one process.

    Attributes:
        appended: statements by kind, those that the ledger itself signs among them.
        batches: commits by how many statements went in with them.
        refused: submitted statements that were not appended, by problem code.
    """

    appended: Counter[str] = field(default_factory=Counter)
    batches: Counter[int] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)

    def committed(self, kinds: Sequence[str]) -> None:
        """Count a batch that is durable."""
        self.appended.update(kinds)
        self.batches[len(kinds)] += 1
