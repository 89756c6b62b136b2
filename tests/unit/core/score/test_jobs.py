# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a gate or a capture is any JSON
"""Gates on lanes of work: what ran, how long, what it left, and what a restart breaks."""

from typing import Any

import pytest
from msgspec import UNSET

from app.core.statement.capture import Capture, Event, ReportedValue
from app.core.statement.tally import JobsTally, LaneTally, Told
from tests.documents import SECOND_US, digest
from tests.gates import identity, integrity
from tests.judged_results import BROKEN, FAILED, HELD, Said, judged, says
from tests.results import (
    CPU,
    DECIDED,
    ENDURANCE_US,
    HOUR_US,
    LONG,
    checks,
    checks_gate,
    claim,
    engine,
    gate,
    jobs,
    jobs_gate,
    lane,
    named,
    number,
    observed,
    registry_gate,
    suite,
    with_cells,
)
from tests.scores import said

# ---- jobs ----


def test_endurance_holds_as_published() -> None:
    exact = ENDURANCE_US - SECOND_US
    rule = jobs_gate(min_duration_us=exact, min_validated=249)
    of = with_cells(rule, cells=[LONG])
    (judgement,) = judged(of, {"B": jobs()}).judgements
    assert said(judgement) == ("PASS", "LANES_HELD")
    (unit,) = judgement.observations
    lanes = [
        LaneTally(lane=each, ended=True, duration_us=ENDURANCE_US, validated=n, failed=0)
        for each, n in enumerate((251, 249))
    ]
    told = JobsTally(planned=2, resolution_us=jobs().clock.resolution_us, lanes=lanes)
    assert unit.told == Told(jobs=told)
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
    assert unit.told is UNSET
    assert unit.why == "VALUE_NOT_RECORDED"


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


def test_lanes_of_an_hour_are_an_hour() -> None:
    assert 5 * HOUR_US < ENDURANCE_US < 6 * HOUR_US
