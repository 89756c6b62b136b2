# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a rule is any value of it
"""What one capture of checks says: by counts, by name, and by what was not tested at all."""

from typing import Any, cast

import msgspec
import pytest

from app.core.protocol.gate import parse_gates
from app.core.protocol.gate_results import ChecksGate
from app.core.reason import Reason
from app.core.score.checks import observe_checks, tally_of
from app.core.score.observed import unknown, zero_or_one
from app.core.statement.capture import ChecksCapture
from app.core.statement.protocol_document import ChecksCell
from app.core.statement.tally import NotPassed
from tests.results import CPU, checks, checks_gate, named, suite, with_cells

YES, NO, OPEN = zero_or_one(value=True), zero_or_one(value=False), unknown(Reason.NOT_TESTED)
BOTH = ["helper-v5", "round-trip"]


def rule_of(suites: Any = ("repository",), **rule: Any) -> tuple[ChecksGate, ChecksCell]:
    of = with_cells(checks_gate(**rule), cells=[{**CPU, "suites": list(suites)}])
    return cast("ChecksGate", parse_gates(of)[0]), cast("ChecksCell", of.cells[0])


def observed(
    capture: ChecksCapture, *, failed: bool = False, suites: Any = ("repository",), **rule: Any
) -> Any:
    gate, cell = rule_of(suites, **rule)
    return observe_checks(gate, capture, cell, failed=failed)


@pytest.mark.parametrize(
    ("result", "finished", "failed"),
    [
        ("passed", YES, YES),
        ("failed", NO, NO),
        ("skipped", OPEN, OPEN),
        ("not_run", OPEN, NO),
        (None, OPEN, NO),
    ],
)
def test_check_demanded_by_name_passes_by_nothing_else(
    result: str | None, finished: Any, failed: Any
) -> None:
    given = [named("helper-v5"), *([] if result is None else [named("round-trip", result)])]
    capture = checks(named=given)
    assert observed(capture, max_failed=1, named=BOTH) == finished
    assert observed(capture, max_failed=1, named=BOTH, failed=True) == failed


def test_check_that_failed_was_tested_and_one_that_was_skipped_was_not() -> None:
    whole = [suite(skipped=0)]
    bad = checks(suites=whole, named=[named("helper-v5"), named("round-trip", "failed")])
    assert observed(bad, max_failed=1, allowed_skips=0) == YES
    assert observed(bad, max_failed=0, allowed_skips=0) == NO
    left = checks(suites=whole, named=[named("helper-v5"), named("round-trip", "skipped")])
    assert observed(left, max_failed=1, allowed_skips=0) == OPEN
    assert observed(left, max_failed=1, allowed_skips=1) == YES


def test_cell_that_plans_no_suite_and_gate_that_names_no_check_test_nothing() -> None:
    assert observed(checks(), suites=()) == OPEN
    assert observed(checks(), suites=(), named=BOTH) == YES


def test_tally_is_of_the_suites_or_of_the_names_where_there_are_none() -> None:
    assert counts(checks()) == (379, 0, 65)
    given = [named("a"), named("b"), named("c", "failed"), named("d", "skipped")]
    assert counts(checks(suites=[], named=given)) == (2, 1, 1)
    unread = checks(suites=[suite(), suite(passed=None, failed=1, skipped=None)])
    assert counts(unread) == (None, 1, None)
    assert tally_of(*rule_of(), unread).suites == unread.suites


def counts(capture: ChecksCapture) -> tuple[int | None, ...]:
    told = tally_of(*rule_of(), capture)
    return told.passed, told.failed, told.not_tested


def test_every_name_that_did_not_pass_is_told_whoever_asked_for_it() -> None:
    gate, cell = rule_of(named=["asked", "a"])
    planned = msgspec.structs.replace(cell, named=["planned", "b"])
    given = [named("a"), named("b", "failed"), named("c", "skipped"), named("d", "not_run")]
    assert [(each.id, each.result) for each in not_passed(gate, planned, given)] == [
        ("asked", "not_run"),
        ("b", "failed"),
        ("c", "skipped"),
        ("d", "not_run"),
        ("planned", "not_run"),
    ]
    assert not_passed(*rule_of(), [named(each) for each in (*BOTH, "a")]) == []


def not_passed(gate: ChecksGate, cell: ChecksCell, given: Any) -> list[NotPassed]:
    return tally_of(gate, cell, checks(named=given)).not_passed
