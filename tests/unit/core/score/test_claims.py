# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a study is any JSON
"""Gates with a p-value over whole studies."""

from copy import deepcopy
from dataclasses import replace
from fractions import Fraction
from typing import Any

import msgspec
import pytest
from msgspec import UNSET

from app.core.identity import Scope
from app.core.protocol.gate import Domain
from app.core.protocol.plan import PlannedSlot, plan
from app.core.reason import Reason
from app.core.score.boot_ratio import boot_ratios
from app.core.score.judge import ScoredSlot, StudyScore, judge_study
from app.core.score.observe import Evidence, Unit
from app.core.score.observed import Observed, exact, unknown
from app.core.statement.judgement import Inference
from app.core.statement.protocol_document import ProtocolDocument
from tests import documents, facts
from tests.claims import answered, compared, drift, share, times
from tests.documents import completeness_gate, document, streams_cell
from tests.gates import bound, gate, identity, population
from tests.scores import ABANDONED, FAILED, MISSING, Filled, only, protocol, said, scope

FAST = [8_000_000 + 10_000 * each for each in range(6)]
SAME = [8_005_000 + 10_000 * each for each in range(6)]
SLOW = [9_900_000 + 10_000 * each for each in range(6)]
ARMS = {"A": FAST, "B": SAME, "A2": FAST}


def judged(record: Any, arms: Any = None, *, name: str = "comparison-b", **more: Any) -> Any:
    score = times(protocol(record, repetitions=6), {**ARMS, **(arms or {})}, **more)
    return only(score, name)


def record_of(score: StudyScore, name: str) -> Inference:
    record = only(score, name).inference
    assert isinstance(record, Inference)
    return record


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
    assert got.rule.startswith("ttft of B/C2-canary not worse than A by 1/10 of it")


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


def test_slots_of_one_boot_count_once() -> None:
    boots = {f"A{each}": "one" for each in range(1, 7)}
    got = judged(compared(), boots=boots)
    assert said(got) == ("INCONCLUSIVE", "INSUFFICIENT_N")
    assert got.inference.subsets[0].subsets == 2
    unnamed = {f"B{each}": None for each in range(1, 7)}
    assert judged(compared(), boots=unnamed).inference.subsets[0].subsets == 2
    pair = {"B1": "one", "B2": "one"}
    assert judged(compared(), boots=pair).inference.subsets[0].subsets == 32


def test_slots_of_one_boot_are_folded_in_each_arm_of_a_bracket() -> None:
    bracket = compared("non_inferiority", "A", "A2", slot_summary="max")
    got = judged(bracket, boots={"B1": "one", "B2": "one"})
    assert said(got) == ("INCONCLUSIVE", "INSUFFICIENT_N")
    assert got.inference.against[0].pairs == 30
    gone = judged(bracket, {"B": [MISSING, *SAME[1:]]}, boots={"B3": "one", "B2": "one"})
    assert gone.inference.against[0].pairs == 30


def waves(arms: Any, *, of: int = 3, boots: Any = None, **gate_members: Any) -> Any:
    """Judge blocks of six repetitions in a row of which ``of`` were planned in one boot."""
    made = protocol(compared(slot_summary="median", **gate_members), repetitions=6)
    planned = msgspec.structs.replace(made.cells[0], waves=of)
    planned_in = msgspec.structs.replace(made, cells=[planned])
    named = {f"{arm}{n}": f"{arm}{(n - 1) // of}" for arm in ("A", "B") for n in range(1, 7)}
    got = times(planned_in, {**ARMS, **arms}, boots={**named, **(boots or {})})
    return only(got, "comparison-b")


def test_waves_of_one_boot_are_one_unit_and_all_slots_stay_in_sight() -> None:
    got = waves({"B": [SAME[0], 99_000_000, SAME[0], *SAME[3:]]}, of=3)
    assert (got.inference.subsets[0].subsets, len(got.inference.differences)) == (4, 2)
    assert (got.counts.planned, got.counts.exact) == (12, 12)
    assert said(got) == ("INCONCLUSIVE", "INSUFFICIENT_N")
    assert waves({}, of=1).inference.subsets[0].subsets == 64


def test_missing_wave_makes_no_unit_of_its_own() -> None:
    one_gone = waves({"B": [MISSING, *SAME[1:]]}, of=3)
    assert one_gone.inference.subsets[0].subsets == 4
    boot_gone = waves({"B": [MISSING, ABANDONED, MISSING, *SAME[3:]]}, of=3)
    assert boot_gone.inference.subsets[0].subsets == 4


def test_waves_that_ran_in_other_boots_than_planned_are_no_more_units() -> None:
    others = {f"B{n}": f"new-{n}" for n in range(1, 7)}
    assert waves({}, of=3, boots=others).inference.subsets[0].subsets == 4


def test_planned_boots_are_the_number_required() -> None:
    assert waves({"B": SLOW}, of=2, alpha="0.4").reason == "WORSE_IN_BLOCKS"
    assert said(waves({}, of=2, alpha="0.4")) == ("PASS", "NON_INFERIOR_IN_BLOCKS")
    short = waves({"B": [MISSING, *(each - 3_000_000 for each in SAME[1:])]}, of=2, alpha="0.4")
    assert short.state == "INCONCLUSIVE"


def test_boot_with_contradicted_receipts_is_unknown_for_pass_and_a_hull_for_fail() -> None:
    slow = answered(99_000_000, "B0")
    both = (*answered(98_000_000, "B0")[3], *slow[3])
    conflict: Filled = ("INVALID", None, (Reason.CONFLICTING_RECEIPTS,), both)
    worse = {"B": [conflict, conflict, conflict, *SLOW[3:]]}
    assert waves(worse, of=3, alpha="0.4").reason == "WORSE_IN_BLOCKS"
    good = answered(SAME[0], "B0")
    near: Filled = ("INVALID", None, (Reason.CONFLICTING_RECEIPTS,), (*good[3], *good[3]))
    kept = waves({"B": [near, *SAME[1:]]}, of=3, alpha="0.4", required_n=1)
    assert kept.state == "INCONCLUSIVE"


def test_share_counts_planned_boots_where_its_unit_is_the_boot() -> None:
    record = share(population=population("B", role="newcomer", unit="boot"), slot_summary="max")
    made = protocol(record, repetitions=6)
    of = msgspec.structs.replace(made, cells=[msgspec.structs.replace(made.cells[0], waves=2)])
    named = {f"B{n}": f"B{(n - 1) // 2}" for n in range(1, 7)}
    score = times(of, ARMS, boots=named)
    found = record_of(score, "quantile-b").share
    assert found is not None
    assert (found.n, only(score, "quantile-b").counts.planned) == (3, 6)


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
    assert judged(equal, name="proportion-b").rule.startswith("more than 1/2 of all")


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


def assay_study(shown: Any, *, kind: Any = None, candidate: Any = None) -> Any:
    limit: Any = {"comparison": {"kind": "absolute", "op": "<=", "limit": "9000000"}}
    gates = [
        bound(**limit),
        bound(**limit, arm="P", id="bound-p", expect="FAIL"),
        completeness_gate("B", 12),
        gate("assay", "P", role="validity", expect="FAIL"),
    ]
    of = protocol(*(kind or gates), repetitions=6, arms=("A", "B", "A2", "P"))
    return times(of, {**ARMS, "P": shown, **({} if candidate is None else {"B": candidate})})


@pytest.fixture(autouse=True)
def values(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(documents.VALUES, "P", "none")


def test_known_bad_arm_that_fails_lets_a_pass_stand() -> None:
    score = assay_study(SLOW)
    assert said(only(score, "assay-p")) == ("PASS", "ASSAY_SENSITIVE")
    assert said(only(score, "bound-b")) == ("PASS", "BOUND_HELD")


def test_known_bad_arm_that_passes_takes_the_pass_away_and_leaves_a_fail() -> None:
    score = assay_study(FAST)
    assert said(only(score, "assay-p")) == ("INCONCLUSIVE", "NO_ASSAY_SENSITIVITY")
    assert said(only(score, "bound-b")) == ("INCONCLUSIVE", "NO_ASSAY_SENSITIVITY")
    assert said(only(score, "complete-b")) == ("PASS", "BOUND_HELD")
    assert said(only(assay_study(FAST, candidate=SLOW), "bound-b")) == ("FAIL", "BOUND_VIOLATED")


def test_assay_that_looks_at_nothing_takes_every_pass_away() -> None:
    alone = [completeness_gate("B", 12), gate("assay", "P", role="validity", expect="FAIL")]
    score = assay_study(SLOW, kind=alone)
    assert said(only(score, "complete-b")) == ("INCONCLUSIVE", "NO_ASSAY_SENSITIVITY")


def test_control_expected_to_pass_may() -> None:
    gates = [bound(), bound(arm="P", id="p", expect="PASS")]
    gates += [gate("assay", "P", role="validity", expect="PASS")]
    assert said(only(assay_study(FAST, kind=gates), "assay-p")) == ("PASS", "ASSAY_SENSITIVE")


def test_claim_over_accounts_that_do_not_add_up_is_invalid() -> None:
    of = protocol(compared(), repetitions=6)
    slots = [ScoredSlot(each, *MISSING) for each in plan(of)[1:]]
    got = only(judge_study(of, slots), "comparison-b")
    assert said(got) == ("INVALID", "LEDGER_UNBALANCED")
    assert got.inference is UNSET


# ---- ratios inside a boot ----


def two_cells() -> ProtocolDocument:
    value = msgspec.to_builtins(protocol(compared(), repetitions=6))
    solo = deepcopy(value["cells"][0])
    solo["id"] = "C1-solo"
    value["cells"].append(solo)
    value["gates"][0]["population"]["against_cell"] = "C1-solo"
    return msgspec.convert(value, ProtocolDocument)


def ratio_study(solo: Any = None, *, other_boot: bool = False) -> Any:
    of, slots = two_cells(), []
    for slot in plan(of):
        boot = f"{slot.arm}{slot.repetition}"
        if slot.cell == "C1-solo":
            filled = answered(4_000_000, f"{boot}x" if other_boot else boot)
            filled = filled if solo is None or slot.arm != "B" else solo[slot.repetition - 1]
        else:
            filled = answered(ARMS[slot.arm][slot.repetition - 1], boot)
        slots.append(ScoredSlot(slot, *filled))
    return only(judge_study(of, slots), "comparison-b")


def test_ratio_is_taken_inside_a_boot_and_nowhere_else() -> None:
    got = ratio_study()
    assert said(got) == ("PASS", "NON_INFERIOR_IN_BLOCKS")
    assert " over C1-solo of " in got.rule
    assert said(ratio_study(other_boot=True)) == ("INCONCLUSIVE", "MISSING_UNDECIDED")


def test_ratio_without_its_denominator_is_unknown() -> None:
    got = ratio_study([MISSING] * 6)
    assert said(got) == ("NOT_RUN", "NO_MEASURED_SLOT")
    assert got.counts.unknown == 6
    zero = answered(0, "B1")
    some = ratio_study([zero, *(answered(4_000_000, f"B{each}") for each in range(2, 7))])
    assert some.state == "INCONCLUSIVE"


def test_ratio_with_anything_missing_is_unknown() -> None:
    gone = ratio_study([MISSING, *(answered(4_000_000, f"B{each}") for each in range(2, 7))])
    assert gone.counts.unknown == 1
    arms: Any = {**ARMS, "B": [MISSING, *SAME[1:]]}
    of = two_cells()
    slots = [
        ScoredSlot(slot, *_filled(arms[slot.arm][slot.repetition - 1], slot)) for slot in plan(of)
    ]
    assert only(judge_study(of, slots), "comparison-b").counts.unknown == 1


def _filled(value: Any, slot: PlannedSlot) -> Filled:
    boot = f"{slot.arm}{slot.repetition}"
    return answered(value, boot) if isinstance(value, int) else value


def test_ratio_needs_both_values() -> None:
    place = PlannedSlot("B/C/1", "B", "C", 1)
    capture = facts.capture(boot_id="boot")
    slot = ScoredSlot(place, "COMPLETE", None, (), (capture,))
    evidence = Evidence(slot, (capture,), (), streams_cell(document()))
    domain = Domain(Fraction(0), None)

    def ratio(top: Observed, bottom: Observed | None) -> Observed:
        over = [(evidence, Unit(place.id, None, top))]
        under = [] if bottom is None else [(evidence, Unit(place.id, None, bottom))]
        (unit,) = boot_ratios(over, under, domain=domain)
        return unit.observed

    assert ratio(exact(6), exact(3)) == exact(2)
    assert ratio(exact(6), None) == unknown()
    assert ratio(exact(6), unknown()) == unknown()
    assert ratio(unknown(), exact(3)) == unknown()
    assert ratio(exact(6), exact(0)) == unknown()


def test_slots_of_one_boot_of_which_one_has_no_value_are_unknown_together() -> None:
    unsent = facts.capture(facts.incumbent(), facts.newcomer(submitted_us=None), boot_id="one")
    silent: Filled = ("COMPLETE", None, (), (unsent,))
    arms = {"B": [*SAME[:4], answered(SAME[4], "one"), silent]}
    got = judged(compared(slot_summary="max"), arms)
    assert got.inference.subsets[0].subsets == 32
    assert got.state == "INCONCLUSIVE"


# ---- what caps and breaks every gate, for gates with a p-value too ----


def filled(of: ProtocolDocument, **changes: Any) -> StudyScore:
    """Judge a good study with the members of single slots changed, by arm and repetition."""
    slots = []
    for slot in plan(of):
        own = ScoredSlot(slot, *_filled(ARMS[slot.arm][slot.repetition - 1], slot))
        slots.append(replace(own, **changes.get(f"{slot.arm}{slot.repetition}", {})))
    return judge_study(of, slots)


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


def test_denominator_that_the_server_failed_makes_no_ratio() -> None:
    crashed: Filled = ("FAILED", "sut", (Reason.SERVER_FAULT,), ())
    failed = facts.capture(
        facts.incumbent(),
        facts.stream("newcomer", 680_000, error_class="connection_reset"),
        boot_id="B1",
    )
    for first in (crashed, ("FAILED", "sut", (Reason.SERVER_FAULT,), (failed,))):
        got = ratio_study([first, *(answered(4_000_000, f"B{each}") for each in range(2, 7))])
        assert got.counts.unknown == 1
        assert got.state == "INCONCLUSIVE"


def test_known_bad_arm_whose_validity_is_broken_shows_nothing() -> None:
    limit: Any = {"comparison": {"kind": "absolute", "op": "<=", "limit": "9000000"}}
    gates = [
        bound(**limit),
        bound(**limit, arm="P", id="bound-p", expect="FAIL"),
        bound(**limit, arm="P", id="broken", role="validity"),
        gate("assay", "P", role="validity", expect="FAIL"),
    ]
    score = assay_study(SLOW, kind=gates)
    assert said(only(score, "assay-p")) == ("INCONCLUSIVE", "NO_ASSAY_SENSITIVITY")


def test_abandoned_slot_of_a_control_blocks_the_pass_of_a_comparison() -> None:
    of = protocol(compared(), bound(), repetitions=6)
    late: Any = {"A": [*FAST[:5], ABANDONED], "B": [each - 5_000_000 for each in SAME]}
    assert scope(times(of, {**ARMS, **late})).state == "INCONCLUSIVE"
