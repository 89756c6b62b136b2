# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a gate is any JSON
"""Ways to make a bad server look good, each over the real judge, and each in vain (SCORING.md)."""

from typing import Any

import pytest
from msgspec.structs import replace

from app.core.protocol.lint import lint
from app.core.reason import Reason
from app.core.statement.capture import Usage
from tests import facts
from tests.contended import (
    CELL,
    RATE,
    SOLO,
    TTFT,
    contention,
    envelope,
    failed,
    fairness,
    lane,
    measured,
    of_firsts,
    protocol,
    ratio,
    score,
)
from tests.scores import ABANDONED, MISSING, NOT_WARM, Filled, only, said

SETTLED = {**TTFT, "name": "settlement"}
GOOD = of_firsts(1, 1)
N = 3


def with_b(gate: Any, b: Filled, *, exact: bool = True, rest: Filled = GOOD) -> tuple[str, str]:
    """Return what a gate says of N such slots of the candidate beside good controls."""
    of = protocol(gate, lanes=2, repetitions=N, exact=exact)
    return said(only(score(of, {"B": b}, rest=rest), gate["id"]))


# ---- the server fails fast ----

DEAD = measured(failed(0), failed(1), state="FAILED")


@pytest.mark.parametrize(
    "gate",
    [
        fairness(limit="30"),
        fairness(RATE, "1"),
        fairness({**TTFT, "name": "max_content_gap"}, "30"),
        ratio(),
        ratio(TTFT),
        envelope(),
        envelope(RATE),
        envelope(SETTLED),
    ],
)
def test_fast_503s_fail_whatever_is_asked(gate: Any) -> None:
    assert with_b(gate, DEAD)[0] == "FAIL"


def test_warmup_that_the_server_crashed_is_a_failure_and_no_missing_slot() -> None:
    crashed: Filled = ("FAILED", "sut", (Reason.SERVER_FAULT,), ())
    for gate in (fairness(limit="30"), ratio(), envelope()):
        assert with_b(gate, crashed)[0] == "FAIL"
    assert with_b(fairness(limit="30"), NOT_WARM) == ("INVALID", "HARNESS_FAULT")


# ---- somebody leaves something out ----


@pytest.mark.parametrize("arm", ["A", "A2"])
@pytest.mark.parametrize("gone", [MISSING, ABANDONED])
def test_dropped_controls_leave_nothing_to_pass_by(arm: str, gone: Filled) -> None:
    of = protocol(envelope(), lanes=2, repetitions=N)
    state, reason = said(only(score(of, {arm: gone}, rest=GOOD), "envelope-b"))
    assert (state, reason.endswith("CONTROL_MISSING")) == ("INCONCLUSIVE", True)


@pytest.mark.parametrize("gone", [MISSING, ABANDONED, NOT_WARM])
@pytest.mark.parametrize("gate", [fairness(limit="30"), ratio(TTFT), envelope()])
def test_slots_left_empty_after_a_bad_one_do_not_turn_it_into_nothing(
    gate: Any, gone: Filled
) -> None:
    of = protocol(gate, lanes=2, repetitions=N)
    bad = of_firsts(90, 20)
    filled = {f"B/{CELL}/1": bad, f"B/{CELL}/2": gone, f"B/{CELL}/3": gone}
    state = only(score(of, filled, rest=GOOD), gate["id"])
    assert said(state) in {("FAIL", "BOUND_VIOLATED"), ("INCONCLUSIVE", "FAIL_MASKED")}


def test_retried_boots_give_no_pass() -> None:
    again: Any = (*GOOD, True)
    assert with_b(fairness(limit="30"), again) == ("INCONCLUSIVE", "RETRY_SELECTION")
    assert with_b(envelope(), again) == ("INCONCLUSIVE", "RETRY_SELECTION")


# ---- the answers are shorter ----


def short(tokens: int, **members: Any) -> Filled:
    lanes = [lane(each, 1, tokens=tokens, finish_reason="stop", **members) for each in range(2)]
    return measured(*lanes)


def test_output_shorter_than_locked_never_settles() -> None:
    assert with_b(envelope(SETTLED), short(5))[0] == "FAIL"
    assert with_b(fairness(SETTLED, "60"), short(5)) == ("FAIL", "BOUND_VIOLATED")


def test_output_of_no_locked_length_that_is_shorter_wins_no_comparison() -> None:
    told = ("INCONCLUSIVE", "OUTPUT_AMOUNTS_DIFFER")
    for gate in (envelope(SETTLED), envelope(RATE)):
        assert with_b(gate, short(100), exact=False, rest=short(101)) == told
        assert with_b(gate, short(101), exact=False, rest=short(101))[0] == "PASS"
    first = with_b(envelope(), short(100), exact=False, rest=short(101))
    assert first == ("PASS", "WITHIN_ENVELOPE")


def test_output_that_nobody_counted_is_not_known_to_be_equal() -> None:
    unread = short(101, usage=Usage(prompt=None, completion=None, cached=None, reasoning=None))
    told = with_b(envelope(SETTLED), unread, exact=False, rest=short(101))
    assert told == ("INCONCLUSIVE", "OUTPUT_AMOUNTS_DIFFER")
    other = envelope(SETTLED)
    other["population"]["stream_role"] = "any"
    assert with_b(other, short(100), exact=False, rest=short(101))[1] == "OUTPUT_AMOUNTS_DIFFER"


def test_longer_output_of_a_slower_candidate_still_fails() -> None:
    lanes = [lane(each, 90, tokens=150, finish_reason="stop") for each in range(2)]
    assert with_b(envelope(SETTLED), measured(*lanes), exact=False)[0] == "FAIL"


# ---- the load is not there ----


def test_lanes_that_never_contended_support_nothing() -> None:
    gates = (fairness(scope="performance"), envelope(), contention(factor="1.5"))
    of = protocol(*gates, lanes=2, repetitions=N)
    alone = measured(lane(0, 1))
    found = score(of, {f"{arm}/{SOLO}": alone for arm in ("A", "B", "A2")}, rest=GOOD)
    assert {each.state for each in found.judgements} == {"INCONCLUSIVE"}
    assert found.scopes[0].reason == "NO_ASSAY_SENSITIVITY"


# ---- the document itself ----


def refused(gate: Any) -> set[str]:
    return {each.code for each in lint(protocol(gate)) if each.severity == "error"}


def test_domain_that_ends_within_reach_decides_nothing() -> None:
    for top in ("10", "30", "31"):
        assert "E_DOMAIN_DECIDES" in refused(fairness({**TTFT, "domain": ["0", top]}))
        assert "E_DOMAIN_DECIDES" in refused(ratio({**RATE, "domain": ["1", None]}))


def test_work_over_a_planned_window_is_no_metric() -> None:
    window = {**RATE, "name": "window_throughput"}
    assert "E_AMBIGUOUS_METRIC" in refused(fairness(window))


def test_fixed_work_is_divided_by_the_time_it_took_and_not_by_a_window() -> None:
    gate = envelope({**RATE, "name": "throughput"}, margin="0.1")
    del gate["slot_summary"]
    late = measured(lane(0, 1), replace(lane(1, 1), settled_us=99_000_000))
    assert with_b(gate, late) == ("FAIL", "BEYOND_ENVELOPE")
    cut = measured(lane(0, 1), facts.stream("reader", 1, observed_until_us=12_000_000))
    assert with_b(gate, cut)[0] == "INCONCLUSIVE"
