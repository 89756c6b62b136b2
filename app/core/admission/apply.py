# SPDX-License-Identifier: Apache-2.0
"""One entry joins its line: a pure fold that never refuses, shared by every reader of the log."""

from __future__ import annotations

from app.core.admission.state import Standing
from app.core.statement.capture import StreamsCapture
from app.core.statement.entry import Entry


def apply(standing: Standing, entry: Entry, capture: StreamsCapture | None = None) -> Standing:
    """Return the standing after ``entry``.

    An entry of a line that ``standing`` does not hold changes nothing.

    Args:
        standing: the three lines before it.
        entry: the leaf and the statement it names.
        capture: of a receipt; None where it is sealed or of a kind this reader does not know.
    """
    raise NotImplementedError
