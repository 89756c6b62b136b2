# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a gate is any JSON
"""What the units of a gate are, and what of a study's gates enters its scopes."""

from typing import Any

from app.core.reason import Reason
from app.core.statement.judgement import Judgement
from tests import facts
from tests.documents import canary_gate
from tests.gates import bound, identity
from tests.scores import (
    ABANDONED,
    FAILED,
    MISSING,
    NOT_WARM,
    OTHER_IMAGE,
    Filled,
    only,
    protocol,
    said,
    scope,
    study,
)

# ---- units ----


def test_unit_stream_is_every_planned_stream() -> None:
    score = study(protocol(), {"B": FAILED})
    complete = only(score, "complete-b-1")
    assert [(each.stream_role, each.lane) for each in complete.observations] == [
        ("incumbent", 0),
        ("newcomer", 1),
    ]


def test_bound_of_streams_of_one_role_has_them_as_units() -> None:
    judged = only(study(protocol(bound(unit="stream")), {}), "bound-b")
    assert [each.stream_role for each in judged.observations] == ["newcomer"]


def folded(**members: Any) -> Judgement:
    whole = bound("settlement", **members)
    whole["population"]["stream_role"] = "any"
    return only(study(protocol(whole), {}), "bound-b")


def test_slot_of_several_streams_is_folded_as_declared() -> None:
    observed = {
        summary: folded(slot_summary=summary, slot_k=1).observed
        for summary in ("max", "min", "median", "sum", "kth", "only")
    }
    low = {summary: seen.lo for summary, seen in observed.items() if seen is not None}
    assert low == {
        "max": "21009000",
        "min": "8342000",
        "median": "21009000",
        "sum": "29351000",
        "kth": "8342000",
        "only": "8342000",
    }
    assert observed["only"] is not None
    assert observed["only"].hi == "21011000"


def test_median_of_streams_takes_the_lower_where_lower_is_worse() -> None:
    whole = bound("settlement", slot_summary="median")
    whole["population"]["stream_role"] = "any"
    whole["comparison"] = {"kind": "absolute", "op": ">=", "limit": "1"}
    judged = only(study(protocol(whole), {}), "bound-b")
    assert judged.observed is not None
    assert judged.observed.lo == "8342000"


def test_slot_with_an_unknown_stream_is_not_observed_but_may_still_fail() -> None:
    whole = bound("settlement", limit="1000000", slot_summary="max")
    whole["population"]["stream_role"] = "any"
    left_out: Filled = (
        "PARTIAL",
        "unknown",
        (Reason.UNFINISHED_STREAM,),
        (facts.capture(facts.incumbent()),),
    )
    judged = only(study(protocol(whole), {"B": left_out}), "bound-b")
    assert said(judged) == ("FAIL", "BOUND_VIOLATED")
    assert judged.counts.unknown == 1


def boots(*names: str | None) -> dict[str, Filled]:
    return {
        f"B{number}": ("COMPLETE", None, (), (facts.capture(boot_id=name),))
        for number, name in enumerate(names, start=1)
    }


def test_slots_that_share_a_boot_count_once_for_required_n() -> None:
    of = protocol(bound(unit="boot"), repetitions=2)
    insufficient = ("INCONCLUSIVE", "INSUFFICIENT_N")
    assert said(only(study(of, boots("b-1", "b-1")), "bound-b")) == insufficient
    assert said(only(study(of, boots(None, None)), "bound-b")) == insufficient
    assert said(only(study(of, boots("b-1", "b-2")), "bound-b")) == ("PASS", "BOUND_HELD")
    slots = protocol(bound(), repetitions=2)
    assert said(only(study(slots, boots("b-1", "b-1")), "bound-b")) == ("PASS", "BOUND_HELD")


def test_slot_failed_before_measuring_names_no_boot() -> None:
    failed: Filled = ("FAILED", "sut", (Reason.SERVER_FAULT,), ())
    of = protocol(bound(unit="boot", statistic="any"), repetitions=2)
    judged = only(study(of, {**boots("b-1"), "B2": failed}), "bound-b")
    assert judged.state == "PASS"


def test_counter_and_gauge_bounds_have_one_value_a_slot() -> None:
    counted = bound("restarts", "0", metric={"unit": "1", "source": "counter", "resolution": "0"})
    assert said(only(study(protocol(counted), {}), "bound-b")) == ("PASS", "BOUND_HELD")


def test_progress_gate_watches_one_stream() -> None:
    watched = {**bound("max_content_gap", "30000000"), "kind": "progress", "id": "progress-b"}
    assert said(only(study(protocol(watched), {}), "progress-b")) == ("PASS", "BOUND_HELD")


def test_canary_on_an_event_that_must_come_later_takes_the_earliest_of_a_failed_stream() -> None:
    later = canary_gate("B")
    later["rule"] = {
        "left": {"stream_role": "newcomer", "event": "last_content"},
        "op": ">",
        "right": {"stream_role": "incumbent", "event": "last_content"},
    }
    assert only(study(protocol(later), {"B": FAILED}), "canary-b").state == "FAIL"


# ---- scopes ----


def test_control_that_fails_does_not_fail_the_candidate() -> None:
    score = study(protocol(), {"A": FAILED, "A2": FAILED})
    assert said(only(score, "canary-a")) == ("FAIL", "NOT_BEFORE")
    assert said(scope(score)) == ("PASS", "ALL_GATES_PASS")


def test_control_that_was_not_run_leaves_the_scope_not_run() -> None:
    score = study(protocol(), {"A2": MISSING})
    assert said(scope(score)) == ("NOT_RUN", "NO_MEASURED_SLOT")


def test_control_without_gates_enters_with_whether_it_was_measured() -> None:
    of = protocol(canary_gate("B"))
    assert said(scope(study(of, {}))) == ("PASS", "ALL_GATES_PASS")
    assert said(scope(study(of, {"A": NOT_WARM}))) == ("INVALID", "HARNESS_FAULT")
    assert said(scope(study(of, {"A2": MISSING}))) == ("NOT_RUN", "NO_MEASURED_SLOT")


def test_control_of_another_identity_makes_the_scope_invalid() -> None:
    of = protocol(canary_gate("B"), identity("A"), repetitions=2)
    score = study(of, {"A1": OTHER_IMAGE})
    assert said(scope(score)) == ("INVALID", "VALIDITY_GATE_BROKEN")


def test_candidate_without_a_gate_where_others_have_one_is_not_run() -> None:
    of = protocol(canary_gate("B"), arms=("A", "B", "C", "A2"))
    assert said(scope(study(of, {}))) == ("NOT_RUN", "NO_GATE_EVALUATED")


def test_exploratory_gates_never_enter() -> None:
    of = protocol(canary_gate("B", role="exploratory"), bound())
    assert said(scope(study(of, {"B": FAILED}))) == ("FAIL", "BOUND_VIOLATED")
    wrong = facts.capture(facts.incumbent(), facts.newcomer(answer_matched=False))
    answered: Filled = ("COMPLETE", None, (), (wrong,))
    score = study(of, {"B": answered})
    assert said(only(score, "canary-b")) == ("FAIL", "WRONG_ANSWER")
    assert said(scope(score)) == ("PASS", "ALL_GATES_PASS")


def test_scope_without_a_primary_claim_never_passes() -> None:
    of = protocol(canary_gate("B", role="secondary"))
    assert said(scope(study(of, {}))) == ("NOT_RUN", "NO_GATE_EVALUATED")


def test_masked_fail_is_the_scopes_reason() -> None:
    middle = bound(statistic="median", limit="1000000")
    of = protocol(middle, repetitions=5)
    filled = {f"B{number}": ABANDONED for number in (3, 4, 5)}
    assert said(scope(study(of, filled))) == ("INCONCLUSIVE", "FAIL_MASKED")


def test_amounts_that_nobody_reported_cap_no_gate_that_compares_nothing() -> None:
    silent = facts.capture(facts.incumbent(), facts.newcomer(usage=None))
    got = study(protocol(bound()), {"B": ("COMPLETE", None, (), (silent,))}).judgements[0]
    assert said(got) == ("PASS", "BOUND_HELD")


def test_identical_times_in_every_control_slot_are_flagged_and_change_no_state() -> None:
    of = protocol(bound(), bound(arm="A", id="ttft-a", role="secondary"), repetitions=2)
    score = study(of, {})
    assert score.flags == (Reason.DEGENERATE_DATA,)
    assert said(scope(score)) == ("PASS", "ALL_GATES_PASS")
    other = facts.capture(facts.incumbent(), facts.newcomer(first=5_000_000))
    differing = study(of, {"A1": ("COMPLETE", None, (), (other,))})
    assert differing.flags == ()
    assert study(protocol(), {}).flags == ()
    once = protocol(bound(), bound(arm="A", id="ttft-a", role="secondary"))
    assert study(once, {}).flags == ()


# ---- what was begun and never told ----


def test_l03_abandoned_slot_of_any_arm_keeps_the_scope_from_passing() -> None:
    of = protocol(repetitions=2)
    for slot in ("A1", "A21", "B1"):
        counted = study(of, {slot: ABANDONED})
        assert scope(counted).state == "INCONCLUSIVE"
    assert said(scope(study(of, {"A1": ABANDONED}))) == ("INCONCLUSIVE", "ABANDONED")


def test_l03_abandoned_slot_behind_a_lower_required_n_keeps_the_scope_from_passing() -> None:
    enough = bound(statistic="median", required_n=3)
    score = study(protocol(enough, repetitions=5), {"B1": ABANDONED, "B2": ABANDONED})
    assert said(only(score, "bound-b")) == ("PASS", "BOUND_HELD")
    assert said(scope(score)) == ("INCONCLUSIVE", "ABANDONED")


def test_abandoned_slot_does_not_soften_a_fail() -> None:
    of = protocol(repetitions=2)
    assert scope(study(of, {"B1": FAILED, "B2": ABANDONED})).state == "FAIL"


def test_validity_gate_that_fails_breaks_its_place_whatever_its_kind() -> None:
    late = bound(limit="1000000", role="validity")
    score = study(protocol(canary_gate("B"), late), {})
    assert said(only(score, "bound-b")) == ("FAIL", "BOUND_VIOLATED")
    assert said(only(score, "canary-b")) == ("INVALID", "VALIDITY_GATE_BROKEN")
    assert said(scope(score)) == ("INVALID", "VALIDITY_GATE_BROKEN")
    control = protocol(canary_gate("B"), {**late, "population": {**late["population"], "arm": "A"}})
    assert said(scope(study(control, {}))) == ("INVALID", "VALIDITY_GATE_BROKEN")
