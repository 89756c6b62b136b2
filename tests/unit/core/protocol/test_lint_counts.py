# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a gate holds is any JSON
"""Counts that mean nothing are refused, and the last that means something is not."""

from typing import Any

import pytest

from app.core.protocol.lint import lint
from app.core.protocol.lint_counts import MOST_REVIEWS
from app.core.statement.protocol_document import ProtocolDocument
from tests.patches import patched
from tests.results import CPU, LONG, checks_gate, jobs_gate, with_cells
from tests.reviews import review_document

SIX_HOURS = 6 * 3600 * 1000
"""Milliseconds of a slot of long work."""


def found(of: ProtocolDocument) -> list[tuple[str, str, str]]:
    codes = ("E_CANNOT_FAIL", "E_CANNOT_PASS")
    return [(one.code, one.pointer, one.formula) for one in lint(of) if one.code in codes]


def named_only(*names: str, **rule: Any) -> ProtocolDocument:
    cell = {**CPU, "suites": [], "named": list(names)}
    return with_cells(checks_gate(named=list(names), **rule), cells=[cell])


def checked(max_failed: int) -> ProtocolDocument:
    return with_cells(checks_gate(max_failed=max_failed), cells=[CPU])


def long(**rule: Any) -> ProtocolDocument:
    return with_cells(jobs_gate(**rule), cells=[LONG])


ALLOWANCE_MS = checked(0).reservation.allowance_us // 1000


@pytest.mark.parametrize(
    ("good", "bad", "code", "formula"),
    [
        (
            named_only("a", "b", max_failed=1),
            named_only("a", "b", max_failed=2),
            "E_CANNOT_FAIL",
            "2 >= 2 named results",
        ),
        (
            checked(ALLOWANCE_MS - 1),
            checked(ALLOWANCE_MS),
            "E_CANNOT_FAIL",
            f"{ALLOWANCE_MS} >= {ALLOWANCE_MS * 1000} us / 1000 us",
        ),
        (
            long(max_failed=SIX_HOURS - 1),
            long(max_failed=10**9),
            "E_CANNOT_FAIL",
            f"1000000000 >= {SIX_HOURS * 1000} us / 1000 us",
        ),
        (
            long(min_validated=SIX_HOURS),
            long(min_validated=SIX_HOURS + 1),
            "E_CANNOT_PASS",
            f"{SIX_HOURS + 1} > {SIX_HOURS * 1000} us / 1000 us",
        ),
        (
            review_document(MOST_REVIEWS),
            review_document(MOST_REVIEWS + 1),
            "E_CANNOT_PASS",
            "101 > 100 reviews",
        ),
    ],
)
def test_count_beyond_what_slots_can_come_to_is_refused_and_patched(
    good: ProtocolDocument, bad: ProtocolDocument, code: str, formula: str
) -> None:
    assert found(good) == []
    ((got, pointer, said),) = found(bad)
    assert (got, said) == (code, formula)
    assert pointer.startswith("/gates/0/rule/")
    (finding,) = (each for each in lint(bad) if each.code == code)
    assert found(patched(bad, finding.change)) == []


def test_cell_that_plans_nothing_is_told_that_and_no_more() -> None:
    assert found(with_cells(checks_gate(), cells=[{**CPU, "suites": [], "named": []}])) == []
