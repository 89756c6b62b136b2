# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a capture is any JSON
"""What receipts with captures of checks, jobs and claims make of their slots."""

from typing import Any

import pytest
from msgspec.structs import replace

from app.core.protocol.plan import plan, planned_slots
from app.core.reason import Reason
from app.core.receipt.measuring import has_measured
from app.core.receipt.outcome import Outcome, outcome_of
from app.core.statement.capture import Capture, ChecksCapture, ClaimTool, Suite
from tests import facts, results
from tests.documents import SECOND_US, digest, document
from tests.results import (
    CELLS,
    CPU,
    DECIDED,
    ENDURANCE_US,
    GOOD,
    HOUR_US,
    LONG,
    checks,
    claim,
    claim_gate,
    engine,
    jobs,
    lane,
    named,
    observed,
    suite,
    with_cells,
)
from tests.unit.core.receipt.make import receipt, study

DOCUMENT = with_cells(claim_gate())
PINS = study()
LATE_US = 6 * HOUR_US


def outcome(capture: Capture, cell: str) -> Outcome:
    slot = next(each for each in plan(DOCUMENT) if each.id == f"B/{cell}/1")
    return outcome_of(receipt(slot.id), capture, document=DOCUMENT, study=PINS, slot=slot)


def state(capture: Capture, cell: str) -> tuple[str, str | None, Reason]:
    found = outcome(capture, cell)
    return found.state, found.fault, found.reasons[0]


COMPLETE = {
    "cpu": Reason.ALL_CHECKS_REPORTED,
    "long": Reason.ALL_LANES_ENDED,
    "decided": Reason.DECISION_BOUND,
}


@pytest.mark.parametrize("cell", COMPLETE)
def test_good_capture_of_every_kind_is_complete(cell: str) -> None:
    assert state(GOOD[cell], cell) == ("COMPLETE", None, COMPLETE[cell])
    assert outcome(GOOD[cell], cell).measured
    assert has_measured(GOOD[cell])
    assert has_measured(facts.capture())


def test_l20_capture_of_another_kind_than_its_cell_is_invalid() -> None:
    others: dict[str, Capture] = {**GOOD, "streams": facts.capture()}
    for cell in GOOD:
        for kind, capture in others.items():
            if kind != cell:
                expected = ("INVALID", "harness", Reason.CAPTURE_OF_OTHER_KIND)
                assert state(capture, cell) == expected


def test_capture_of_checks_does_not_fill_a_slot_of_streams() -> None:
    locked = document()
    (slot,) = [each for each in plan(locked) if each.arm == "B"]
    found = outcome_of(receipt(slot.id), checks(), document=locked, study=PINS, slot=slot)
    assert (found.state, found.reasons) == ("INVALID", (Reason.CAPTURE_OF_OTHER_KIND,))


def test_identity_comes_first_for_every_kind() -> None:
    other = replace(PINS, arms={**PINS.arms, "B": replace(PINS.arms["B"], commit="a" * 40)})
    for cell, capture in GOOD.items():
        slot = next(each for each in plan(DOCUMENT) if each.id == f"B/{cell}/1")
        said = receipt(slot.id)
        found = outcome_of(said, capture, document=DOCUMENT, study=other, slot=slot)
        assert (found.state, found.fault) == ("INVALID", "identity")


def test_s17_unbound_challenge_is_a_doubt_for_every_kind() -> None:
    locked = replace(DOCUMENT, binding=["seeded"])
    for cell, capture in GOOD.items():
        slot = next(each for each in plan(locked) if each.id == f"B/{cell}/1")
        said = receipt(slot.id, binding="echoed")
        found = outcome_of(said, capture, document=locked, study=PINS, slot=slot)
        assert (found.state, found.reasons) == ("INVALID", (Reason.CHALLENGE_NOT_USED,))


def test_review_cell_plans_no_slot() -> None:
    review = {"capture": "review", "id": "read"}
    locked = with_cells(results.checks_gate(), cells=[CPU, review])
    assert planned_slots(locked) == len(plan(locked)) == 2
    assert {slot.cell for slot in plan(locked)} == {"cpu"}


# ---- checks ----


PARTS: list[ChecksCapture] = [
    checks(suites=[]),
    checks(suites=[suite(None, None, None)]),
    checks(named=[named("round-trip")]),
    checks(named=[named("helper-v5", "not_run"), named("round-trip")]),
]


@pytest.mark.parametrize("capture", PARTS)
def test_planned_check_that_was_not_reported_leaves_a_part(capture: ChecksCapture) -> None:
    assert state(capture, "cpu") == ("PARTIAL", "unknown", Reason.CHECKS_NOT_REPORTED)


def test_skipped_check_was_reported_and_an_unplanned_suite_changes_nothing() -> None:
    more = [suite(0, 0, 444), Suite(name="other", passed=None, failed=3, skipped=None)]
    skipped = [named("helper-v5", "skipped"), named("round-trip", "failed"), named("more")]
    assert state(checks(suites=more, named=skipped), "cpu")[0] == "COMPLETE"


def test_checks_of_which_none_ran_measured_nothing() -> None:
    nothing = checks(suites=[], named=[named("helper-v5", "not_run")], values=[])
    assert not has_measured(nothing)
    assert state(nothing, "cpu") == ("WARMUP_FAILED", "unknown", Reason.NOT_STARTED)
    assert not outcome(nothing, "cpu").measured
    assert has_measured(checks(suites=[], named=[]))  # a number was reported


def test_engine_that_exited_under_checks_is_a_failure_of_the_server() -> None:
    for identity in (engine(exited=True), engine(after="c-2")):
        nothing = checks(suites=[], named=[], values=[], observations=observed(identity))
        assert state(nothing, "cpu") == ("FAILED", "sut", Reason.SERVER_FAULT)


# ---- jobs ----


def test_lane_without_an_end_leaves_a_part() -> None:
    open_lane = lane(1, ended_us=None, observed_until_us=LATE_US - 2 * SECOND_US)
    assert state(jobs(lane(), open_lane), "long") == ("PARTIAL", "unknown", Reason.UNFINISHED_LANE)
    unstarted = lane(1, None, started_us=None, ended_us=None, failed=None)
    assert state(jobs(lane(), unstarted), "long")[2] is Reason.UNFINISHED_LANE


def test_lane_without_an_end_at_the_deadline_is_a_failure_of_the_server() -> None:
    for watched_us in (LATE_US - SECOND_US, LATE_US):  # one reading of the clock may be off
        late = lane(1, ended_us=None, observed_until_us=watched_us)
        assert state(jobs(lane(), late), "long") == ("FAILED", "sut", Reason.SERVER_FAULT)


@pytest.mark.parametrize("identity", [engine(exited=True), engine(after="c-2")])
def test_container_that_did_not_stay_is_a_failure_by_the_table(identity: Any) -> None:
    assert state(jobs(observations=observed(identity)), "long")[:2] == ("FAILED", "sut")


@pytest.mark.parametrize("fault", ["harness", "environment", "unknown", "identity"])
def test_whose_fault_a_restart_is_says_the_locked_table(fault: str) -> None:
    row = {"phase": "any", "container": "restarted", "fault": fault}
    locked = document(arms=("A", "B"), cells=[LONG], gates=[results.jobs_gate()], fault_table=[row])
    slot = next(each for each in plan(locked) if each.arm == "B")
    capture = jobs(observations=observed(engine(after="c-2")))
    found = outcome_of(receipt(slot.id), capture, document=locked, study=PINS, slot=slot)
    assert found.state == ("COMPLETE" if fault == "unknown" else "INVALID")
    assert found.fault == (None if fault == "unknown" else fault)


LANES = [
    (lane(),),
    (lane(), lane(1), lane(2)),
    (lane(), lane(2)),
]


@pytest.mark.parametrize("lanes", LANES)
def test_lane_left_out_or_not_planned_is_another_load(lanes: Any) -> None:
    expected = ("INVALID", "harness", Reason.LANES_NOT_AS_PLANNED)
    assert state(jobs(*lanes), "long") == expected


DISORDERED = [
    {"started_us": 10, "ended_us": 9},
    {"observed_until_us": ENDURANCE_US - 1},
    {"started_us": None},
    {"started_us": None, "ended_us": None, "validated": 1},
    {"longest_idle_us": ENDURANCE_US + 2 * SECOND_US + 1},
    {"validated": 4, "completed": 3},
]


@pytest.mark.parametrize("facts_of_lane", DISORDERED)
def test_lane_whose_times_contradict_one_another_measures_nothing(facts_of_lane: Any) -> None:
    assert state(jobs(lane(), lane(1, **facts_of_lane)), "long")[2] is Reason.CLOCK


def test_idle_time_may_be_off_by_two_readings() -> None:
    idle = lane(1, longest_idle_us=ENDURANCE_US + 2 * SECOND_US)
    assert state(jobs(lane(), idle), "long")[0] == "COMPLETE"


def test_jobs_of_which_no_lane_started_measured_nothing() -> None:
    nothing = {"started_us": None, "ended_us": None, "failed": None}
    unstarted = jobs(lane(0, None, **nothing), lane(1, None, **nothing))
    assert not has_measured(unstarted)
    assert state(unstarted, "long") == ("WARMUP_FAILED", "unknown", Reason.NOT_STARTED)


# ---- claims ----


@pytest.mark.parametrize("member", ["policy_sha256", "collector_sha256", "workload_sha256"])
@pytest.mark.parametrize("value", [None, digest("another")])
def test_decision_on_other_digests_is_no_evidence(member: str, value: str | None) -> None:
    expected = ("INVALID", "identity", Reason.DECISION_NOT_BOUND)
    assert state(claim(**{member: value}), "decided") == expected


@pytest.mark.parametrize("tool", [("thegrill", "0.1.0"), ("other", "0.2.0")])
def test_decision_of_another_tool_is_no_evidence(tool: tuple[str, str]) -> None:
    other = ClaimTool(name=tool[0], version=tool[1])
    assert state(claim(tool=other), "decided")[2] is Reason.DECISION_NOT_BOUND


def test_tool_without_a_decision_leaves_a_part() -> None:
    assert state(claim(None), "decided") == ("PARTIAL", "unknown", Reason.NO_DECISION)


def test_claim_cell_without_a_gate_asks_only_for_its_tool() -> None:
    locked = with_cells(results.checks_gate(), cells=[CPU, DECIDED])
    slot = next(each for each in plan(locked) if each.id == "B/decided/1")
    said = claim(policy_sha256=None)
    found = outcome_of(receipt(slot.id), said, document=locked, study=PINS, slot=slot)
    assert found.state == "COMPLETE"
    assert set(CELLS) == {"checks", "jobs", "claim"}
