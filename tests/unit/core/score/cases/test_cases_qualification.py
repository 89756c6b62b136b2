# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a gate is any JSON
"""A6 to A18 of the published qualification cases, by their figures."""

from typing import Any

import pytest
from msgspec.structs import replace

from app.core.protocol.lint import lint
from app.core.reason import Reason
from app.core.statement.capture import Counter, StreamsCapture
from tests.claims import share
from tests.contended import (
    CELL,
    RATE,
    TTFT,
    envelope,
    fairness,
    of_firsts,
    of_rates,
    population,
    protocol,
    score,
)
from tests.documents import CELL as CANARY
from tests.gates import bound, identity
from tests.lints import found, gated
from tests.scores import COMPLETE, MISSING, OTHER_IMAGE, Filled, only, said, study
from tests.scores import protocol as canary

FREEZE = fairness(limit="30")


def slots(arm: str, *filled: Filled) -> dict[str, Filled]:
    return {f"{arm}/{CELL}/{number}": each for number, each in enumerate(filled, 1)}


def of(*gates: Any, n: int, lanes: int = 2) -> Any:
    return protocol(*gates, lanes=lanes, repetitions=n)


# ---- A6: a real A/A with nothing changed, 60 % and 105 % apart ----


@pytest.mark.parametrize("pair", [(33.80, 25.90), (69.95, 45.72)])
@pytest.mark.parametrize("candidate", [20, 33.8, 100])
def test_a06_rig_whose_unchanged_controls_differ_decides_about_no_candidate(
    pair: tuple[float, float], candidate: float
) -> None:
    arms = {
        **slots("A", of_rates(pair[0], pair[0]), of_rates(pair[0], pair[0])),
        **slots("A2", of_rates(pair[1], pair[1]), of_rates(pair[1], pair[1])),
    }
    judged = score(of(envelope(RATE), n=2), arms, rest=of_rates(candidate, candidate))
    assert said(only(judged, "envelope-b")) == ("INCONCLUSIVE", "BASELINE_SPREAD")


def test_a06_two_trials_of_three_are_refused_before_anything_runs() -> None:
    codes = {each.code for each in lint(of({**envelope(RATE), "required_n": 3}, n=2))}
    assert "E_N_UNATTAINABLE" in codes


# ---- A7 and A17: what the cache held is not reported, or is not nothing ----


def warm(hits: int | None) -> Filled:
    state, fault, reasons, (seen,) = of_rates(10, 10)
    assert isinstance(seen, StreamsCapture)
    before = None if hits is None else 0
    counters = [Counter(name="prefix_cache_hits", before=before, after=hits)]
    read = replace(seen, observations=replace(seen.observations, counters=counters))
    return (state, fault, reasons, (read,))


def cold() -> Any:
    gate = bound("prefix_cache_hits", "0", role="secondary")
    gate["scope"], gate["population"] = "performance", population("B")
    gate["metric"] = {**gate["metric"], "unit": "1", "source": "counter"}
    del gate["metric"]["resolution"]
    return gate


@pytest.mark.parametrize(
    ("hits", "expected"),
    [
        (None, ("INCONCLUSIVE", "MISSING_UNDECIDED")),
        (1, ("FAIL", "BOUND_VIOLATED")),
        (0, ("PASS", "BOUND_HELD")),
    ],
)
def test_a07_a17_cache_hits_that_nobody_read_are_never_zero(
    hits: int | None, expected: tuple[str, str]
) -> None:
    judged = score(of(cold(), envelope(RATE), n=1), {"B": warm(hits)}, rest=of_rates(10, 10))
    assert said(only(judged, "bound-b")) == expected
    assert said(only(judged, "envelope-b")) == ("PASS", "WITHIN_ENVELOPE")


def test_a17_replacement_on_off_on_is_separated() -> None:
    arms = {"A": of_rates(1125.1, 1125.1), "A2": of_rates(1139.5, 1139.5)}
    judged = score(of(envelope(RATE), n=3), arms, rest=of_rates(941, 941))
    assert said(only(judged, "envelope-b")) == ("FAIL", "BEYOND_ENVELOPE")


# ---- A8: thin decode, B 4.8 to 8.4 % faster, A2 within 2.4 % ----


def test_a08_thin_decode_passes_by_raw_captures_and_locked_gates() -> None:
    arms = {
        **slots("A", of_rates(100, 100), of_rates(100, 100)),
        **slots("A2", of_rates(97.6, 97.6), of_rates(102.4, 102.4)),
        **slots("B", of_rates(104.8, 104.8), of_rates(108.4, 108.4)),
    }
    judged = score(of(envelope(RATE), n=2), arms, rest=MISSING)
    assert said(only(judged, "envelope-b")) == ("PASS", "WITHIN_ENVELOPE")


# ---- A12: a long prefill freezes the others ----


@pytest.mark.parametrize("frozen", [440.2, 448.9])
def test_a12_freeze_fails_with_one_run_and_a_good_run_alone_does_not_pass(frozen: float) -> None:
    once = of(FREEZE, n=3)
    judged = score(once, slots("B", of_firsts(frozen, 1)), rest=MISSING)
    assert said(only(judged, "lane-b")) == ("FAIL", "BOUND_VIOLATED")
    judged = score(once, slots("B", of_firsts(24.9, 17.9)), rest=MISSING)
    assert said(only(judged, "lane-b")) == ("INCONCLUSIVE", "MISSING_UNDECIDED")
    judged = score(once, slots("B", *[of_firsts(24.9, 17.9)] * 3), rest=MISSING)
    assert said(only(judged, "lane-b")) == ("PASS", "BOUND_HELD")


# ---- A13: three of four lanes late, in one run ----


def test_a13_bimodal_lanes_fail_by_the_worst_and_a_median_is_refused() -> None:
    filled = slots("B", of_firsts(0.4, 17.2, 17.2, 17.2), of_firsts(0.4, 0.5, 0.6, 0.7))
    judged = score(of(fairness(limit="10"), n=2, lanes=4), filled, rest=MISSING)
    assert said(only(judged, "lane-b")) == ("FAIL", "BOUND_VIOLATED")
    codes = {each.code for each in lint(of({**fairness(), "statistic": "median"}, n=2))}
    assert "E_DROPS_SLOTS" in codes
    median = bound(metric={"unit": "s"}, statistic="median", scope="fairness", limit="10")
    median["population"] = population("B")
    median["metric"]["resolution"] = "0.001"
    assert "E_MEDIAN_ONLY" in {each.code for each in lint(of(median, n=2))}


# ---- A15: a "p95" of eight ----


def test_a15_percentile_of_eight_is_refused_and_its_maximum_is_a_sample_claim() -> None:
    codes = {code for code, _ in found(gated(share(p="0.95"), repetitions=8))}
    assert "E_N_UNATTAINABLE" in codes
    codes = {code for code, _ in found(gated(bound(id="burst-p95"), repetitions=8))}
    assert "E_TAIL_LABEL" in codes
    judged = score(of(fairness(TTFT, "90"), n=8), {"B": of_firsts(79.2, 85.5)}, rest=MISSING)
    assert said(only(judged, "lane-b")) == ("PASS", "BOUND_HELD")


def test_a15_without_a_return_control_nothing_is_attributed() -> None:
    rest = of_rates(21.053, 21.053)
    judged = score(
        of(envelope(RATE), n=3), {"B": of_rates(22.584, 22.584), "A2": MISSING}, rest=rest
    )
    assert said(only(judged, "envelope-b")) == ("INCONCLUSIVE", "RETURN_CONTROL_MISSING")


# ---- A18: the head's name on another image ----


def test_a18_image_that_is_not_the_head_s_invalidates_what_it_shows() -> None:
    gates = (bound(limit="10000000"), identity("B", ["image"]))
    judged = study(canary(*gates, repetitions=2), {"B": OTHER_IMAGE}, rest=COMPLETE)
    assert said(only(judged, "identity-b")) == ("INVALID", "IDENTITY_MISMATCH")
    assert only(judged, "bound-b").state == "INVALID"
    assert Reason.IMAGE_MISMATCH in OTHER_IMAGE[2]
    assert CANARY != CELL
