# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a gate or a capture is any JSON
"""What gates on checks, jobs, files, parity and other tools' decisions say of their slots."""

from typing import Any

import pytest
from msgspec import UNSET

from app.core.protocol.plan import plan
from app.core.reason import Reason
from app.core.score.judge import ScoredSlot, StudyScore, judge_study
from app.core.statement.capture import Capture, Event, ReportedValue, Suite
from app.core.statement.protocol_document import ProtocolDocument
from app.core.statement.tally import CheckTally, LaneTally
from tests import facts
from tests.documents import SECOND_US, digest
from tests.gates import identity, integrity
from tests.results import (
    CPU,
    DECIDED,
    DIGESTS,
    ENDURANCE_US,
    HELPER,
    HELPER_FOUND,
    HOUR_US,
    LONG,
    checks,
    checks_gate,
    claim,
    claim_gate,
    engine,
    equality_gate,
    gate,
    jobs,
    jobs_gate,
    lane,
    named,
    number,
    observed,
    parity_gate,
    registry_gate,
    suite,
    with_cells,
)
from tests.scores import said, scope

Said = tuple[str, str]
State = tuple[Any, Any, tuple[Reason, ...]]
COMPLETE: State = ("COMPLETE", None, (Reason.ALL_CHECKS_REPORTED,))
FAILED: State = ("FAILED", "sut", (Reason.SERVER_FAULT,))
CONFLICT: State = ("INVALID", None, (Reason.CONFLICTING_RECEIPTS,))
NOTHING: State = ("MISSING", None, (Reason.MISSING,))
UNBOUND: State = ("INVALID", "identity", (Reason.DECISION_NOT_BOUND,))


def judged(of: ProtocolDocument, captures: dict[str, Any], state: State = COMPLETE) -> StudyScore:
    """Judge a study whose slots hold ``captures`` by arm, each one or several."""
    slots = []
    for planned in plan(of):
        found = captures.get(planned.arm)
        held = found if isinstance(found, tuple) else () if found is None else (found,)
        slots.append(ScoredSlot(planned, *(state if held else NOTHING), held))
    return judge_study(of, slots)


def says(rule: Any, capture: Capture | tuple[Capture, ...], state: State = COMPLETE) -> Said:
    """Return what one gate says of a candidate's one slot."""
    (cell,) = [each for each in (CPU, LONG, DECIDED) if each["id"] == rule["population"]["cell"]]
    score = judged(with_cells(rule, cells=[cell]), {"B": capture, "A": capture}, state)
    return said(score.judgements[0])


HELD = ("PASS", "CHECKS_PASSED")
BROKEN = ("FAIL", "CHECK_FAILED")
OPEN = ("INCONCLUSIVE", "NOT_TESTED")


# ---- checks ----


def test_a4_cpu_suites_pass_with_their_skips_shown_as_not_tested() -> None:
    of = with_cells(checks_gate(), cells=[CPU])
    score = judged(of, {"A": checks(), "B": checks()})
    (judgement,) = score.judgements
    assert said(judgement) == HELD
    assert said(scope(score)) == ("PASS", "ALL_GATES_PASS")
    (unit,) = judgement.observations
    assert unit.checks == CheckTally(passed=379, failed=0, not_tested=65)
    assert (unit.lanes, unit.decision) == (UNSET, UNSET)
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
    tally = CheckTally(passed=1, failed=1, not_tested=1)
    assert judgement.observations[0].checks == tally
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


# ---- jobs ----


def test_endurance_holds_as_published() -> None:
    exact = ENDURANCE_US - SECOND_US
    rule = jobs_gate(min_duration_us=exact, min_validated=249)
    of = with_cells(rule, cells=[LONG])
    (judgement,) = judged(of, {"B": jobs()}).judgements
    assert said(judgement) == ("PASS", "LANES_HELD")
    (unit,) = judgement.observations
    assert unit.lanes == [
        LaneTally(lane=0, duration_us=ENDURANCE_US, validated=251, failed=0),
        LaneTally(lane=1, duration_us=ENDURANCE_US, validated=249, failed=0),
    ]
    assert "every lane lasts" in judgement.rule


SHORT = ("FAIL", "LANE_FELL_SHORT")
UNKNOWN = ("INCONCLUSIVE", "LANE_UNKNOWN")


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ({"min_validated": 250}, SHORT),
        ({"min_validated": 249}, ("PASS", "LANES_HELD")),
        ({"min_duration_us": ENDURANCE_US}, UNKNOWN),  # the clock cannot tell
        ({"min_duration_us": ENDURANCE_US - SECOND_US}, ("PASS", "LANES_HELD")),
        ({"min_duration_us": ENDURANCE_US + SECOND_US}, UNKNOWN),
        ({"min_duration_us": ENDURANCE_US + SECOND_US + 1}, SHORT),
    ],
)
def test_lanes_at_each_limit(rule: Any, expected: Said) -> None:
    assert says(jobs_gate(**rule), jobs()) == expected


@pytest.mark.parametrize(
    ("of_lane", "expected"),
    [
        ({"failed": 1}, SHORT),
        ({"failed": None}, UNKNOWN),
        ({"validated": None}, UNKNOWN),
        ({"ended_us": None}, UNKNOWN),
        ({"ended_us": None, "failed": 1}, SHORT),
        ({"ended_us": None, "validated": 0}, UNKNOWN),
        ({"started_us": None, "ended_us": None, "validated": None}, UNKNOWN),
    ],
)
def test_null_is_unknown_and_a_lane_without_an_end_may_go_on(of_lane: Any, expected: Said) -> None:
    validated = of_lane.get("validated", 249)
    rest = {name: value for name, value in of_lane.items() if name != "validated"}
    assert says(jobs_gate(), jobs(lane(), lane(1, validated, **rest))) == expected


def test_lane_without_an_end_after_a_server_failure_has_not_done_its_work() -> None:
    assert says(jobs_gate(), jobs(lane(), lane(1, 249, ended_us=None)), FAILED) == SHORT
    assert says(jobs_gate(), jobs(lane()), FAILED) == SHORT
    assert says(jobs_gate(), jobs(lane(), lane(1, None)), FAILED) == UNKNOWN
    assert says(jobs_gate(), jobs(lane())) == UNKNOWN


def test_other_kind_of_capture_says_nothing_of_jobs() -> None:
    assert says(jobs_gate(), checks()) == ("INCONCLUSIVE", "MISSING_UNDECIDED")
    (unit,) = (
        judged(with_cells(jobs_gate(), cells=[LONG]), {"B": checks()}).judgements[0].observations
    )
    assert (unit.checks, unit.lanes, unit.decision) == (UNSET, UNSET, UNSET)


# ---- integrity beside them ----


def of_cell(made: Any, cell: Any) -> Any:
    population = {**made["population"], "cell": cell["id"], "stream_role": "any"}
    return {**made, "population": population, "scope": "cpu"}


def beside(rule: Any, capture: Capture, name: str = "restarts") -> list[Said]:
    (cell,) = [each for each in (CPU, LONG, DECIDED) if each["id"] == rule["population"]["cell"]]
    of = with_cells(rule, of_cell(integrity(name), cell), cells=[cell])
    return [said(each) for each in judged(of, {"A": capture, "B": capture}).judgements]


def test_counters_of_checks_and_jobs_are_read_by_integrity_gates() -> None:
    held = ("PASS", "BOUND_HELD")
    good = observed(engine(), counters={"restarts": 0, "oom": 0})
    assert beside(checks_gate(), checks(observations=good)) == [HELD, held]
    assert beside(jobs_gate(), jobs(observations=good), "oom") == [("PASS", "LANES_HELD"), held]
    assert beside(jobs_gate(), jobs(), "container_identity") == [("PASS", "LANES_HELD"), held]


def test_restart_breaks_what_followed_and_failures_stay_failures() -> None:
    restarted = observed(engine(), counters={"restarts": 1})
    broken = ("FAIL", "BOUND_VIOLATED")
    nothing = ("INCONCLUSIVE", "MISSING_UNDECIDED")
    assert beside(jobs_gate(), jobs(observations=restarted)) == [nothing, broken]
    few = jobs(lane(), lane(1, 3), observations=restarted)
    assert beside(jobs_gate(), few) == [nothing, broken]
    failed = jobs(lane(), lane(1, failed=1), observations=restarted)
    assert beside(jobs_gate(), failed) == [SHORT, broken]
    event = Event(name="restarts", at_us=5)
    late = observed(engine(), counters={"restarts": 1}, events=[event])
    assert beside(checks_gate(), checks(observations=late)) == [nothing, broken]
    bad = checks(suites=[suite(1, 1)], observations=restarted)
    assert beside(checks_gate(), bad) == [BROKEN, broken]
    drifted = [named("helper-v5", artifact={"sha256": digest("x"), "size": 1})]
    other = checks(named=drifted, observations=restarted)
    assert beside(registry_gate(), other) == [("FAIL", "ARTIFACT_DIFFERS"), broken]


def test_bound_reads_counters_of_jobs_and_identity_reads_any_slot() -> None:
    metric = number("swapped-in", source="counter")
    limit = {"kind": "absolute", "op": "<=", "limit": "3"}
    rule = gate("bound", LONG, metric=metric, statistic="max", comparison=limit)
    three = jobs(observations=observed(engine(), counters={"swapped-in": 3}))
    four = jobs(observations=observed(engine(), counters={"swapped-in": 4}))
    assert says(rule, three) == ("PASS", "BOUND_HELD")
    assert says(rule, four) == ("FAIL", "BOUND_VIOLATED")
    assert says(rule, jobs())[0] == "INCONCLUSIVE"
    assert says(of_cell(identity(), DECIDED), claim()) == ("PASS", "IDENTITIES_AS_PINNED")


def test_gate_on_streams_reads_nothing_in_another_kind_of_capture() -> None:
    metric = number("ttft", unit="us", source="stream", clock="monotonic")
    limit = {"kind": "absolute", "op": "<=", "limit": "3"}
    rule = gate("bound", CPU, metric=metric, statistic="max", comparison=limit)
    complete = number("complete", accepted_bases=["finish_reason"], domain=["0", "1"])
    one = {"kind": "absolute", "op": ">=", "limit": "1"}
    whole = gate("completeness", CPU, metric=complete, statistic="all", comparison=one)
    for each in (rule, whole):
        assert says(each, checks()) == ("INCONCLUSIVE", "MISSING_UNDECIDED")
    integrity_of_claim = of_cell(integrity(), DECIDED)
    assert says(integrity_of_claim, claim()) == ("INCONCLUSIVE", "MISSING_UNDECIDED")


# ---- numbers that a tool reports ----


def value(text: str | None, unit: str = "1") -> Capture:
    return checks(values=[ReportedValue(name="largest-difference", unit=unit, value=text)])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0.5", "PASS"),
        ("0.50", "PASS"),
        ("0.500000000001", "FAIL"),
        ("-0.5", "FAIL"),
        ("nan", "FAIL"),
        ("inf", "FAIL"),
        ("-inf", "FAIL"),
        (None, "INCONCLUSIVE"),
    ],
)
def test_equality_is_exact_nan_fails_and_missing_is_unknown(
    text: str | None, expected: str
) -> None:
    assert says(equality_gate("0.5"), value(text))[0] == expected


def test_number_in_another_unit_or_of_no_capture_is_unknown() -> None:
    assert says(equality_gate(), value("0", unit="us"))[0] == "INCONCLUSIVE"
    assert says(equality_gate(), checks(values=[]))[0] == "INCONCLUSIVE"
    elsewhere = equality_gate() | {"population": jobs_gate()["population"]}
    assert says(elsewhere, jobs())[0] == "INCONCLUSIVE"


@pytest.mark.parametrize(("op", "limit"), [("<=", "1"), (">=", "0"), (">=", "-5")])
def test_what_is_no_number_breaks_a_bound_on_either_side(op: str, limit: str) -> None:
    metric = number(domain=["-10", None])
    comparison = {"kind": "absolute", "op": op, "limit": limit}
    rule = gate("bound", CPU, metric=metric, statistic="all", comparison=comparison)
    assert says(rule, value("0")) == ("PASS", "BOUND_HELD")
    assert says(rule, value("nan")) == ("FAIL", "BOUND_VIOLATED")


def between(own: Any, other: Any, **members: Any) -> Said:
    of = with_cells(parity_gate(**members), cells=[CPU])
    captures = {"A": other, "B": own}
    return said(judged(of, {k: v for k, v in captures.items() if v is not None}).judgements[0])


APART = {"comparison": {"kind": "equality", "vs": ["A"], "margin": "0.1"}}


@pytest.mark.parametrize(
    ("own", "other", "members", "expected"),
    [
        ("1", "1.0", {}, "PASS"),
        ("1", "1.1", {}, "FAIL"),
        ("1", "1.1", APART, "PASS"),
        ("1.1", "1", APART, "PASS"),
        ("1", "1.100000000001", APART, "FAIL"),
        ("1.100000000001", "1", APART, "FAIL"),
        ("nan", "nan", {}, "FAIL"),
        ("1", "nan", {}, "FAIL"),
        ("inf", "1", {}, "FAIL"),
        (None, "1", {}, "INCONCLUSIVE"),
        ("1", None, {}, "INCONCLUSIVE"),
    ],
)
def test_parity_with_another_arm(
    own: str | None, other: str | None, members: Any, expected: str
) -> None:
    assert between(value(own), value(other), **members)[0] == expected


def test_parity_without_the_other_arm_or_its_own() -> None:
    assert between(value("1"), None) == ("INCONCLUSIVE", "CONTROL_MISSING")
    assert between(None, value("1")) == ("NOT_RUN", "NO_MEASURED_SLOT")
    assert between(value("1"), value("1")) == ("PASS", "PARITY_HELD")
    assert between(value("1"), value("2")) == ("FAIL", "PARITY_BROKEN")


def test_parity_within_the_resolution_of_a_number_is_unknown() -> None:
    read = {"metric": number(resolution="0.1")}
    assert between(value("1"), value("1"), **read)[0] == "INCONCLUSIVE"


def test_rule_of_a_parity_names_the_other_arm() -> None:
    of = with_cells(parity_gate(**APART), equality_gate(), cells=[CPU])
    rules = [each.rule for each in judged(of, {"A": value("0"), "B": value("0")}).judgements]
    assert rules == [
        "largest-difference equal to that of A within 0.1 1, in every slot of B/cpu",
        "all of largest-difference over slots of B/cpu == 0",
    ]


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
    assert judgement.observations[0].decision == word
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


def test_lanes_of_an_hour_are_an_hour() -> None:
    assert 5 * HOUR_US < ENDURANCE_US < 6 * HOUR_US
