# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a gate is any JSON
"""Envelopes, reports, files and reviews, done again from their judgement alone.

Which names passed, how coarse the clock of lanes is, what a file or the other arm held and who
asked for changes are not in it: there only the unit's own truth is.
"""

import re
from typing import Any

import pytest
from msgspec import UNSET

from app.core.statement.judgement import Judgement
from tests import contended
from tests.contended import envelope, of_firsts
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
from tests.scores import only
from tests.unit.core.score.test_redone_units import ends, number, reported_value, state_of
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
    assert f"within {limit} of it" in found.rule
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


def of_report(gate: Any, capture: Any) -> Judgement:
    return reported(with_cells(gate), {"B": capture, "A": checks()}).judgements[0]


def limits_of(found: Judgement) -> list[int]:
    return [int(each) for each in re.findall(r"[<>]= (\d+)", found.rule)]


def checks_again(found: Judgement) -> str:
    failed, skipped = limits_of(found)
    (told,) = (each.checks for each in found.observations)
    assert told is not UNSET
    assert told.failed is not None
    assert told.not_tested is not None
    if told.failed > failed:
        return "FAIL"
    return "PASS" if told.passed and told.not_tested <= skipped else "INCONCLUSIVE"


def jobs_again(found: Judgement) -> str:
    least_us, validated, failed = limits_of(found)
    (told,) = (each.lanes for each in found.observations)
    assert told is not UNSET
    states = [
        "INCONCLUSIVE"
        if None in (lane.duration_us, lane.validated, lane.failed)
        else "PASS"
        if (lane.duration_us or 0) >= least_us
        and (lane.validated or 0) >= validated
        and (lane.failed or 0) <= failed
        else "FAIL"
        for lane in told
    ]
    return next((each for each in ("FAIL", "INCONCLUSIVE") if each in states), "PASS")


def word_again(found: Judgement) -> str:
    (told,) = (each.decision for each in found.observations)
    return {"PASS": "PASS", "FAIL": "FAIL"}.get(str(told), "INCONCLUSIVE")


def truth_again(found: Judgement) -> str:
    """Return what units say that are true (1), false (0) or nothing."""
    return state_of([ends(each.interval, (0, 1)) for each in found.observations], "==", 1)


WRONG = named("helper-v5", artifact={"sha256": HELPER["sha256"], "size": 1})
TWO = jobs_gate(min_duration_us=ENDURANCE_US - 1_000_000, min_validated=249)
APART = parity_gate(comparison={"kind": "equality", "vs": ["A"], "margin": "0.5"})


@pytest.mark.parametrize(
    ("gate", "capture", "again", "state"),
    [
        (checks_gate(), checks(), checks_again, "PASS"),
        (checks_gate(), checks(suites=[suite(failed=1)]), checks_again, "FAIL"),
        (checks_gate(max_failed=1), checks(suites=[suite(failed=1)]), checks_again, "PASS"),
        (checks_gate(), checks(suites=[suite(skipped=66)]), checks_again, "INCONCLUSIVE"),
        (TWO, jobs(), jobs_again, "PASS"),
        (TWO, jobs(lane(), lane(1, 248)), jobs_again, "FAIL"),
        (TWO, jobs(lane(), lane(1, 249, failed=1)), jobs_again, "FAIL"),
        (TWO, jobs(lane(), lane(1, 249, ended_us=9_000_000)), jobs_again, "FAIL"),
        (TWO, jobs(lane(), lane(1, None)), jobs_again, "INCONCLUSIVE"),
        (claim_gate(), claim(), word_again, "PASS"),
        (claim_gate(), claim("FAIL"), word_again, "FAIL"),
        (claim_gate(), claim("INCONCLUSIVE"), word_again, "INCONCLUSIVE"),
        (registry_gate(), checks(), truth_again, "PASS"),
        (registry_gate(), checks(named=[WRONG]), truth_again, "FAIL"),
        (registry_gate(), checks(named=[]), truth_again, "INCONCLUSIVE"),
        (APART, checks(values=[reported_value("-0.5")]), truth_again, "PASS"),
        (APART, checks(values=[reported_value("-0.6")]), truth_again, "FAIL"),
        (APART, checks(values=[]), truth_again, "INCONCLUSIVE"),
    ],
)
def test_gate_on_reports_is_done_again_from_its_judgement(
    gate: Any, capture: Any, again: Any, state: str
) -> None:
    found = of_report(gate, capture)
    assert (found.state, again(found)) == (state, state)
    assert truth_again(found) == state
    assert (found.unit, found.limit, found.observed, found.margin) == (None,) * 4


@pytest.mark.parametrize(
    ("people", "state"),
    [(2, "PASS"), (3, "PASS"), (1, "INCONCLUSIVE"), (0, "NOT_RUN")],
)
def test_reviews_are_counted_again_from_their_judgement(people: int, state: str) -> None:
    said = [review(), REMY, review(holder="rosa")][:people]
    found = only(reviewed(2, *said), "reviewed-source")
    assert found.limit is not None
    wanted = number(found.limit)
    assert found.rule.startswith(f"{wanted} independent people")
    seen = None if found.observed is None else number(found.observed.lo)
    again = "NOT_RUN" if not seen else "PASS" if seen >= wanted else "INCONCLUSIVE"
    assert (found.state, again) == (state, state)
    assert found.margin == (None if seen is None else str(seen - wanted))
