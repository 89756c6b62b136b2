# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a gate or a capture is any JSON
"""What gates on checks, files and other tools' decisions say of their slots."""

from typing import Any

import pytest

from app.core.protocol.plan import plan
from app.core.reason import Reason
from app.core.score.judge import ScoredSlot, judge_study
from app.core.statement.capture import Suite
from app.core.statement.protocol_document import ProtocolDocument
from app.core.statement.tally import CheckTally, NotPassed, Told
from tests import facts
from tests.documents import digest
from tests.gates import integrity
from tests.judged_results import BROKEN, COMPLETE, FAILED, HELD, NOTHING, Said, State, judged, says
from tests.results import (
    CPU,
    DECIDED,
    DIGESTS,
    HELPER,
    HELPER_FOUND,
    LONG,
    checks,
    checks_gate,
    claim,
    claim_gate,
    jobs_gate,
    named,
    registry_gate,
    suite,
    with_cells,
)
from tests.scores import said, scope

CONFLICT: State = ("INVALID", None, (Reason.CONFLICTING_RECEIPTS,))
UNBOUND: State = ("INVALID", "identity", (Reason.DECISION_NOT_BOUND,))


OPEN = ("INCONCLUSIVE", "NOT_TESTED")


# ---- checks ----


def test_a4_cpu_suites_pass_with_their_skips_shown_as_not_tested() -> None:
    of = with_cells(checks_gate(), cells=[CPU])
    score = judged(of, {"A": checks(), "B": checks()})
    (judgement,) = score.judgements
    assert said(judgement) == HELD
    assert said(scope(score)) == ("PASS", "ALL_GATES_PASS")
    (unit,) = judgement.observations
    tally = CheckTally(passed=379, failed=0, not_tested=65, suites=checks().suites, not_passed=[])
    assert unit.told == Told(checks=tally)
    assert judgement.rule == "failed <= 0, skipped <= 65, in every slot of B/cpu"
    assert (judgement.unit, judgement.limit, judgement.margin) == (None, None, None)


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ((379, 1, 65), BROKEN),
        ((379, None, 65), OPEN),
        ((379, 0, 66), OPEN),
        ((379, 0, None), OPEN),
        ((379, 1, None), BROKEN),
        ((1, 0, 0), HELD),
        ((0, 0, 65), OPEN),
        ((0, 0, 0), OPEN),
        ((None, 0, 0), OPEN),
        ((None, 1, 0), BROKEN),
    ],
)
def test_checks_at_each_limit(counts: Any, expected: Said) -> None:
    assert says(checks_gate(), checks(suites=[suite(*counts)])) == expected


def test_so_many_may_fail_as_the_lock_allows_and_no_more() -> None:
    one = checks_gate(max_failed=1)
    assert says(one, checks(suites=[suite(10, 1)])) == HELD
    assert says(one, checks(suites=[suite(10, 2)])) == BROKEN
    other = Suite(name="unplanned", passed=0, failed=1, skipped=0)
    assert says(one, checks(suites=[suite(10, 1), other])) == BROKEN


def test_planned_suite_that_is_not_there_is_unknown() -> None:
    assert says(checks_gate(), checks(suites=[])) == OPEN


@pytest.mark.parametrize(
    ("result", "expected"),
    [("passed", HELD), ("failed", BROKEN), ("skipped", OPEN), ("not_run", OPEN), (None, OPEN)],
)
def test_each_named_result_passes_or_the_gate_does_not(result: Any, expected: Said) -> None:
    held = [] if result is None else [named("round-trip", result)]
    rule = checks_gate(named=["round-trip"])
    assert says(rule, checks(named=[HELPER_FOUND, *held])) == expected
    assert says(rule, checks(named=[HELPER_FOUND, *held]))[0] == expected[0]


def test_failures_by_name_are_failures_whatever_the_suites_count() -> None:
    assert says(checks_gate(), checks(named=[named("other", "failed")])) == BROKEN


def test_named_results_alone_are_counted_by_name() -> None:
    only = {**CPU, "suites": []}
    three = [named("helper-v5"), named("round-trip", "skipped"), named("more", "failed")]
    of = with_cells(checks_gate(max_failed=1, named=["helper-v5"]), cells=[only])
    (judgement,) = judged(of, {"B": checks(suites=[], named=three)}).judgements
    assert judgement.state == "PASS"
    tally = CheckTally(
        passed=1,
        failed=1,
        not_tested=1,
        suites=[],
        not_passed=[
            NotPassed(id="more", result="failed"),
            NotPassed(id="round-trip", result="skipped"),
        ],
    )
    assert judgement.observations[0].told == Told(checks=tally)
    nothing = with_cells(checks_gate(), cells=[only])
    assert said(judged(nothing, {"B": checks(suites=[], named=[])}).judgements[0]) == OPEN


def test_what_did_not_run_because_the_server_failed_is_its_failure() -> None:
    rule = checks_gate(named=["round-trip"])
    assert says(rule, checks(suites=[]), FAILED) == BROKEN
    assert says(rule, checks(named=[named("round-trip", "not_run")]), FAILED) == BROKEN
    assert says(rule, checks(named=[named("round-trip", "skipped")]), FAILED) == OPEN
    assert says(registry_gate(), checks(named=[]), FAILED) == ("FAIL", "ARTIFACT_DIFFERS")
    assert says(rule, (), FAILED)[0] == "NOT_RUN"


def test_failed_slot_without_a_capture_fails_what_it_should_have_reported() -> None:
    of = with_cells(checks_gate(), cells=[CPU])
    slots = [ScoredSlot(each, *FAILED, ()) for each in plan(of)]
    assert said(judge_study(of, slots).judgements[0]) == BROKEN


def test_checks_that_nobody_ran_are_not_run() -> None:
    of = with_cells(checks_gate(), cells=[CPU])
    assert said(judged(of, {}).judgements[0]) == ("NOT_RUN", "NO_MEASURED_SLOT")


def test_l20_cpu_pass_leaves_other_scopes_not_run() -> None:
    live = integrity() | {"population": {**jobs_gate()["population"]}, "scope": "endurance"}
    of = with_cells(checks_gate(), live, jobs_gate() | {"scope": "endurance"}, cells=[CPU, LONG])
    whole = ProtocolDocument(
        **{name: getattr(of, name) for name in of.__struct_fields__ if name != "scopes"},
        scopes=[*of.scopes, live["scope"]],
    )
    slots = [
        ScoredSlot(each, *COMPLETE, (checks(),))
        if each.cell == "cpu"
        else ScoredSlot(each, *NOTHING, ())
        for each in plan(whole)
    ]
    states = {each.scope: each.state for each in judge_study(whole, slots).scopes}
    assert states == {"cpu": "PASS", "endurance": "NOT_RUN"}


def test_conflicting_receipts_fail_by_their_hull_and_never_pass() -> None:
    bad = checks(suites=[suite(1, 1)])
    assert says(checks_gate(), (bad, bad), CONFLICT) == BROKEN
    assert says(checks_gate(), (checks(), bad), CONFLICT) == ("INVALID", "CONFLICTING_RECEIPTS")
    assert says(checks_gate(), (bad, facts.capture()), CONFLICT)[0] == "INVALID"


# ---- files ----


@pytest.mark.parametrize(
    ("artifact", "expected"),
    [
        ({}, ("PASS", "ARTIFACTS_AS_REGISTERED")),
        ({"size": 4095}, ("FAIL", "ARTIFACT_DIFFERS")),
        ({"sha256": digest("drifted")}, ("FAIL", "ARTIFACT_DIFFERS")),
        (None, OPEN),
    ],
)
def test_registered_file_has_its_bytes(artifact: Any, expected: Said) -> None:
    found = {"sha256": HELPER["sha256"], "size": HELPER["size"]}
    held = None if artifact is None else found | artifact
    assert says(registry_gate(), checks(named=[named("helper-v5", artifact=held)])) == expected


def test_registered_file_that_nobody_reported_is_unknown() -> None:
    assert says(registry_gate(), checks(named=[])) == OPEN


# ---- another tool's decision ----


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("PASS", ("PASS", "TOOL_DECIDED_PASS")),
        ("FAIL", ("FAIL", "TOOL_DECIDED_FAIL")),
        ("REGRESSION", ("FAIL", "TOOL_DECIDED_FAIL")),
        ("INCONCLUSIVE", ("INCONCLUSIVE", "TOOL_UNDECIDED")),
        ("ERROR", ("INCONCLUSIVE", "TOOL_UNDECIDED")),
    ],
)
def test_decision_of_a_tool_is_its_own_word(word: str, expected: Said) -> None:
    of = with_cells(claim_gate(), cells=[DECIDED])
    (judgement,) = judged(of, {"B": claim(word)}).judgements
    assert said(judgement) == expected
    assert judgement.observations[0].told == Told(decision=word)
    assert judgement.rule.startswith(f"decided PASS by policy {DIGESTS['policy_sha256'][:12]}")


@pytest.mark.parametrize("word", ["DESCRIPTIVE", "pass", "OK", "0", "PASSED", None])
def test_l22_label_that_is_no_result_evaluates_no_gate(word: str | None) -> None:
    expected = ("NOT_RUN", "NO_GATE_EVALUATED")
    assert says(claim_gate(), claim(word)) == expected
    of = with_cells(claim_gate(), cells=[DECIDED])
    score = judged(of, {"A": claim("PASS"), "B": claim(word)})
    assert scope(score).state == "NOT_RUN"


def test_decision_on_other_digests_is_invalid_and_never_a_pass() -> None:
    other = claim(policy_sha256=digest("other"))
    assert says(claim_gate(), other, UNBOUND) == ("INVALID", "DECISION_NOT_BOUND")
    assert says(claim_gate(), other) == ("INVALID", "DECISION_NOT_BOUND")
