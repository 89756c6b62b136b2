# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a gate is any JSON
"""A study's score: every gate over every planned slot, and the scopes above them."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import msgspec

from app.core.protocol.plan import plan
from app.core.reason import Reason
from app.core.score.judge import ScoredSlot, StudyScore, judge_study
from app.core.score.observed import Absence
from app.core.statement.capture import Counter, Event, StreamsCapture
from app.core.statement.judgement import Judgement, ScopeState, UnitCount
from app.core.statement.protocol_document import ProtocolDocument
from tests import facts
from tests.documents import CELL, canary_gate, completeness_gate, document

GOOD, STARVED = facts.capture(), facts.starved()
Filled = tuple[Any, ...]
COMPLETE: Filled = ("COMPLETE", None, (Reason.ALL_STREAMS_COMPLETE,), (GOOD,))
FAILED: Filled = ("FAILED", "sut", (Reason.SERVER_FAULT,), (STARVED,))
MISSING: Filled = ("MISSING", None, (Reason.MISSING,), ())
ABANDONED: Filled = ("ABANDONED", None, (Reason.ABANDONED,), ())
NOT_WARM: Filled = (
    "WARMUP_FAILED",
    "harness",
    (Reason.WARMUP_NOT_COMPLETED, Reason.HARNESS_FAULT),
    (),
)
OTHER_IMAGE: Filled = ("INVALID", "identity", (Reason.IMAGE_MISMATCH,), (GOOD,))


def population(arm: str, *, role: str = "any", unit: str = "slot") -> Any:
    return {"arm": arm, "cell": CELL, "stream_role": role, "phase": "measured", "unit": unit}


def gate(kind: str, arm: str = "B", **members: Any) -> Any:
    common = {"id": f"{kind}-{arm.lower()}", "kind": kind, "role": "primary", "claim": "sample"}
    return {**common, "scope": "live_correctness", "population": population(arm), **members}


def bound(name: str = "ttft", limit: str = "10000000", *, arm: str = "B", **members: Any) -> Any:
    metric = {
        "name": name,
        "unit": "us",
        "direction": "lower_is_better",
        "domain": ["0", None],
        "resolution": "1000",
    }
    demand = {
        "metric": {**metric, **members.pop("metric", {})},
        "statistic": "max",
        "comparison": {"kind": "absolute", "op": "<=", "limit": limit},
    }
    role = population(arm, role="newcomer", unit=members.pop("unit", "slot"))
    return gate("bound", arm, population=role, **(demand | members))


def integrity(name: str = "restarts", *, arm: str = "B", **members: Any) -> Any:
    given: Any = {"role": "integrity", **members}
    return gate(
        "integrity",
        arm,
        metric={
            "name": name,
            "unit": "1",
            "direction": "lower_is_better",
            "domain": ["0", None],
            "source": "container_inspect",
        },
        statistic="sum",
        comparison={"kind": "absolute", "op": "<=", "limit": "0"},
        **given,
    )


def identity(arm: str = "B", fields: Any = None) -> Any:
    rule = {} if fields is None else {"rule": {"fields": fields}}
    return gate("identity", arm, role="validity", **rule)


def protocol(*gates: Any, repetitions: int = 1, **changes: Any) -> ProtocolDocument:
    if not gates:
        return document(repetitions=repetitions, **changes)
    return document(repetitions=repetitions, gates=list(gates), **changes)


def study(
    of: ProtocolDocument, filled: Mapping[str, Filled], *, rest: Filled = COMPLETE
) -> StudyScore:
    """Judge a study whose slots are ``filled`` by number or arm; all others are as ``rest``."""
    slots = [
        ScoredSlot(slot, *filled.get(slot.id.replace(f"/{CELL}/", ""), filled.get(slot.arm, rest)))
        for slot in plan(of)
    ]
    return judge_study(of, slots)


def only(score: StudyScore, name: str) -> Judgement:
    return next(each for each in score.judgements if each.gate == name)


def scope(score: StudyScore) -> ScopeState:
    (state,) = score.scopes
    return state


def said(of: Judgement | ScopeState) -> tuple[str, str]:
    return (of.state, of.reason)


# ---- the whole study ----


def test_study_of_complete_slots_passes() -> None:
    score = study(protocol(), {})
    assert said(scope(score)) == ("PASS", "ALL_GATES_PASS")
    assert score.failures == ()


def test_l18_both_http_200_and_no_token_before_the_incumbents_last_is_a_fail() -> None:
    score = study(protocol(), {"B": FAILED})
    canary = only(score, "canary-b-0")
    assert said(canary) == ("FAIL", "NOT_BEFORE")
    assert canary.observed is not None
    assert (canary.observed.lo, canary.observed.lo_open) == ("209000", True)
    assert (canary.limit, canary.unit, canary.margin) == ("0", "us", "-209000")
    assert said(scope(score)) == ("FAIL", "GATE_FAILED")
    assert [each.gate for each in score.failures] == ["canary-b-0", "complete-b-1"]


def test_l16_warm_up_404_is_neither_a_pass_nor_a_regression() -> None:
    score = study(protocol(), {"A": NOT_WARM}, rest=MISSING)
    assert said(only(score, "canary-a")) == ("INVALID", "HARNESS_FAULT")
    assert said(only(score, "canary-b-0")) == ("NOT_RUN", "NO_MEASURED_SLOT")
    assert said(scope(score)) == ("INVALID", "HARNESS_FAULT")
    assert score.failures == ()
    assert only(score, "canary-b-0").observed is None


def test_l21_unfinished_stream_stays_in_every_denominator() -> None:
    cut = facts.stream("newcomer", 1, submitted_us=680_000, observed_until_us=12_000_000)
    partial: Filled = (
        "PARTIAL",
        "unknown",
        (Reason.UNFINISHED_STREAM,),
        (facts.capture(facts.incumbent(), cut),),
    )
    score = study(protocol(bound(), completeness_gate("B", 2), canary_gate("B")), {"B": partial})
    assert said(only(score, "canary-b")) == ("INCONCLUSIVE", "CENSORED_BEFORE_DECIDING_INSTANT")
    assert said(only(score, "bound-b")) == ("FAIL", "BOUND_VIOLATED")
    complete = only(score, "complete-b")
    assert said(complete) == ("INCONCLUSIVE", "CENSORING_UNDECIDED")
    assert complete.counts == UnitCount(planned=2, exact=1, bounded=1, unknown=0)


def test_l17_missing_usage_leaves_the_gate_open_and_is_null_on_the_page() -> None:
    rate = bound("decode_rate", "1", metric={"unit": "tokens_per_s"}, statistic="min")
    rate["comparison"]["op"] = ">="
    silent = facts.capture(facts.incumbent(), facts.newcomer(usage=None))
    filled: Filled = ("COMPLETE", None, (Reason.ALL_STREAMS_COMPLETE,), (silent,))
    judged = only(study(protocol(rate), {"B": filled}), "bound-b")
    assert said(judged) == ("INCONCLUSIVE", "MISSING_UNDECIDED")
    (observation,) = judged.observations
    assert (observation.interval, observation.basis) == (None, "unknown")
    assert judged.counts.unknown == 1


def test_abandoned_candidate_is_invalid_and_never_passes() -> None:
    score = study(protocol(), {"B": ABANDONED})
    assert said(scope(score)) == ("INVALID", "ABANDONED")


def test_slot_missing_from_the_study_unbalances_it() -> None:
    of = protocol()
    slots = [ScoredSlot(slot, *COMPLETE) for slot in plan(of)]
    score = judge_study(of, slots[:-1])
    assert {said(each) for each in score.judgements} == {("INVALID", "LEDGER_UNBALANCED")}
    assert said(scope(score)) == ("INVALID", "LEDGER_UNBALANCED")


def test_slots_of_unequal_retries_cap_a_pass() -> None:
    of = protocol(repetitions=2)
    slots = [
        replace(ScoredSlot(slot, *COMPLETE), retried=(slot.arm, slot.repetition) == ("B", 1))
        for slot in plan(of)
    ]
    assert said(only(judge_study(of, slots), "canary-b-0")) == ("INCONCLUSIVE", "RETRY_SELECTION")


# ---- conflicting receipts ----


def conflict(*captures: StreamsCapture) -> Filled:
    return ("INVALID", None, (Reason.CONFLICTING_RECEIPTS,), captures)


def test_second_receipt_does_not_turn_a_fail_of_both_into_invalid() -> None:
    score = study(protocol(), {"B": conflict(STARVED, STARVED)})
    assert said(only(score, "canary-b-0")) == ("FAIL", "NOT_BEFORE")


def test_second_receipt_makes_no_pass() -> None:
    for captures in ((GOOD, STARVED), (GOOD, GOOD)):
        score = study(protocol(), {"B": conflict(*captures)})
        assert said(only(score, "canary-b-0")) == ("INVALID", "CONFLICTING_RECEIPTS")
    nothing = ScoredSlot(plan(protocol())[0], *conflict())
    assert nothing.absence is Absence.UNSCORABLE


def test_second_receipt_that_came_too_late_does_not_hide_a_fail() -> None:
    assert said(only(study(protocol(), {"B": conflict(STARVED)}), "canary-b-0"))[0] == "FAIL"
    late = study(protocol(), {"B": conflict(GOOD)})
    assert said(only(late, "canary-b-0")) == ("INVALID", "CONFLICTING_RECEIPTS")


def test_bound_over_conflicting_receipts_takes_their_hull() -> None:
    of = protocol(bound(limit="5000000"))
    assert said(only(study(of, {"B": conflict(GOOD, GOOD)}), "bound-b"))[0] == "FAIL"


# ---- server failures before measuring ----


def test_warm_up_that_the_server_failed_fails_every_gate() -> None:
    failed: Filled = ("FAILED", "sut", (Reason.SERVER_FAULT,), ())
    score = study(protocol(bound(), completeness_gate("B", 2), canary_gate("B")), {"B": failed})
    states = {each.gate: each.state for each in score.judgements}
    assert states == {"bound-b": "FAIL", "complete-b": "FAIL", "canary-b": "FAIL"}
    assert only(score, "canary-b").margin == "-inf"


def test_complete_slot_without_its_capture_is_missing() -> None:
    lost: Filled = ("COMPLETE", None, (), ())
    score = study(protocol(), {"B": lost})
    assert said(only(score, "canary-b-0")) == ("NOT_RUN", "NO_MEASURED_SLOT")


# ---- integrity ----


def restarted(after: int = 1, *, event_us: int | None = None) -> Filled:
    events = [] if event_us is None else [Event(name="restarts", at_us=event_us)]
    observations = msgspec.structs.replace(
        GOOD.observations,
        counters=[Counter(name="restarts", before=0, after=after)],
        events=events,
    )
    capture = msgspec.structs.replace(GOOD, observations=observations)
    return ("COMPLETE", None, (Reason.ALL_STREAMS_COMPLETE,), (capture,))


def test_restart_fails_integrity_and_leaves_what_follows_unknown() -> None:
    of = protocol(integrity(), bound(), canary_gate("B"))
    score = study(of, {"B": restarted()})
    assert said(only(score, "integrity-b")) == ("FAIL", "BOUND_VIOLATED")
    assert said(only(score, "bound-b")) == ("INCONCLUSIVE", "MISSING_UNDECIDED")
    assert said(only(score, "canary-b")) == ("INCONCLUSIVE", "MISSING_UNDECIDED")


def test_stream_that_was_over_before_the_restart_stays_what_it_was() -> None:
    of = protocol(integrity(), integrity("oom", id="oom-b"), bound())
    score = study(of, {"B": restarted(event_us=10_000_000)})
    assert said(only(score, "bound-b")) == ("PASS", "BOUND_HELD")
    assert said(only(score, "oom-b")) == ("INCONCLUSIVE", "MISSING_UNDECIDED")


def test_failed_requests_stay_the_servers_failures_after_a_restart() -> None:
    capture = msgspec.structs.replace(STARVED, observations=restarted()[3][0].observations)
    failed: Filled = ("FAILED", "sut", (Reason.SERVER_FAULT,), (capture,))
    assert said(only(study(protocol(integrity(), bound()), {"B": failed}), "bound-b"))[0] == "FAIL"


def test_exploratory_integrity_breaks_nothing_else() -> None:
    of = protocol(integrity(role="exploratory"), bound())
    assert said(only(study(of, {"B": restarted()}), "bound-b")) == ("PASS", "BOUND_HELD")


# ---- identity ----


def test_identity_mismatch_makes_the_cell_invalid_save_what_fails_by_valid_slots() -> None:
    of = protocol(identity(), canary_gate("B"), repetitions=2)
    score = study(of, {"B1": OTHER_IMAGE})
    assert said(only(score, "identity-b")) == ("INVALID", "IDENTITY_MISMATCH")
    assert said(only(score, "canary-b")) == ("INVALID", "VALIDITY_GATE_BROKEN")
    failing = study(of, {"B1": OTHER_IMAGE, "B2": FAILED})
    assert said(only(failing, "canary-b")) == ("FAIL", "NOT_BEFORE")
    assert only(score, "identity-b").limit is None


def test_identity_gate_reads_the_fields_it_names() -> None:
    for fields, state in ((["models"], "PASS"), (["image"], "INVALID")):
        score = study(protocol(identity(fields=fields), canary_gate("B")), {"B": OTHER_IMAGE})
        assert only(score, "identity-b").state == state
    vague: Filled = ("INVALID", "identity", (Reason.IDENTITY_MISMATCH,), (GOOD,))
    score = study(protocol(identity(fields=["models"])), {"B": vague})
    assert said(only(score, "identity-b")) == ("INVALID", "IDENTITY_MISMATCH")


def test_identity_of_a_slot_without_a_receipt_is_unknown() -> None:
    of = protocol(identity(), canary_gate("B"))
    assert said(only(study(of, {"B": MISSING}), "identity-b")) == ("NOT_RUN", "NO_MEASURED_SLOT")
    assert said(only(study(of, {"B": ABANDONED}), "identity-b")) == ("INVALID", "ABANDONED")


def test_identities_as_pinned_pass_and_claim_nothing() -> None:
    score = study(protocol(identity()), {})
    assert said(only(score, "identity-b")) == ("PASS", "IDENTITIES_AS_PINNED")
    assert said(scope(score)) == ("NOT_RUN", "NO_GATE_EVALUATED")


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


def test_identical_times_in_every_control_slot_are_flagged_and_change_no_state() -> None:
    of = protocol(bound(), bound(arm="A", id="ttft-a", role="secondary"), repetitions=2)
    score = study(of, {})
    assert score.flags == (Reason.DEGENERATE_DATA,)
    assert said(scope(score)) == ("PASS", "ALL_GATES_PASS")
    other = facts.capture(facts.incumbent(), facts.newcomer(first=5_000_000))
    differing = study(of, {"A1": ("COMPLETE", None, (), (other,))})
    assert differing.flags == ()
    assert study(protocol(), {}).flags == ()
