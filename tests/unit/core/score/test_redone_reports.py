# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a gate is any JSON
"""Envelopes, reports, files and reviews, done again from their judgement and the locked rule."""

import re
from math import inf
from typing import Any

import pytest
from msgspec import UNSET

from app.core.reason import Reason
from app.core.statement.judgement import Judgement
from app.core.statement.tally import LaneTally, Told
from tests import contended
from tests.contended import envelope, of_firsts
from tests.judged_results import COMPLETE, State
from tests.judged_results import judged as reported
from tests.results import (
    ENDURANCE_US,
    HELPER,
    checks,
    checks_gate,
    claim,
    claim_gate,
    jobs,
    jobs_gate,
    lane,
    named,
    parity_gate,
    registry_gate,
    suite,
    with_cells,
)
from tests.results import number as parity_number
from tests.scores import only
from tests.unit.core.score.test_redone_units import ends, number, reported_value, state_of, worst
from tests.unit.core.score.test_review import REMY, review
from tests.unit.core.score.test_review import judged as reviewed

# ---- envelopes ----


def enveloped(a: list[float], a2: list[float], b: list[float], **members: Any) -> Judgement:
    of = contended.protocol(envelope(**members), lanes=1, repetitions=2)
    arms = {"A": a, "A2": a2, "B": b}
    slots = {
        f"{arm}/{contended.CELL}/{number}": of_firsts(each)
        for arm, values in arms.items()
        for number, each in enumerate(values, 1)
    }
    return only(contended.score(of, slots, rest=of_firsts(1)), "envelope-b")


@pytest.mark.parametrize(
    ("found", "state"),
    [
        (enveloped([10, 11], [10.5, 12], [9, 11]), "PASS"),
        (enveloped([10, 11], [10.5, 12], [9, 11.1]), "INCONCLUSIVE"),
        (enveloped([10, 11], [10.5, 12], [13.3, 15]), "FAIL"),
        (enveloped([10, 11], [10.5, 12], [13.2, 15]), "INCONCLUSIVE"),
        (enveloped([10, 11], [10.5, 13], [9, 11]), "INCONCLUSIVE"),
    ],
)
def test_envelope_is_done_again_from_its_judgement(found: Judgement, state: str) -> None:
    own, pooled = (
        [number(each.interval.lo) for each in found.observations if each.interval and of(each.slot)]
        for of in (lambda slot: slot.startswith("B/"), lambda slot: not slot.startswith("B/"))
    )
    assert found.envelope is not UNSET
    assert found.limit is not None
    limit, most = number(found.limit), number(found.envelope.max_spread)
    assert f"within {found.limit} of it" in found.rule
    spread = max(pooled) / min(pooled) - 1
    assert number(found.envelope.spread.lo) == number(found.envelope.spread.hi) == spread
    least, greatest = min(own) / max(pooled) - 1, max(own) / min(pooled) - 1
    again = "PASS" if greatest <= limit else "FAIL" if least > limit else "INCONCLUSIVE"
    assert (found.state, again if spread <= most else "INCONCLUSIVE") == (state, state)
    assert found.observed is not None
    assert (number(found.observed.lo), number(found.observed.hi)) == (least, greatest)
    assert found.margin is not None
    assert number(found.margin) == limit - (least if state == "FAIL" else greatest)


# ---- gates on what tools report ----


def of_report(gate: Any, capture: Any, state: State = COMPLETE) -> Judgement:
    return reported(with_cells(gate), {"B": capture, "A": checks()}, state).judgements[0]


def limits_of(found: Judgement) -> list[int]:
    return [int(each) for each in re.findall(r"[<>]= (\d+)", found.rule)]


def told_of(found: Judgement) -> tuple[Told, bool]:
    """Return what the one slot told, and whether its server is said to have failed."""
    (one,) = found.observations
    assert one.told is not UNSET
    return one.told, one.why == "SERVER_FAULT"


def checks_again(found: Judgement) -> str:
    """Do it again, the one planned suite being ``repository``."""
    told, failed = told_of(found)
    assert told.checks is not UNSET
    most, skips = limits_of(found)
    asked = re.search(r"skipped <= \d+, (.+) passed, in", found.rule)
    by_name = {each.id: each.result for each in told.checks.not_passed}
    states = ["INCONCLUSIVE"] if told.checks.not_tested is None else []
    states += [
        {"failed": "FAIL", "not_run": "FAIL" if failed else "INCONCLUSIVE"}.get(
            by_name[name], "INCONCLUSIVE"
        )
        for name in (asked[1].split(", ") if asked else [])
        if name in by_name
    ]
    counted = sum(each.failed or 0 for each in told.checks.suites)
    if max(counted, list(by_name.values()).count("failed")) > most:
        states.append("FAIL")
    untested = [each for each in by_name.values() if each != "failed"]
    if max(told.checks.not_tested or 0, len(untested)) > skips:
        states.append("INCONCLUSIVE")
    suite = next((each for each in told.checks.suites if each.name == "repository"), None)
    if suite is None or {suite.passed, suite.failed, suite.skipped} == {None}:
        states.append("FAIL" if failed else "INCONCLUSIVE")
    elif None in (suite.passed, suite.failed) or not suite.passed:
        states.append("INCONCLUSIVE")
    return worst(states)


def jobs_again(found: Judgement) -> str:
    told, failed = told_of(found)
    assert told.jobs is not UNSET
    lanes = {each.lane: each for each in told.jobs.lanes}
    states = []
    for number_of in range(told.jobs.planned):
        lane = lanes.get(number_of)
        state = "INCONCLUSIVE" if lane is None else lane_again(found, lane)
        gone = failed and (lane is None or not lane.ended)
        states.append("FAIL" if gone and state == "INCONCLUSIVE" else state)
    return worst(states)


def lane_again(found: Judgement, lane: LaneTally) -> str:
    told, _ = told_of(found)
    assert told.jobs is not UNSET
    least_us, least, most = limits_of(found)
    read, off = lane.duration_us, told.jobs.resolution_us
    lasted = (-inf, inf) if read is None else (read - off, read + off)
    ends = [
        (count or 0, count if lane.ended and count is not None else inf)
        for count in (lane.validated, lane.failed)
    ]
    if lasted[1] < least_us or ends[0][1] < least or ends[1][0] > most:
        return "FAIL"
    holds = lasted[0] >= least_us and ends[0][0] >= least and ends[1][1] <= most
    return "PASS" if holds else "INCONCLUSIVE"


def word_again(found: Judgement) -> str:
    told, _ = told_of(found)
    return {"PASS": "PASS", "FAIL": "FAIL"}.get(str(told.decision), "INCONCLUSIVE")


def files_again(found: Judgement) -> str:
    """Do it again, the one registered file being the helper."""
    told, failed = told_of(found)
    assert told.files is not UNSET
    (file,) = told.files
    assert file.name == HELPER["name"]
    assert found.rule.startswith(f"{file.name} of the registered sha256 and size")
    if file.artifact is None or file.result in (None, "not_run"):
        return "FAIL" if failed else "INCONCLUSIVE"
    same = (file.artifact.sha256, file.artifact.size) == (HELPER["sha256"], HELPER["size"])
    states = {"passed": "PASS" if same else "FAIL", "failed": "FAIL"}
    return states.get(str(file.result), "INCONCLUSIVE")


def parity_again(found: Judgement) -> str:
    """Do it again by the two numbers; each is exact here, or within a resolution."""
    told, _ = told_of(found)
    assert told.pair is not UNSET
    assert found.limit is not None
    own, other = told.pair.own, told.pair.other
    assert told.pair.against == found.observations[0].slot.replace("B/", "A/")
    if own is None or other is None:
        return "INCONCLUSIVE"
    ends = [number(each) for each in (own.lo, own.hi, other.lo, other.hi)]
    if inf in map(abs, ends):
        return "FAIL"
    far = max(ends[1] - ends[2], ends[3] - ends[0])
    near = max(0, ends[0] - ends[3], ends[2] - ends[1])
    assert found.observed is not None
    assert (number(found.observed.lo), number(found.observed.hi)) == (near, far)
    limit = number(found.limit)
    assert found.margin is not None
    assert number(found.margin) == limit - (near if near > limit else far)
    return "FAIL" if near > limit else "PASS" if far <= limit else "INCONCLUSIVE"


def truth_again(found: Judgement) -> str:
    """Return what units say that are true (1), false (0) or nothing."""
    return state_of([ends(each.interval, (0, 1)) for each in found.observations], "==", 1)


FAILED: State = ("FAILED", "sut", (Reason.SERVER_FAULT,))
WRONG = named("helper-v5", artifact={"sha256": HELPER["sha256"], "size": 1})
NOT_RUN = named("helper-v5", "not_run", artifact={"sha256": HELPER["sha256"], "size": 1})
TWO = jobs_gate(min_duration_us=ENDURANCE_US - 1_000_000, min_validated=249)
NEAR = jobs_gate(min_duration_us=ENDURANCE_US, min_validated=249)
APART = parity_gate(comparison={"kind": "equality", "vs": ["A"], "margin": "0.5"})
COARSE = {**APART, "metric": parity_number(resolution="0.1")}
BOTH = checks_gate(named=["helper-v5", "round-trip"])


@pytest.mark.parametrize(
    ("gate", "capture", "again", "state"),
    [
        (checks_gate(), checks(), checks_again, "PASS"),
        (checks_gate(), checks(suites=[suite(failed=1)]), checks_again, "FAIL"),
        (checks_gate(max_failed=1), checks(suites=[suite(failed=1)]), checks_again, "PASS"),
        (checks_gate(), checks(suites=[suite(skipped=66)]), checks_again, "INCONCLUSIVE"),
        (checks_gate(), checks(suites=[suite(skipped=None)]), checks_again, "INCONCLUSIVE"),
        (checks_gate(), checks(suites=[suite(passed=None)]), checks_again, "INCONCLUSIVE"),
        (checks_gate(), checks(suites=[]), checks_again, "INCONCLUSIVE"),
        (checks_gate(), checks(named=[named("other", "failed")]), checks_again, "FAIL"),
        (checks_gate(allowed_skips=65), checks(named=[]), checks_again, "PASS"),
        (checks_gate(allowed_skips=1), checks(named=[]), checks_again, "INCONCLUSIVE"),
        (BOTH, checks(), checks_again, "PASS"),
        (BOTH, checks(named=[named("helper-v5")]), checks_again, "INCONCLUSIVE"),
        (TWO, jobs(), jobs_again, "PASS"),
        (NEAR, jobs(), jobs_again, "INCONCLUSIVE"),
        (TWO, jobs(lane(), lane(1, 248)), jobs_again, "FAIL"),
        (TWO, jobs(lane(), lane(1, 249, failed=1)), jobs_again, "FAIL"),
        (TWO, jobs(lane(), lane(1, 249, ended_us=9_000_000)), jobs_again, "FAIL"),
        (TWO, jobs(lane(), lane(1, None)), jobs_again, "INCONCLUSIVE"),
        (TWO, jobs(lane(), lane(1, 300, ended_us=None)), jobs_again, "INCONCLUSIVE"),
        (TWO, jobs(lane()), jobs_again, "INCONCLUSIVE"),
        (claim_gate(), claim(), word_again, "PASS"),
        (claim_gate(), claim("FAIL"), word_again, "FAIL"),
        (claim_gate(), claim("INCONCLUSIVE"), word_again, "INCONCLUSIVE"),
        (registry_gate(), checks(), files_again, "PASS"),
        (registry_gate(), checks(named=[WRONG]), files_again, "FAIL"),
        (registry_gate(), checks(named=[NOT_RUN]), files_again, "INCONCLUSIVE"),
        (registry_gate(), checks(named=[]), files_again, "INCONCLUSIVE"),
        (APART, checks(values=[reported_value("-0.5")]), parity_again, "PASS"),
        (APART, checks(values=[reported_value("-0.6")]), parity_again, "FAIL"),
        (APART, checks(values=[reported_value("nan")]), parity_again, "FAIL"),
        (APART, checks(values=[]), parity_again, "INCONCLUSIVE"),
        (COARSE, checks(values=[reported_value("0.3")]), parity_again, "PASS"),
        (COARSE, checks(values=[reported_value("0.5")]), parity_again, "INCONCLUSIVE"),
        (COARSE, checks(values=[reported_value("0.8")]), parity_again, "FAIL"),
    ],
)
def test_gate_on_reports_is_done_again_from_its_judgement(
    gate: Any, capture: Any, again: Any, state: str
) -> None:
    found = of_report(gate, capture)
    assert (found.state, again(found)) == (state, state)
    if again is not parity_again:
        assert truth_again(found) == state
        assert (found.unit, found.limit, found.observed, found.margin) == (None,) * 4


@pytest.mark.parametrize(
    ("gate", "capture", "again"),
    [
        (BOTH, checks(named=[named("helper-v5")]), checks_again),
        (checks_gate(), checks(suites=[]), checks_again),
        (TWO, jobs(lane(), lane(1, 300, ended_us=None)), jobs_again),
        (TWO, jobs(lane()), jobs_again),
        (registry_gate(), checks(named=[]), files_again),
    ],
)
def test_what_a_failed_server_did_not_report_is_done_again_as_its_failure(
    gate: Any, capture: Any, again: Any
) -> None:
    found = of_report(gate, capture, FAILED)
    assert (found.state, again(found)) == ("FAIL", "FAIL")
    assert again(of_report(gate, capture)) == "INCONCLUSIVE"


@pytest.mark.parametrize(
    ("said", "state"),
    [
        ([review(), REMY], "PASS"),
        ([review(), REMY, review(holder="rosa")], "PASS"),
        ([review(), review(holder="Rita")], "INCONCLUSIVE"),
        ([review(), review(holder="remy", suspect=True)], "INCONCLUSIVE"),
        ([review(), review(holder="remy", independent=False)], "INCONCLUSIVE"),
        ([review("comment")], "NOT_RUN"),
        ([review(), REMY, review("changes_requested", "ruth", suspect=True)], "FAIL"),
        ([], "NOT_RUN"),
    ],
)
def test_reviews_are_counted_again_from_their_judgement(said: list[Any], state: str) -> None:
    found = only(reviewed(2, *said), "reviewed-source")
    assert found.limit is not None
    assert found.reviews is not UNSET
    wanted = number(found.limit)
    assert found.rule.startswith(f"{wanted} independent people")
    against = [each for each in found.reviews if each.outcome == "changes_requested"]
    accepted = [each for each in found.reviews if each not in against and not each.suspect]
    n = len({each.person.lower() for each in accepted})
    again = "NOT_RUN" if not n else "PASS" if n >= wanted else "INCONCLUSIVE"
    assert (found.state, "FAIL" if against else again) == (state, state)
    assert found.margin == (None if state == "NOT_RUN" else str(n - wanted))
