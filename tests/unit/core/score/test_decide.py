# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a demand is any value of it
"""One demand over its planned units: what it says, why, and how far it is from its limit."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from app.core.protocol.gate import Demand, Domain, canary_demand, identity_demand
from app.core.reason import Reason
from app.core.score.decide import judge
from app.core.score.interval import INFINITY, Interval, finite
from app.core.score.observed import (
    Absence,
    Observed,
    above,
    absent,
    at_least,
    conflicting,
    exact,
    never,
    unknown,
    zero_or_one,
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


# ---- nothing measured ----


def test_l16_gate_with_zero_measured_slots_is_not_run() -> None:
    assert said(bound(), [absent(Absence.NOT_STARTED), MISSING]) == (
        State.NOT_RUN,
        Reason.NO_MEASURED_SLOT,
    )


def test_gate_without_any_planned_unit_is_not_run() -> None:
    assert said(bound(), []) == (State.NOT_RUN, Reason.NO_MEASURED_SLOT)
    assert judge(bound(), []).interval is None


def test_gate_with_attempts_of_which_none_can_be_scored_is_invalid() -> None:
    attempt = absent(Absence.UNSCORABLE, Reason.HARNESS_FAULT)
    assert said(bound(), [attempt, MISSING]) == (State.INVALID, Reason.HARNESS_FAULT)
    other = absent(Absence.UNSCORABLE, Reason.IMAGE_MISMATCH)
    assert said(bound(), [attempt, other]) == (State.INVALID, Reason.NO_VALID_SLOT)
    assert said(bound(), [absent(Absence.UNSCORABLE)]) == (State.INVALID, Reason.NO_VALID_SLOT)


def test_gate_of_which_every_slot_was_abandoned_is_invalid_abandoned() -> None:
    abandoned = absent(Absence.ABANDONED)
    assert said(bound(), [abandoned, abandoned]) == (State.INVALID, Reason.ABANDONED)
    mixed = [abandoned, absent(Absence.UNSCORABLE, Reason.HARNESS_FAULT)]
    assert said(bound(), mixed) == (State.INVALID, Reason.NO_VALID_SLOT)


def test_attempts_that_say_the_same_still_differ_if_one_was_abandoned() -> None:
    attempt = absent(Absence.UNSCORABLE, Reason.HARNESS_FAULT)
    left = absent(Absence.ABANDONED, Reason.HARNESS_FAULT)
    assert said(bound(), [attempt, left]) == (State.INVALID, Reason.NO_VALID_SLOT)


def test_doubted_receipts_alone_are_invalid_as_tainted() -> None:
    assert said(bound(), [absent(Absence.DOUBTED)]) == (State.INVALID, Reason.TAINTED)


# ---- conflicting receipts ----


def test_conflicting_receipts_that_break_nothing_leave_no_number() -> None:
    judged = judge(bound(), [conflicting(values("0", "1"))])
    assert (judged.state, judged.reason) == (State.INVALID, Reason.CONFLICTING_RECEIPTS)
    assert judged.interval == Interval(finite(0), INFINITY, hi_open=True)


def test_conflicting_receipts_that_both_break_the_limit_are_a_fail() -> None:
    both = conflicting(values("3", "9"))
    assert said(bound(), [both, *values("1")]) == (State.FAIL, Reason.BOUND_VIOLATED)
    assert said(bound(), [both]) == (State.FAIL, Reason.BOUND_VIOLATED)


def test_conflicting_receipts_never_pass_and_alone_are_invalid() -> None:
    both = conflicting(values("1", "1"))
    assert said(bound(), [both]) == (State.INVALID, Reason.CONFLICTING_RECEIPTS)
    assert said(bound(), [both, *values("1")]) == (State.INCONCLUSIVE, Reason.MISSING_UNDECIDED)


def test_conflicting_receipts_of_which_one_is_unknown_establish_nothing() -> None:
    assert conflicting([*values("9"), unknown()]).interval is None


# ---- FAIL and PASS at the limit ----


@pytest.mark.parametrize(
    ("op", "value", "state"),
    [
        ("<=", "2", State.PASS),
        ("<", "2", State.FAIL),
        (">=", "2", State.PASS),
        (">", "2", State.FAIL),
        ("==", "2", State.PASS),
        ("==", "2.000001", State.FAIL),
        ("<", "1.999999", State.PASS),
        (">", "2.000001", State.PASS),
    ],
)
def test_comparison_exactly_at_the_limit_follows_the_operator(
    op: str, value: str, state: State
) -> None:
    assert judge(bound(op=op), values(value)).state is state


def test_censored_exactly_at_the_limit_is_beyond_it() -> None:
    assert judge(bound(), [above(2)]).state is State.FAIL
    assert judge(bound(), [at_least(2)]).state is State.INCONCLUSIVE
    assert judge(bound(op=">"), [above(2)]).state is State.PASS
    assert judge(bound(op=">"), [at_least(2)]).state is State.INCONCLUSIVE


def test_terminal_server_error_is_infinite_and_not_censored() -> None:
    assert judge(bound(), [never()]).interval == Interval(INFINITY, INFINITY)
    assert judge(bound(), [never()]).state is State.FAIL
    assert judge(bound(statistic="sum"), [never(), *values("1")]).state is State.FAIL


def test_even_number_of_units_takes_the_middle_value_that_is_worse() -> None:
    four = values("1", "2", "3", "9")
    assert judge(bound("median", "<=", "2.6"), four).state is State.FAIL
    assert judge(bound("median", ">=", "2.4"), four).state is State.FAIL
    assert judge(bound("median", "==", "3"), four).state is State.FAIL
    assert judge(bound("median", "==", "3"), values("1", "3", "3", "9")).state is State.PASS


def test_sum_of_decimals_is_exact() -> None:
    assert judge(bound("sum", "<=", "0.3"), values("0.1", "0.1", "0.1")).state is State.PASS


def test_hard_violation_fails_below_required_n() -> None:
    assert said(bound(required_n=3), [*values("3"), MISSING, MISSING]) == (
        State.FAIL,
        Reason.BOUND_VIOLATED,
    )


def test_domain_end_is_no_value_that_was_measured() -> None:
    limited = bound(domain=Domain(Fraction(0), Fraction(10)), limit="10")
    assert judge(limited, [above(3), *values("1")]).interval == Interval(
        finite(3), finite(10), lo_open=True
    )
    outside = judge(limited, [above(30)]).interval
    assert outside is not None
    assert outside.lo == finite(30)


def test_all_and_any_are_about_every_unit_and_about_one() -> None:
    assert judge(bound("all"), values("1", "2")).state is State.PASS
    assert judge(bound("all"), values("1", "3")).state is State.FAIL
    assert judge(bound("any"), values("1", "3")).state is State.PASS
    assert judge(bound("any"), values("4", "3")).state is State.FAIL
    assert judge(bound("any", ">="), values("1", "1")).state is State.FAIL
    assert judge(bound("all", "=="), values("2", "2")).state is State.PASS
    assert judge(bound("any"), [*values("3"), MISSING]).state is State.INCONCLUSIVE


def test_order_statistic_beyond_the_units_decides_nothing() -> None:
    assert judge(bound("kth", k=3), values("1", "1")).state is State.INCONCLUSIVE


# ---- counts and caps ----


def test_required_n_is_every_planned_unit_unless_declared() -> None:
    four = [*values("1.2", "1.3", "1.1", "1.4"), MISSING]
    assert said(bound("median"), four) == (State.INCONCLUSIVE, Reason.INSUFFICIENT_N)
    assert said(bound("median", required_n=4), four) == (State.PASS, Reason.BOUND_HELD)


def test_slots_of_one_boot_count_once() -> None:
    assert said(bound(), values("1", "1"), independent=1) == (
        State.INCONCLUSIVE,
        Reason.INSUFFICIENT_N,
    )


def test_cap_takes_a_pass_and_leaves_a_fail() -> None:
    cap = Reason.RETRY_SELECTION
    assert said(bound(), values("1"), cap=cap) == (State.INCONCLUSIVE, cap)
    assert said(bound(), values("3"), cap=cap) == (State.FAIL, Reason.BOUND_VIOLATED)


def test_identity_gate_that_is_broken_is_invalid_and_never_fails() -> None:
    broken = [zero_or_one(value=True), zero_or_one(value=False)]
    assert said(identity_demand(), broken) == (State.INVALID, Reason.IDENTITY_MISMATCH)
    assert said(identity_demand(), [zero_or_one(value=True)]) == (
        State.PASS,
        Reason.IDENTITIES_AS_PINNED,
    )


def test_canary_says_order_before_answer() -> None:
    late = zero_or_one(value=False, why=Reason.NOT_BEFORE)
    wrong = zero_or_one(value=False, why=Reason.WRONG_ANSWER)
    assert said(canary_demand(), [wrong, late]) == (State.FAIL, Reason.NOT_BEFORE)
    assert said(canary_demand(), [wrong]) == (State.FAIL, Reason.WRONG_ANSWER)
