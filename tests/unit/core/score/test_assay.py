# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a gate is any JSON
"""Assay sensitivity by contention: where nothing contends, nothing is shown (SCORING.md B6)."""

from collections.abc import Sequence
from typing import Any

import pytest

from app.core.score.judge import StudyScore
from app.core.statement.judgement import CountedOf, RequiredOf
from tests.claims import METRIC
from tests.contended import (
    CELL,
    SOLO,
    TTFT,
    contention,
    envelope,
    failed,
    fairness,
    lane,
    measured,
    population,
    protocol,
    score,
)
from tests.documents import completeness_gate
from tests.scores import ABANDONED, MISSING, Filled, only, said

N = 8


def compared(claim: str = "non_inferiority", cell: str = CELL, **members: Any) -> Any:
    return {
        "id": "compare-b",
        "kind": "comparison",
        "role": "primary",
        "claim": "population",
        "scope": "performance",
        "population": population("B", cell, "block"),
        "metric": METRIC,
        "slot_summary": "max",
        "comparison": {
            "kind": claim,
            "vs": ["A"],
            "margin": "-0.1" if claim == "superiority" else "0.2",
            "scale": "ratio",
            "worse": "higher",
        },
    } | members


def slot(first: float, lanes: int = 2, **members: Any) -> Filled:
    return measured(*(lane(number, first) for number in range(lanes)), **members)


def study(
    *gates: Any,
    contended: float = 10,
    solo: float = 2,
    boots: bool = True,
    but: Any = None,
    arms: Sequence[str] = ("A", "B"),
) -> StudyScore:
    """Judge B beside A, both alike, in eight blocks of a boot each."""
    of = protocol(*gates, lanes=2, repetitions=N, arms=arms)
    found: dict[str, Filled] = {}
    for arm in ("A", "B"):
        for number in range(1, N + 1):
            boot = f"{arm}-{number}"
            found[f"{arm}/{CELL}/{number}"] = slot(contended, boot_id=boot if boots else None)
            found[f"{arm}/{SOLO}/{number}"] = slot(solo, 1, boot_id=boot if boots else None)
    return score(of, {**found, **(but or {})}, rest=MISSING)


def test_non_inferiority_holds_where_the_control_is_seen_to_contend() -> None:
    found = study(compared(), contention(factor="5"))
    assert said(only(found, "contends-a")) == ("PASS", "ASSAY_SENSITIVE")
    assert said(only(found, "compare-b")) == ("PASS", "NON_INFERIOR_IN_BLOCKS")
    gate: Any = only(found, "contends-a")
    assert (gate.observed.lo, gate.limit, gate.unit) == ("5", "5", "1")
    assert gate.rule == "all of ttft over C1 in one boot over reader slots of A/C4 >= 5"


@pytest.mark.parametrize("contended", [2, 9.99])
def test_without_contention_everything_is_non_inferior_so_nothing_passes(contended: float) -> None:
    found = study(compared(), contention(factor="5"), contended=contended)
    assert said(only(found, "contends-a")) == ("INCONCLUSIVE", "NO_ASSAY_SENSITIVITY")
    assert said(only(found, "compare-b")) == ("INCONCLUSIVE", "NO_ASSAY_SENSITIVITY")
    assert found.scopes[0].state == "INCONCLUSIVE"


def test_protocol_that_names_no_assay_claims_nothing_about_contention() -> None:
    found = study(compared())
    assert said(only(found, "compare-b")) == ("INCONCLUSIVE", "NO_ASSAY_SENSITIVITY")
    assert said(only(study(compared("equivalence")), "compare-b"))[0] == "INCONCLUSIVE"
    alone = study(compared(cell=SOLO))
    assert said(only(alone, "compare-b")) == ("PASS", "NON_INFERIOR_IN_BLOCKS")
    elsewhere = study(compared(scope="live_correctness"))
    assert said(only(elsewhere, "compare-b")) == ("PASS", "NON_INFERIOR_IN_BLOCKS")


def bound_of_control(limit: str, expect: str) -> Any:
    return {
        "id": "bound-a",
        "kind": "bound",
        "role": "secondary",
        "claim": "sample",
        "scope": "performance",
        "population": population("A", CELL),
        "metric": METRIC,
        "slot_summary": "max",
        "statistic": "max",
        "comparison": {"kind": "absolute", "op": "<=", "limit": limit},
        "expect": expect,
    }


@pytest.mark.parametrize(("limit", "expect"), [("999999999", "PASS"), ("1", "FAIL")])
def test_assay_that_shows_no_slower_candidate_lets_no_comparison_under_contention_pass(
    limit: str, expect: str
) -> None:
    reads = {
        "id": "assay-a",
        "kind": "assay",
        "role": "validity",
        "claim": "sample",
        "scope": "performance",
        "population": population("A", CELL),
        "expect": expect,
    }
    found = study(compared(), bound_of_control(limit, expect), reads, contended=2)
    assert said(only(found, "assay-a")) == ("PASS", "ASSAY_SENSITIVE")
    assert said(only(found, "compare-b")) == ("INCONCLUSIVE", "NO_ASSAY_SENSITIVITY")


KNOWN_BAD: Any = {
    "id": "assay-p",
    "kind": "assay",
    "role": "validity",
    "claim": "sample",
    "scope": "performance",
    "population": population("P", CELL),
    "expect": "FAIL",
}


@pytest.mark.parametrize(
    ("gates", "known_bad", "state"),
    [
        ((), 40, "INCONCLUSIVE"),
        ((contention(factor="5"),), 40, "INCONCLUSIVE"),
        ((KNOWN_BAD,), 40, "PASS"),
        ((KNOWN_BAD,), 1, "INCONCLUSIVE"),
    ],
)
def test_being_better_under_contention_needs_a_known_bad_control_that_fails(
    gates: Any, known_bad: float, state: str
) -> None:
    faster: Any = {
        f"{arm}/{CELL}/{number}": slot(first, boot_id=f"{arm}-{number}")
        for arm, first in (("B", 1), ("P", known_bad))
        for number in range(1, N + 1)
    }
    worse = compared("superiority", id="compare-p", expect="FAIL")
    worse["population"] = population("P", CELL, "block")
    found = study(compared("superiority"), worse, *gates, but=faster, arms=("A", "B", "P"))
    assert only(found, "compare-b").state == state


def test_a_fail_needs_no_assay() -> None:
    slow: Any = {
        f"B/{CELL}/{number}": slot(40, boot_id=f"B-{number}") for number in range(1, N + 1)
    }
    assert only(study(compared(), but=slow), "compare-b").state == "FAIL"
    found = study(compared(), contention(factor="50"), but=slow)
    assert said(only(found, "compare-b")) == ("FAIL", "WORSE_IN_BLOCKS")


def test_control_that_the_server_failed_is_no_evidence_of_contention() -> None:
    dead = measured(failed(0), failed(1), boot_id="A-1", state="FAILED")
    found = study(compared(), contention(factor="5"), but={f"A/{CELL}/1": dead})
    assert said(only(found, "contends-a")) == ("INCONCLUSIVE", "NO_ASSAY_SENSITIVITY")
    solo_dead = measured(failed(0), boot_id="A-1", state="FAILED")
    found = study(compared(), contention(factor="5"), but={f"A/{SOLO}/1": solo_dead})
    assert said(only(found, "contends-a")) == ("INCONCLUSIVE", "NO_ASSAY_SENSITIVITY")


def test_contention_is_inside_one_boot_and_measured() -> None:
    found = study(compared(), contention(factor="5"), boots=False)
    assert said(only(found, "contends-a")) == ("INCONCLUSIVE", "NO_ASSAY_SENSITIVITY")
    gone: Any = {f"A/{CELL}/{number}": ABANDONED for number in range(1, N + 1)}
    found = study(contention(factor="5"), fairness(scope="performance"), but=gone)
    assert said(only(found, "contends-a")) == ("INVALID", "ABANDONED")
    assert said(only(found, "lane-b")) == ("INCONCLUSIVE", "NO_ASSAY_SENSITIVITY")


def test_completeness_shows_itself_and_everything_else_of_the_cell_rests_on_contention() -> None:
    complete = completeness_gate("B", 2 * N, scope="performance")
    complete["population"] = population("B", unit="stream")
    gates = (complete, fairness(scope="performance"), envelope(), contention(factor="50"))
    of = protocol(*gates, lanes=2, repetitions=N)
    found = score(of, {}, rest=slot(10))
    assert said(only(found, "complete-b")) == ("PASS", "BOUND_HELD")
    for name in ("lane-b", "envelope-b"):
        assert said(only(found, name)) == ("INCONCLUSIVE", "NO_ASSAY_SENSITIVITY")


def test_rates_contend_by_becoming_lower() -> None:
    rate = {**TTFT, "name": "decode_rate", "unit": "tokens_per_s", "direction": "higher_is_better"}
    gate = contention(rate, "0.5")
    of = protocol(compared(), gate, lanes=2, repetitions=1, arms=("A", "B"))
    for contended_rate, expected in ((5, "PASS"), (6, "INCONCLUSIVE")):
        shared = measured(lane(0, 1, contended_rate), lane(1, 1, 10))
        alone = measured(lane(0, 1, 10))
        found = score(of, {f"A/{CELL}": shared, f"A/{SOLO}": alone}, rest=MISSING)
        assert only(found, "contends-a").state == expected


def test_contention_says_how_many_units_it_needs_where_not_each_planned_one() -> None:
    found: Any = only(study(compared(), contention(factor="5", required_n=1)), "contends-a")
    assert found.required == RequiredOf(n=1, counted=[CountedOf(arm="A", n=N)])
