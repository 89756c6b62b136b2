# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a demand is any value of it
"""Why a gate that was measured is undecided, and how far a gate is from its limit."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from app.core.protocol.gate import Demand, Domain
from app.core.reason import Reason
from app.core.score.decide import Judged, judge, margin_of
from app.core.score.interval import INFINITY, NEGATIVE_INFINITY, End, Interval, finite
from app.core.score.observed import (
    Absence,
    Basis,
    Observed,
    above,
    absent,
    between,
    conflicting,
    exact,
    never,
    unknown,
)
from app.core.score.state import State

FROM_ZERO = Domain(Fraction(0), None)
MISSING = absent(Absence.CAPTURE_MISSING)


def bound(statistic: Any = "max", op: Any = "<=", limit: str = "2", **changes: Any) -> Demand:
    return replace(Demand("bound", statistic, op, Fraction(limit), FROM_ZERO), **changes)


def values(*texts: str) -> list[Observed]:
    return [exact(Fraction(each)) for each in texts]


def said(demand: Demand, observations: list[Observed], **more: Any) -> tuple[State, Reason]:
    judged = judge(demand, observations, **more)
    return judged.state, judged.reason


# ---- undecided ----


def test_masked_fail_is_said_where_empty_slots_prevent_it() -> None:
    masked = (State.INCONCLUSIVE, Reason.FAIL_MASKED)
    three = [absent(Absence.ABANDONED)] * 3
    assert said(bound("median"), [*values("3", "3"), *three]) == masked
    assert said(bound("kth", k=3), [*values("3", "3"), *three]) == masked
    assert said(bound("kth", ">=", "2", k=3), [*values("1", "1"), *three]) == masked
    for op in (">", ">="):
        assert said(bound("kth", op, "2", k=3), [*values("1", "3"), *three]) == masked
    ones = bound("count", ">=", "4", domain=Domain(Fraction(0), Fraction(1)))
    assert said(ones, [*values("1", "0"), *three]) == masked


@pytest.mark.parametrize("statistic", ["sum", "count"])
def test_sum_of_fewer_units_has_not_failed_a_sum_of_all(statistic: str) -> None:
    ones = bound(statistic, ">=", "3", domain=Domain(Fraction(0), Fraction(1)))
    assert said(ones, [*values("1", "1"), absent(Absence.UNSCORABLE)]) == (
        State.INCONCLUSIVE,
        Reason.MISSING_UNDECIDED,
    )


def test_unrecorded_values_do_not_mask_a_fail() -> None:
    assert said(bound("median"), [*values("3"), unknown(), unknown()]) == (
        State.INCONCLUSIVE,
        Reason.MISSING_UNDECIDED,
    )
    assert said(bound("median"), [unknown(), MISSING]) == (
        State.INCONCLUSIVE,
        Reason.MISSING_UNDECIDED,
    )


@pytest.mark.parametrize(
    ("observations", "reason"),
    [
        ([*values("1"), MISSING, above(1)], Reason.MISSING_UNDECIDED),
        ([*values("1"), above(1)], Reason.CENSORING_UNDECIDED),
        ([*values("1"), between(finite(1), finite(3))], Reason.BOUNDS_UNDECIDED),
        ([exact(Fraction(2), Fraction(1, 100))], Reason.RESOLUTION_UNDECIDED),
    ],
)
def test_reason_is_the_first_ignorance_that_would_decide(
    observations: list[Observed], reason: Reason
) -> None:
    assert said(bound(), observations) == (State.INCONCLUSIVE, reason)


def test_ignorance_that_would_decide_nothing_is_not_the_reason() -> None:
    near = exact(Fraction(2), Fraction(1, 100))
    observations = [*values("1"), near, near, near, MISSING]
    assert said(bound("median"), observations) == (
        State.INCONCLUSIVE,
        Reason.RESOLUTION_UNDECIDED,
    )


def test_bounds_that_cannot_hold_the_limit_are_not_the_reason() -> None:
    observations = [between(finite(0), finite(1)), exact(Fraction(2), Fraction(1, 10))]
    assert said(bound("max", "=="), observations) == (
        State.INCONCLUSIVE,
        Reason.RESOLUTION_UNDECIDED,
    )


def test_where_no_ignorance_decides_alone_the_first_is_the_reason() -> None:
    wide = between(finite(0), finite(4))
    observations = [unknown(), wide, exact(Fraction(2), Fraction(1, 100))]
    assert said(bound("median", "=="), observations) == (
        State.INCONCLUSIVE,
        Reason.MISSING_UNDECIDED,
    )


def test_censored_value_just_beyond_its_open_end_can_decide() -> None:
    assert said(bound("sum"), [above(1), *values("1")]) == (State.FAIL, Reason.BOUND_VIOLATED)
    assert said(bound("sum", "<=", "3"), [above(1), *values("1")]) == (
        State.INCONCLUSIVE,
        Reason.CENSORING_UNDECIDED,
    )


def test_equality_is_decided_by_the_limit_itself() -> None:
    assert said(bound("min", "=="), [*values("2"), between(finite(2), finite(4))]) == (
        State.PASS,
        Reason.BOUND_HELD,
    )
    assert said(bound("max", "=="), [*values("2"), between(finite(0), finite(4))]) == (
        State.INCONCLUSIVE,
        Reason.BOUNDS_UNDECIDED,
    )


# ---- margins ----


@pytest.mark.parametrize(
    ("op", "state", "margin"),
    [
        ("<=", State.PASS, "-3"),
        ("<=", State.FAIL, "1"),
        (">=", State.PASS, "-1"),
        (">=", State.FAIL, "3"),
        ("==", State.INCONCLUSIVE, "-3"),
    ],
)
def test_margin_is_of_the_worst_end_and_for_fail_of_what_is_established(
    op: str, state: State, margin: str
) -> None:
    judged = Judged(state, Reason.BOUND_HELD, Interval(finite(1), finite(5)))
    assert margin_of(bound(op=op), judged) == finite(Fraction(margin))


def test_margin_of_an_equality_that_fails_is_its_distance() -> None:
    below = judge(bound(op="=="), values("0.5"))
    assert margin_of(bound(op="=="), below) == finite(Fraction("-1.5"))
    over = judge(bound(op="=="), [above(3)])
    assert margin_of(bound(op="=="), over) == finite(-1)


def test_margin_of_units_that_differ_around_the_limit_is_no_number() -> None:
    around = bound("all", "==")
    assert margin_of(around, judge(around, values("1", "3"))) is None


def test_margin_of_what_never_happened_is_infinite_and_of_nothing_is_none() -> None:
    assert margin_of(bound(), judge(bound(), [never()])) == NEGATIVE_INFINITY
    assert margin_of(bound(), judge(bound(), [])) is None


def test_end_orders_infinity_beyond_every_number() -> None:
    assert NEGATIVE_INFINITY < finite(-(10**30)) < finite(10**30) < INFINITY == End(1, 0, 2)


def test_basis_says_what_counts_as_observed() -> None:
    assert [each.is_observed for each in (exact(1), above(1), unknown(), MISSING)] == [
        True,
        True,
        False,
        False,
    ]
    assert between(INFINITY, INFINITY).basis is Basis.EXACT


def test_value_that_only_approaches_what_it_must_equal_is_at_no_distance() -> None:
    judged = judge(bound("max", "=="), [above(2)])
    assert judged.state is State.FAIL
    assert margin_of(bound("max", "=="), judged) == finite(0)


@pytest.mark.parametrize("op", ["<=", ">="])
def test_rank_of_fewer_units_is_taken_from_the_worse_end(op: str) -> None:
    three = [absent(Absence.ABANDONED)] * 3
    assert said(bound("kth", op, "2", k=3), [*values("1", "3"), *three]) == (
        State.INCONCLUSIVE,
        Reason.FAIL_MASKED,
    )


def test_contradicted_receipt_that_cannot_matter_leaves_a_pass() -> None:
    both = conflicting([exact(1), exact(9)])
    enough = bound("median", required_n=4)
    assert said(enough, [*values("1", "1", "1", "1"), both])[0] is State.PASS
    assert said(bound("median"), [*values("1", "1", "1", "1"), both])[0] is State.INCONCLUSIVE
