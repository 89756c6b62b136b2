# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a gate or a capture is any JSON
"""Numbers of two sides that have to agree: exactly, within a margin, and never by being missing."""

from fractions import Fraction
from typing import Any

import pytest

from app.core.protocol.plan import plan
from app.core.reason import Reason
from app.core.score.interval import Interval, finite, point
from app.core.score.observed import Absence, absent, exact
from app.core.score.parity import _compared, _distance
from app.core.statement.capture import Capture, ReportedValue
from tests import facts
from tests.claims import METRIC
from tests.gates import bound, population
from tests.judged_results import Said, judged, says
from tests.results import (
    CPU,
    checks,
    equality_gate,
    gate,
    jobs,
    jobs_gate,
    number,
    parity_gate,
    with_cells,
)
from tests.scores import COMPLETE, only, protocol, said, study

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


def test_number_that_is_still_open_equals_no_number_that_is_none() -> None:
    whole = bound("settlement", id="parity-b") | {"kind": "parity"}
    whole["population"]["stream_role"] = "incumbent"
    whole["comparison"] = {"kind": "equality", "vs": ["A"]}
    whole["statistic"] = "all"
    cut = facts.capture(facts.stream("incumbent", 0, observed_until_us=9_000_000), facts.newcomer())
    short = facts.capture(facts.incumbent(tokens=1000), facts.newcomer())
    done: Any = ("COMPLETE", None, (), (short,))
    score = study(protocol(whole), {"B": ("PARTIAL", "unknown", (), (cut,)), "A": done})
    assert said(only(score, "parity-b")) == ("FAIL", "PARITY_BROKEN")
    seen = study(protocol(whole), {"B": ("PARTIAL", "unknown", (), (cut,))})
    assert only(seen, "parity-b").state == "INCONCLUSIVE"


def test_units_of_parity_are_those_of_the_gates_own_arm() -> None:
    of = with_cells(parity_gate(), cells=[CPU])
    (judgement,) = judged(of, {"A": value("1"), "B": value("1")}).judgements
    assert [each.slot for each in judgement.observations] == [
        each.id for each in plan(of) if each.arm == "B"
    ]


def test_unit_of_parity_that_is_a_stream_names_it() -> None:
    at = population("B", role="newcomer", unit="stream")
    score = study(protocol(parity_gate(metric=METRIC, population=at)), {})
    assert [each.stream_role for each in score.judgements[0].observations] == ["newcomer"]


def test_absent_unit_of_parity_keeps_its_reason() -> None:
    gone = absent(Absence.UNSCORABLE, Reason.IMAGE_MISMATCH)
    assert _compared(gone, exact(1), Fraction(0)) == gone


def folded(newcomer: Any, **members: Any) -> Said:
    comparison = {"kind": "equality", "vs": ["A"], "margin": "10000"}
    given = {"metric": METRIC, "population": population("B"), "comparison": comparison}
    of = protocol(parity_gate(**(given | members)))
    seen = facts.capture(facts.incumbent(), *newcomer)
    return said(study(of, {"B": (*COMPLETE[:3], (seen,))}).judgements[0])


def test_parity_of_a_slot_is_that_of_its_streams_as_locked() -> None:
    late = [facts.newcomer(first=5_000_000, last=6_000_000)]
    for summary in ({"slot_summary": "median"}, {"slot_summary": "kth", "slot_k": 2}):
        assert folded([facts.newcomer()], **summary)[0] == "PASS"
        assert folded(late, **summary)[0] == "FAIL"
        assert folded([], **summary)[0] == "INCONCLUSIVE"


def test_distance_of_numbers_that_only_approach_one_another_is_not_nothing() -> None:
    apart = Interval(finite(0), finite(2), lo_open=True)
    assert _distance(apart) == apart == _distance(point(0).minus(apart))
    assert _distance(Interval(finite(-1), finite(2))) == Interval(finite(0), finite(2))
    either_way = Interval(finite(-1), finite(2), hi_open=True)
    assert _distance(either_way) == Interval(finite(0), finite(2), hi_open=True)
