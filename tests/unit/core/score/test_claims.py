# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a study is any JSON
"""Gates with a p-value over whole studies."""

from typing import Any

import pytest
from msgspec import UNSET

from app.core.identity import Scope
from app.core.protocol.plan import plan
from app.core.reason import Reason
from app.core.score.judge import ScoredSlot, judge_study
from app.core.statement.judgement import CountedOf, Inference, RequiredOf
from tests.claims import compared, drift, share, times
from tests.gates import bound, identity
from tests.judged import ARMS, FAST, SAME, SLOW, filled, judged, record_of
from tests.scores import ABANDONED, FAILED, MISSING, Filled, only, protocol, said, scope


def test_blocks_that_agree_pass_and_say_how() -> None:
    got = judged(compared())
    assert said(got) == ("PASS", "NON_INFERIOR_IN_BLOCKS")
    record = got.inference
    assert isinstance(record, Inference)
    assert (record.p_pass, record.p_fail, record.alpha) == ("0.015625", "1", "0.04")
    assert (record.subsets[0].not_below, record.subsets[0].subsets) == (1, 64)
    assert len(record.differences) == 6
    assert record.baseline is not None
    assert record.baseline.not_below == 1
    assert (len(got.observations), got.counts.planned) == (12, 12)
    assert got.rule.startswith("ttft of B/C2-canary not worse than A by 0.1 of it")


def test_blocks_that_are_slower_fail() -> None:
    assert said(judged(compared(), {"B": SLOW})) == ("FAIL", "WORSE_IN_BLOCKS")


def test_blocks_for_superiority_need_the_whole_margin() -> None:
    better = compared("superiority")
    better["comparison"]["margin"] = "-0.1"
    assert said(judged(better, {"A": SLOW, "B": FAST})) == ("PASS", "SUPERIOR_IN_BLOCKS")
    assert said(judged(better)) == ("FAIL", "WORSE_IN_BLOCKS")


def test_blocks_for_equivalence_have_two_sides() -> None:
    equal = compared("equivalence")
    got = judged(equal)
    assert said(got) == ("PASS", "EQUIVALENT_IN_BLOCKS")
    assert len(got.inference.subsets) == 2
    assert said(judged(equal, {"A": SLOW, "B": FAST})) == ("FAIL", "DIFFERENT_IN_BLOCKS")


def test_rates_are_worse_when_lower() -> None:
    rate = compared()
    rate["metric"] = {
        "name": "completion_tokens",
        "unit": "1",
        "direction": "higher_is_better",
        "domain": ["0", None],
    }
    rate["comparison"]["worse"] = "lower"
    assert said(judged(rate)) == ("PASS", "NON_INFERIOR_IN_BLOCKS")


def test_bracket_passes_against_both_controls_and_says_how() -> None:
    got = judged(compared("non_inferiority", "A", "A2"))
    assert said(got) == ("PASS", "NON_INFERIOR_TO_BOTH_CONTROLS")
    first, back = got.inference.against
    assert (first.arm, back.arm, first.favourable, first.pairs) == ("A", "A2", 36, 36)
    assert got.inference.drift.state == "STABLE"
    assert got.inference.drift.certified is True
    assert len(got.observations) == 18


def test_bracket_for_equivalence() -> None:
    equal = compared("equivalence", "A", "A2")
    assert said(judged(equal)) == ("PASS", "EQUIVALENT_TO_BOTH_CONTROLS")
    other = {"A": SLOW, "A2": SLOW, "B": FAST}
    assert said(judged(equal, other)) == ("FAIL", "DIFFERENT_FROM_BOTH_CONTROLS")


def test_bracket_whose_controls_drifted_does_not_pass() -> None:
    moved = compared("non_inferiority", "A", "A2", drift_margin="0.02")
    arms = {"A2": [each + 700_000 for each in FAST]}
    assert said(judged(moved, arms)) == ("INCONCLUSIVE", "CONTROL_DRIFT")
    trusting = compared("non_inferiority", "A", "A2", drift_policy="bracket_only")
    assert said(judged(trusting, arms)) == ("PASS", "NON_INFERIOR_TO_BOTH_CONTROLS")


def test_dropped_controls_never_help() -> None:
    gone = [MISSING] * 6
    bracket = compared("non_inferiority", "A", "A2")
    assert said(judged(bracket, {"A": gone})) == ("INCONCLUSIVE", "CONTROL_MISSING")
    assert said(judged(bracket, {"A2": gone})) == ("INCONCLUSIVE", "RETURN_CONTROL_MISSING")
    assert said(judged(compared(), {"A": gone})) == ("INCONCLUSIVE", "CONTROL_MISSING")
    assert said(judged(bracket, {"B": gone})) == ("NOT_RUN", "NO_MEASURED_SLOT")
    masked = judged(bracket, {"B": SLOW, "A2": gone})
    assert said(masked) == ("INCONCLUSIVE", "FAIL_MASKED")


def test_abandoned_candidates_mask_no_failure() -> None:
    arms = {"B": [*SLOW[:5], ABANDONED]}
    assert said(judged(compared(), arms)) == ("INCONCLUSIVE", "FAIL_MASKED")


def test_server_failures_count_as_times_without_end() -> None:
    crashed: Filled = ("FAILED", "sut", (Reason.SERVER_FAULT,), ())
    arms = {"B": [crashed] * 6}
    assert said(judged(compared(), arms)) == ("FAIL", "WORSE_IN_BLOCKS")
    once = {"B": [*SAME[:5], FAILED]}
    assert said(judged(compared(), once)) == ("INCONCLUSIVE", "EFFECT_NEAR_MARGIN")


def test_missing_slot_is_short_of_the_planned_number_even_if_all_others_pass() -> None:
    eight = protocol(compared(required_n=5), repetitions=9)
    more: Any = {arm: [*values, *values[:3]] for arm, values in ARMS.items()}
    better = {**more, "B": [*(each - 3_000_000 for each in more["B"][:8]), MISSING]}
    got = only(times(eight, better), "comparison-b")
    assert said(got) == ("INCONCLUSIVE", "MISSING_UNDECIDED")


def test_later_attempts_may_spend_less_alpha() -> None:
    second = judged(compared(), attempts={Scope.LIVE_CORRECTNESS: 2})
    assert (second.inference.alpha, second.inference.attempt) == ("0.008", 2)
    assert said(second) == ("INCONCLUSIVE", "INSUFFICIENT_N")


# ---- shares and drift ----


def test_quantile_is_claimed_from_its_least_number_of_slots_on() -> None:
    got = judged(share(), name="quantile-b")
    assert said(got) == ("PASS", "CLAIM_ESTABLISHED")
    assert got.inference.share.n == 6
    assert got.inference.share.least_n == 5
    assert said(judged(share(p="0.9"), name="quantile-b")) == ("INCONCLUSIVE", "INSUFFICIENT_N")
    refuted = judged(share(), {"B": SLOW}, name="quantile-b")
    assert said(refuted) == ("FAIL", "CLAIM_REFUTED")


def test_proportion_is_of_every_planned_slot() -> None:
    whole = share("proportion", alpha="0.2")
    got = judged(whole, {"B": [*SAME[:5], MISSING]}, name="proportion-b")
    assert said(got) == ("INCONCLUSIVE", "INSUFFICIENT_N")
    enough = share("proportion", alpha="0.2", required_n=5)
    fewer = judged(enough, {"B": [*SAME[:5], MISSING]}, name="proportion-b")
    assert said(fewer) == ("PASS", "CLAIM_ESTABLISHED")
    assert fewer.required == RequiredOf(n=5, counted=[CountedOf(arm="B", n=5)])
    few = judged(whole, {"B": [*SAME[:3], MISSING, MISSING, MISSING]}, name="proportion-b")
    assert said(few) == ("INCONCLUSIVE", "MISSING_UNDECIDED")
    equal = share("proportion", comparison={"kind": "equality", "value": "1"})
    equal["metric"] = {
        "name": "complete",
        "unit": "1",
        "direction": "higher_is_better",
        "domain": ["0", "1"],
        "accepted_bases": ["finish_reason"],
    }
    assert judged(equal, name="proportion-b").rule.startswith("more than 0.5 of all")


def test_masked_share_is_said_to_be() -> None:
    arms = {"B": [*SLOW[:5], ABANDONED]}
    assert judged(share(alpha="0.04"), arms, name="quantile-b").state == "INCONCLUSIVE"
    assert said(judged(share(alpha="0.06"), arms, name="quantile-b")) == (
        "INCONCLUSIVE",
        "FAIL_MASKED",
    )


@pytest.mark.parametrize(
    ("arms", "expected"),
    [
        ({}, ("PASS", "CONTROLS_STABLE")),
        ({"A2": SLOW}, ("INCONCLUSIVE", "CONTROL_DRIFT")),
        ({"A2": [*FAST[:3], *SLOW[:3]]}, ("INCONCLUSIVE", "BASELINE_SPREAD")),
        ({"A": [MISSING] * 6}, ("INCONCLUSIVE", "CONTROL_MISSING")),
        ({"A2": [MISSING] * 6}, ("INCONCLUSIVE", "RETURN_CONTROL_MISSING")),
        ({"A": [MISSING] * 6, "A2": [MISSING] * 6}, ("NOT_RUN", "NO_MEASURED_SLOT")),
        ({"A2": [*FAST[:1], *[MISSING] * 5]}, ("INCONCLUSIVE", "CONTROL_DRIFT_POSSIBLE")),
    ],
)
def test_drift_never_fails_a_server(arms: Any, expected: tuple[str, str]) -> None:
    got = judged(drift(), arms, name="drift-a2")
    assert said(got) == expected
    assert got.inference.drift.certified is None


# ---- families, Holm, assays ----


def test_any_of_a_family_passes_by_holm() -> None:
    family: Any = {"family": "settings", "family_mode": "any"}
    gates = [compared(**family), compared(**family, id="other")]
    gates[1]["population"] = {**gates[1]["population"], "arm": "C"}
    either = protocol(*gates, repetitions=6, arms=("A", "B", "C", "A2"))
    good = times(either, {**ARMS, "C": SLOW})
    assert said(only(good, "other")) == ("FAIL", "WORSE_IN_BLOCKS")
    assert record_of(good, "comparison-b").adjusted_p_pass == "0.03125"
    assert said(scope(good)) == ("PASS", "ALL_GATES_PASS")
    assert scope(times(either, {**ARMS, "B": SLOW, "C": SLOW})).state == "FAIL"


def test_k_of_a_family_and_a_family_too_large_for_its_blocks() -> None:
    family: Any = {"family": "settings", "family_mode": "k_of_n", "family_k": 2}
    gates = [compared(**family, id=f"g-{arm.lower()}") for arm in ("B", "C", "D")]
    for each, arm in zip(gates, ("B", "C", "D"), strict=True):
        each["population"] = {**each["population"], "arm": arm}
    arms = ("A", "B", "C", "A2")
    wanted = protocol(*gates[:2], repetitions=6, arms=arms)
    assert said(scope(times(wanted, {**ARMS, "C": SAME}))) == ("PASS", "ALL_GATES_PASS")
    third = [compared(**family), compared(**family, id="x"), compared(**family, id="y")]
    for each, scope_ in zip(third, ("B", "C", "A2"), strict=True):
        each["population"] = {**each["population"], "arm": scope_}
    many = times(protocol(*third, compared(id="z"), repetitions=6, arms=arms), {**ARMS, "C": SAME})
    assert said(only(many, "x")) == ("INCONCLUSIVE", "EFFECT_NEAR_MARGIN")


def test_fail_of_one_among_many_comparisons_needs_holm() -> None:
    gates = [compared(id=f"g{each}") for each in range(3)]
    for each in gates[1:]:
        each["population"] = {**each["population"], "arm": "C"}
    score = times(
        protocol(*gates, repetitions=6, arms=("A", "B", "C", "A2")), {**ARMS, "B": SLOW, "C": SAME}
    )
    assert said(only(score, "g0")) == ("INCONCLUSIVE", "FAIL_NOT_AFTER_HOLM")
    assert record_of(score, "g0").adjusted_p_fail == "0.046875"


def test_claim_over_accounts_that_do_not_add_up_is_invalid() -> None:
    of = protocol(compared(), repetitions=6)
    slots = [ScoredSlot(each, *MISSING) for each in plan(of)[1:]]
    got = only(judge_study(of, slots), "comparison-b")
    assert said(got) == ("INVALID", "LEDGER_UNBALANCED")
    assert got.inference is UNSET


# ---- what caps and breaks every gate, for gates with a p-value too ----


@pytest.mark.parametrize("slot", ["A1", "B6"])
def test_deviation_in_any_arm_that_a_comparison_reads_caps_it(slot: str) -> None:
    of = protocol(compared(), repetitions=6)
    capped = only(filled(of, **{slot: {"deviated": True}}), "comparison-b")
    assert said(capped) == ("INCONCLUSIVE", "DEVIATION")
    elsewhere = only(filled(of, A22={"deviated": True}), "comparison-b")
    assert elsewhere.state == "PASS"


def test_deviation_or_unequal_retries_cap_what_is_said_of_drift() -> None:
    moved = protocol(drift(), repetitions=6)
    assert said(only(filled(moved, A1={"deviated": True}), "drift-a2"))[1] == "DEVIATION"
    retried = only(filled(moved, A1={"retried": True}), "drift-a2")
    assert said(retried) == ("INCONCLUSIVE", "RETRY_SELECTION")


def test_control_that_is_not_what_was_pinned_leaves_nothing_of_a_comparison() -> None:
    of = protocol(compared(), identity("A"), identity("B", ["image"]), repetitions=6)
    other: Any = {"state": "INVALID", "reasons": (Reason.IMAGE_MISMATCH,), "captures": ()}
    got = filled(of, A1=other)
    assert said(only(got, "identity-a")) == ("INVALID", "IDENTITY_MISMATCH")
    assert said(only(got, "comparison-b")) == ("INVALID", "VALIDITY_GATE_BROKEN")
    slow = times(of, {**ARMS, "A": [*FAST[:5], ("INVALID", None, other["reasons"], ())], "B": SLOW})
    assert said(only(slow, "comparison-b")) == ("INVALID", "VALIDITY_GATE_BROKEN")


def test_abandoned_slot_of_a_control_blocks_the_pass_of_a_comparison() -> None:
    of = protocol(compared(), bound(), repetitions=6)
    late: Any = {"A": [*FAST[:5], ABANDONED], "B": [each - 5_000_000 for each in SAME]}
    assert scope(times(of, {**ARMS, **late})).state == "INCONCLUSIVE"
