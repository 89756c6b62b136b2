# SPDX-License-Identifier: Apache-2.0
"""Captures of kind ``claim`` as a table: what another tool decided, and what that is bound to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from app.core.statement.capture import ClaimCapture
from app.core.verdict.numbers import NOT_RECORDED
from app.pages.views.recorded import Recorded, Row, table_of
from app.pages.views.table import Cell, Table, code

_HEADERS = (
    "Receipt", "Tool", "Its decision", "Its reasons", "Policy SHA-256", "Collector SHA-256",
    "Workload SHA-256",
)  # fmt: skip


def decisions_tables(about: str, lines: Sequence[Recorded]) -> list[Table]:
    """Return the table of other tools' decisions.

    Args:
        about: what they are of, for the caption.
        lines: receipts and slots of cells of claims.
    """
    caption = (
        f"{about}: decisions of other tools. Each is a claim, counted only where a locked gate "
        "names its digests."
    )
    return [table_of(lines, ClaimCapture, _row, caption=caption, headers=_HEADERS)]


def _row(line: Recorded, capture: ClaimCapture) -> Iterator[Row]:
    bound = (capture.policy_sha256, capture.collector_sha256, capture.workload_sha256)
    yield (
        Cell(line.label),
        Cell(f"{capture.tool.name} {capture.tool.version}"),
        Cell(capture.decision or NOT_RECORDED, note="a claim"),
        Cell(", ".join(capture.reason_codes) or "none given"),
        *(code(one or NOT_RECORDED) for one in bound),
    )
