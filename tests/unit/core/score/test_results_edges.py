# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a slot is any value of it
"""Reported results where a count is missing, equal or zero; and who is blamed for a slot."""

from typing import Any

import msgspec

from app.core.protocol.plan import plan
from app.core.reason import Reason
from app.core.score.checks import failed_at_least
from app.core.score.jobs import work_of
from app.core.score.lattice import combine
from app.core.score.scored_slot import ScoredSlot
from app.core.score.state import State
from app.core.statement.capture import Capture
from app.core.statement.protocol_document import JobsCell
from tests.documents import document
from tests.judged_results import BROKEN, HELD, says
from tests.results import LONG, checks, checks_gate, claim, jobs, jobs_gate, lane, suite, with_cells


def test_suite_that_nobody_planned_and_nobody_counted_leaves_failures_open() -> None:
    other = msgspec.structs.replace(suite(failed=None, skipped=0), name="another")
    assert says(checks_gate(), checks(suites=[suite()])) == HELD
    assert says(checks_gate(), checks(suites=[suite(), other])) == ("INCONCLUSIVE", "NOT_TESTED")


def test_suite_of_which_as_many_failed_as_passed_was_tested() -> None:
    even = checks(suites=[suite(passed=2, failed=2)], named=checks().named)
    assert says(checks_gate(max_failed=2), even) == HELD
    assert says(checks_gate(max_failed=1), even) == BROKEN
    nothing = checks(suites=[suite(passed=0, failed=0)])
    assert says(checks_gate(), nothing) == ("INCONCLUSIVE", "NOT_TESTED")


def test_failures_are_the_more_of_those_counted_and_those_named() -> None:
    assert failed_at_least(checks()) == 0
    assert failed_at_least(checks(suites=[suite(failed=3), suite(failed=None)])) == 3


def test_lane_lasts_from_its_start_to_its_end() -> None:
    (cell,) = with_cells(jobs_gate(), cells=[LONG]).cells
    assert isinstance(cell, JobsCell)
    lanes = [lane(1, started_us=500), lane(0, started_us=100, ended_us=None)]
    told = work_of(msgspec.structs.replace(jobs(), lanes=lanes), cell)
    assert (told.planned, told.resolution_us) == (2, jobs().clock.resolution_us)
    tallies = told.lanes
    assert [(each.lane, each.ended) for each in tallies] == [(0, False), (1, True)]
    assert tallies[0].duration_us is None
    assert tallies[1].duration_us == (lane().ended_us or 0) - 500


def test_one_of_several_is_enough_where_nobody_says_how_many() -> None:
    assert combine([State.PASS, State.FAIL], mode="k_of_n") is State.PASS
    assert combine([State.PASS, State.FAIL], mode="k_of_n", k=2) is State.FAIL
    assert combine([State.PASS, State.FAIL, State.INVALID], mode="any") is State.PASS


def test_only_a_failed_warm_up_is_blamed_past_its_first_reason() -> None:
    planned = plan(document())[0]
    reasons = (Reason.WARMUP_NOT_COMPLETED, Reason.HARNESS_FAULT)
    cold = ScoredSlot(planned, "WARMUP_FAILED", "harness", reasons, ())
    assert cold.why is Reason.HARNESS_FAULT
    other = ScoredSlot(planned, "INVALID", "harness", reasons, ())
    assert other.why is Reason.WARMUP_NOT_COMPLETED
    assert ScoredSlot(planned, "WARMUP_FAILED", None, reasons[:1], ()).why is reasons[0]
    assert ScoredSlot(planned, "MISSING", None, (), ()).why is None


def test_boot_is_that_of_the_one_capture_of_a_measured_slot() -> None:
    planned = plan(document())[0]

    def boot(state: Any, *captures: Capture) -> str | None:
        return ScoredSlot(planned, state, None, (), captures).boot

    assert boot("COMPLETE", jobs(boot_id="boot-7")) == "boot-7"
    assert boot("FAILED", jobs(boot_id="boot-7")) == "boot-7"
    assert boot("COMPLETE", claim()) is None
    assert boot("FAILED") is None
    assert boot("INVALID", jobs(boot_id="boot-7")) is None
    assert boot("MISSING") is None
