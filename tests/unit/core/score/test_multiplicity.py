# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a claim is any value of it
"""Corrections over many claims: whose are counted together, and at alpha exactly."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

from app.core.reason import Reason
from app.core.score.holm import holm
from app.core.score.multiplicity import Claimed, corrected
from app.core.score.sample_size import units_needed
from app.core.score.state import State
from tests.claims import compared, share, times
from tests.judged import ARMS, record_of
from tests.scores import protocol

ALPHA = Fraction(1, 20)
NAMES = ("quantile-b", "comparison-b", "looked")
PASSED = Claimed(
    State.PASS, Reason.CLAIM_ESTABLISHED, Fraction(1, 40), Fraction(1), ALPHA, None, "m", None
)
FAILED = replace(
    PASSED,
    state=State.FAIL,
    reason=Reason.CLAIM_REFUTED,
    p_pass=Fraction(1),
    p_fail=Fraction(1, 40),
)


def after(*claims: Claimed) -> list[tuple[State, Fraction | None, Fraction | None]]:
    return [(each.state, each.p_pass, each.p_fail) for each in corrected(claims)]


def member(name: str, **changes: Any) -> Claimed:
    return replace(PASSED, family="f", member=name, **changes)


def test_claim_that_stands_alone_is_not_corrected() -> None:
    assert after(PASSED, FAILED) == [(State.PASS, None, None), (State.FAIL, None, None)]


def test_members_of_one_family_are_counted_together_and_no_others() -> None:
    twice = Fraction(1, 20)
    got = after(member("a"), member("b"), PASSED, replace(member("c"), family="other"))
    assert got == [
        (State.PASS, twice, None),
        (State.PASS, twice, None),
        (State.PASS, None, None),
        (State.PASS, Fraction(1, 40), None),
    ]


def test_claims_of_one_member_must_all_hold_and_count_once() -> None:
    got = after(member("a"), member("a", p_pass=Fraction(1, 30)), member("b"))
    assert [p for _, p, _ in got] == [Fraction(1, 20), Fraction(1, 20), Fraction(1, 20)]


def test_pass_and_fail_are_kept_at_alpha_and_lost_beyond() -> None:
    more = Fraction(1, 40) + Fraction(1, 10**9)
    assert [state for state, _, _ in after(member("a"), member("b"))] == [State.PASS] * 2
    lost = corrected([member("a", p_pass=more), member("b", p_pass=more)])
    assert {(each.state, each.reason) for each in lost} == {
        (State.INCONCLUSIVE, Reason.EFFECT_NEAR_MARGIN)
    }
    two = [replace(FAILED, failing="s"), replace(FAILED, failing="s")]
    assert [state for state, _, _ in after(*two)] == [State.FAIL] * 2
    lost = corrected([replace(each, p_fail=more) for each in two])
    assert {(each.state, each.reason) for each in lost} == {
        (State.INCONCLUSIVE, Reason.FAIL_NOT_AFTER_HOLM)
    }


def test_fails_of_one_scope_are_counted_together_and_no_others() -> None:
    got = after(
        replace(FAILED, failing="s"),
        replace(FAILED, failing="s"),
        FAILED,
        replace(FAILED, failing="t"),
    )
    assert [p for _, _, p in got] == [Fraction(1, 20), Fraction(1, 20), None, Fraction(1, 40)]


def test_undecided_claim_stays_undecided_whatever_the_correction() -> None:
    open_ = member("a", state=State.INCONCLUSIVE, reason=Reason.BASELINE_SPREAD)
    assert [each.reason for each in corrected([open_, member("b")])] == [
        Reason.BASELINE_SPREAD,
        Reason.CLAIM_ESTABLISHED,
    ]


def test_no_corrected_chance_is_above_one() -> None:
    assert set(holm([Fraction(4, 5), Fraction(9, 10)])) == {1}


def test_units_needed_take_in_a_chance_of_exactly_alpha() -> None:
    half = Fraction(1, 2)
    assert units_needed(half, exceedances=0, confidence=1 - Fraction(1, 32)) == 5
    assert units_needed(half, exceedances=0, confidence=half) == 1
    assert units_needed(half, exceedances=1, confidence=Fraction(1, 4)) == 2


def test_only_comparisons_that_count_are_corrected_with_one_another() -> None:
    gates = [share(), compared(), compared(id="looked", role="exploratory")]
    score = times(protocol(*gates, repetitions=6), ARMS)
    adjusted = {each: record_of(score, each).adjusted_p_fail for each in NAMES}
    assert adjusted == {"quantile-b": None, "comparison-b": "1", "looked": None}
