# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a fact is any value of it

"""A study's score: every gate over every planned slot."""

from dataclasses import replace
from typing import Any

import msgspec
import pytest

from app.core.protocol.plan import plan
from app.core.reason import Reason
from app.core.score.judge import ScoredSlot, judge_study
from app.core.score.observed import Absence
from app.core.statement.capture import Counter, Event, StreamsCapture
from app.core.statement.judgement import UnitCount
from tests import facts
from tests.documents import canary_gate, completeness_gate
from tests.gates import bound, identity, integrity
from tests.scores import (
    ABANDONED,
    COMPLETE,
    FAILED,
    GOOD,
    MISSING,
    NOT_WARM,
    OTHER_IMAGE,
    STARVED,
    Filled,
    only,
    protocol,
    said,
    scope,
    study,
)

# ---- the whole study ----


def test_study_of_complete_slots_passes() -> None:
    score = study(protocol(), {})
    assert said(scope(score)) == ("PASS", "ALL_GATES_PASS")
    assert score.flags == ()


def test_l18_both_http_200_and_no_token_before_the_incumbents_last_is_a_fail() -> None:
    score = study(protocol(), {"B": FAILED})
    canary = only(score, "canary-b-0")
    assert said(canary) == ("FAIL", "NOT_BEFORE")
    assert canary.observed is not None
    assert (canary.observed.lo, canary.observed.lo_open) == ("209000", True)
    assert (canary.limit, canary.unit, canary.margin) == ("0", "us", "-209000")
    assert said(scope(score)) == ("FAIL", "GATE_FAILED")
    failed = [each.gate for each in score.judgements if each.state == "FAIL"]
    assert failed == ["canary-b-0", "complete-b-1"]


def test_l16_warm_up_404_is_neither_a_pass_nor_a_regression() -> None:
    score = study(protocol(), {"A": NOT_WARM}, rest=MISSING)
    assert said(only(score, "canary-a")) == ("INVALID", "HARNESS_FAULT")
    assert said(only(score, "canary-b-0")) == ("NOT_RUN", "NO_MEASURED_SLOT")
    assert said(scope(score)) == ("INVALID", "HARNESS_FAULT")
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


def test_slot_of_an_arm_that_nobody_planned_unbalances_the_study() -> None:
    of = protocol()
    slots = [ScoredSlot(slot, *COMPLETE) for slot in plan(of)]
    stray = replace(slots[-1], planned=replace(slots[-1].planned, id="Z/C2-canary/1", arm="Z"))
    for more in (stray, *slots[-1:]), (stray,):
        score = judge_study(of, [*slots[:-1], *more])
        assert {said(each) for each in score.judgements} == {("INVALID", "LEDGER_UNBALANCED")}


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


def test_nothing_is_known_since_the_first_of_two_events() -> None:
    (capture,) = restarted(event_us=1)[3]
    seen = msgspec.structs.replace(
        capture.observations,
        counters=[*capture.observations.counters, Counter(name="oom", before=0, after=1)],
        events=[*capture.observations.events, Event(name="oom", at_us=10_000_000)],
    )
    twice = (*COMPLETE[:3], (msgspec.structs.replace(capture, observations=seen),))
    of = protocol(integrity(), integrity("oom", id="oom-b"), bound())
    assert said(only(study(of, {"B": twice}), "bound-b"))[0] == "INCONCLUSIVE"


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


def test_identity_gate_breaks_by_the_fields_it_names_and_knows_nothing_of_an_invalid_slot() -> None:
    for fields, reason in ((["models"], "IMAGE_MISMATCH"), (["image"], "IDENTITY_MISMATCH")):
        score = study(protocol(identity(fields=fields), canary_gate("B")), {"B": OTHER_IMAGE})
        judgement = only(score, "identity-b")
        assert (judgement.state, judgement.reason) == ("INVALID", reason)
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


# ---- deviations ----


def test_slot_that_a_deviation_touches_caps_the_pass_of_its_arm_and_cell_only() -> None:
    of = protocol(repetitions=2)
    slots = [
        replace(ScoredSlot(slot, *COMPLETE), deviated=(slot.arm, slot.repetition) == ("B", 1))
        for slot in plan(of)
    ]
    score = judge_study(of, slots)
    assert said(only(score, "canary-b-0")) == ("INCONCLUSIVE", "DEVIATION")
    assert said(only(score, "canary-a")) == ("PASS", "BEFORE_WITH_EXPECTED_ANSWER")
    assert said(scope(score)) == ("INCONCLUSIVE", "DEVIATION")


def test_deviation_does_not_soften_a_fail() -> None:
    of = protocol()
    slots = [replace(ScoredSlot(slot, *FAILED), deviated=True) for slot in plan(of)]
    assert said(only(judge_study(of, slots), "canary-b-0")) == ("FAIL", "NOT_BEFORE")


# ---- streams that were cut ----


@pytest.mark.parametrize("error", [None, "connection_reset", "malformed_stream", "interrupted"])
@pytest.mark.parametrize(
    ("until", "complete"), [(100_000_000, "INCONCLUSIVE"), (240_000_000, "FAIL")]
)
def test_l21_word_for_the_end_of_a_stream_never_makes_its_silence_milder(
    error: Any, until: int, complete: str
) -> None:
    cut = facts.starved_newcomer(error_class=error, observed_until_us=until)
    partial: Filled = (
        "PARTIAL",
        "unknown",
        (Reason.UNFINISHED_STREAM,),
        (facts.capture(facts.incumbent(), cut),),
    )
    score = study(protocol(bound(), completeness_gate("B", 2)), {"B": partial})
    assert said(only(score, "bound-b")) == ("FAIL", "BOUND_VIOLATED")
    assert only(score, "complete-b").state == complete
