# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a gate is any JSON
"""B1 to B16 of the published contention cases, by their figures."""

from typing import Any

import pytest

from app.core.identity import Scope
from app.core.protocol.lint import lint
from app.core.reason import Reason
from tests import facts
from tests.claims import compared, times
from tests.contended import (
    CELL,
    RATE,
    TTFT,
    envelope,
    fairness,
    lane,
    measured,
    of_firsts,
    of_rates,
    population,
    protocol,
    ratio,
    score,
)
from tests.documents import completeness_gate, document
from tests.gates import bound
from tests.lints import found, gated
from tests.scores import MISSING, Filled, only, said
from tests.scores import protocol as canary

NO_OVERLAP: Filled = ("INVALID", "harness", (Reason.PRECONDITION_NOT_MET,), (facts.capture(),))


def of(*gates: Any, n: int = 1, lanes: int = 2) -> Any:
    return protocol(*gates, lanes=lanes, repetitions=n)


def test_b01_gate_on_the_incumbent_alone_is_one_sided() -> None:
    one = bound("max_content_gap", "5000000", scope="fairness")
    one["population"]["stream_role"] = "incumbent"
    codes = {code for code, _ in found(document(gates=[one], scopes=[Scope.FAIRNESS]))}
    assert "E_ONE_SIDED" in codes


@pytest.mark.parametrize("newcomer", [67, 71])
def test_b02_newcomer_over_a_minute_fails_in_every_boot(newcomer: float) -> None:
    judged = score(of(fairness(TTFT, "60"), n=4), {"B": of_firsts(newcomer, 1)}, rest=MISSING)
    assert said(only(judged, "lane-b")) == ("FAIL", "BOUND_VIOLATED")


def test_b04_stream_without_a_byte_is_incomplete_whatever_its_status() -> None:
    silent = facts.stream("reader", 1, http_status=200, observed_until_us=240_000_000)
    gate = completeness_gate("B", 2, scope="performance")
    gate["population"] = population("B", unit="stream")
    judged = score(of(gate), {"B": measured(lane(0, 1), silent)}, rest=MISSING)
    assert said(only(judged, "complete-b")) == ("FAIL", "BOUND_VIOLATED")


def test_b07_eight_lanes_of_full_length_and_no_error_are_not_fair() -> None:
    rates = (1.1, 3, 5, 8, 12, 15, 18, 21.69)
    judged = score(of(ratio(), n=1, lanes=8), {"B": of_rates(*rates)}, rest=MISSING)
    assert said(only(judged, "ratio-b")) == ("FAIL", "BOUND_VIOLATED")


def test_b07_spread_flips_with_the_lane_in_the_numerator() -> None:
    lanes = of_rates(10, 15, 19.9, 20.1)
    flips = (ratio(id="fastest"), ratio(id="second", highest=2))
    judged = score(of(*flips, lanes=4), {"B": lanes}, rest=MISSING)
    assert [only(judged, each).state for each in ("fastest", "second")] == ["FAIL", "PASS"]


def test_b10_hole_of_five_minutes_fails_by_the_longest_silence() -> None:
    held = facts.complete_stream(
        "reader", 0, first=1_000_000, last=320_000_000, tokens=101, content_gaps_us=[319_000_000]
    )
    gate = fairness({**TTFT, "name": "max_content_gap"}, "30")
    judged = score(of(gate), {"B": measured(held, lane(1, 1, 100))}, rest=MISSING)
    assert said(only(judged, "lane-b")) == ("FAIL", "BOUND_VIOLATED")


def test_b12_two_runs_cannot_show_that_throughput_did_not_move() -> None:
    codes = {code for code, _ in found(gated(compared("equivalence"), repetitions=2))}
    assert "E_N_UNATTAINABLE" in codes


def test_b12_decode_that_is_better_in_every_run_is_within_the_envelope() -> None:
    judged = score(
        of(envelope(RATE), n=2), {"B": of_rates(18.45, 18.45)}, rest=of_rates(1.38, 1.38)
    )
    assert said(only(judged, "envelope-b")) == ("PASS", "WITHIN_ENVELOPE")


def test_b14_without_an_overlapping_wave_nothing_is_measured() -> None:
    of_canary = canary(repetitions=2)
    judged = times(of_canary, dict.fromkeys(("A", "B", "A2"), [NO_OVERLAP] * 2))
    assert {each.state for each in judged.judgements} == {"INVALID"}
    assert {each.reason for each in judged.judgements} == {"PRECONDITION_NOT_MET"}


def test_b16_small_negative_stays_undecided_and_is_kept() -> None:
    after = [1_021_000, 1_024_000, 1_019_000, 1_020_000, 1_022_000, 1_021_000, 1_023_000, 1_020_000]
    pairs = (1000, 997, 1015, 1011, 998, 1012, 1014, 997)
    later = [each * pair // 1000 for each, pair in zip(after, pairs, strict=True)]
    gate = compared(comparison={**compared()["comparison"], "margin": "0.005"})
    judged = times(canary(gate, repetitions=8), {"A": after, "B": later, "A2": after})
    state, reason = said(only(judged, "comparison-b"))
    assert (state, reason) == ("INCONCLUSIVE", "EFFECT_NEAR_MARGIN")


def test_rr060_gain_from_one_trial_is_refused_before_it_runs() -> None:
    codes = {code for code, _ in found(gated(compared("superiority"), repetitions=1))}
    assert "E_N_UNATTAINABLE" in codes


@pytest.mark.parametrize(
    ("name", "code"), [("exit_code", "E_EXIT_CODE_GATE"), ("http_status", "E_HTTP_STATUS_GATE")]
)
def test_rr218_exit_codes_and_statuses_are_never_a_verdict(name: str, code: str) -> None:
    gate = bound(name, "0")
    gate["metric"] = {**gate["metric"], "source": "counter", "unit": "1"}
    assert code in {each.code for each in lint(document(gates=[gate]))}
    assert gate["population"]["cell"] != CELL
