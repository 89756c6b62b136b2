# SPDX-License-Identifier: Apache-2.0
"""Chances of every claim and direction are those of the judge's own test, counted by numpy."""

from fractions import Fraction
from itertools import product
from math import exp, inf, log
from typing import Any, Literal

import numpy as np
import pytest

from app.core.protocol.contrast import Claim, Contrast
from app.core.protocol.margin import Margin
from app.service.estimate_power import MOST_BLOCKS, Comparing, chance_to_pass
from app.service.margin_sd import margin_to_sd, sd_past_margin, sd_to_margin
from app.service.plan_power import PowerRow
from tests.claims import compared
from tests.lints import with_
from tests.refused_makers import eight
from tests.unit.service.test_plan_power import rows

Worse = Literal["higher", "lower"]
RUNS, N = 1500, 8
SUBSETS = np.array(list(product((0, 1), repeat=N)))


def counted(margin: float, spread: float, worse: Worse, at: float, *, fails: bool = False) -> float:
    """Return how often blocks of a candidate at ``at`` times its control pass, or fail."""
    draw = np.random.default_rng(7)
    hits = 0
    for _ in range(RUNS):
        control = np.exp(draw.normal(0, spread, N))
        candidate = np.exp(draw.normal(log(at), spread, N))
        if worse == "higher":
            beyond = candidate - (1 + margin) * control
        else:
            beyond = (1 - margin) * control - candidate
        sums = SUBSETS @ beyond
        hits += int(np.mean(sums <= 0 if fails else sums >= 0) <= 0.04)
    return hits / RUNS


def row(claim: Claim, margin: str, spread: str, worse: Worse = "higher") -> PowerRow:
    record: Any = with_(compared(claim), comparison__margin=margin, comparison__worse=worse)
    if worse == "lower":
        rate = {"name": "decode_rate", "unit": "tokens_per_s", "direction": "higher_is_better"}
        record["metric"] = {**record["metric"], **rate}
    return rows(eight(record), spread=spread)["comparison-b"]


@pytest.mark.parametrize(
    ("claim", "margin", "worse", "passes_at", "fails_at"),
    [
        ("non_inferiority", "0.5", "higher", 1, 2),
        ("non_inferiority", "0.4", "lower", 1, 0.2),
        ("superiority", "-0.3", "higher", 0.4, 1),
        ("superiority", "-0.5", "lower", 2, 1),
    ],
)
def test_power_is_of_the_claim_and_of_the_way_its_margin_points(
    claim: Claim, margin: str, worse: Worse, passes_at: float, fails_at: float
) -> None:
    said, size = row(claim, margin, "0.3", worse), float(margin)
    assert said.chance is not None
    assert said.chance_to_fail is not None
    assert float(said.chance) == pytest.approx(counted(size, 0.3, worse, passes_at), abs=0.05)
    failed = counted(size, 0.3, worse, fails_at, fails=True)
    assert float(said.chance_to_fail) == pytest.approx(failed, abs=0.05)


def test_superiority_is_not_said_to_pass_without_a_difference() -> None:
    assert counted(-0.2, 0.09, "higher", 1) == 0
    said = row("superiority", "-0.2", "0.09")
    assert said.what == "margin 0.2, better by twice as much"
    assert said.fails_at == 0


def test_equivalence_fails_by_half_of_alpha() -> None:
    both, one = row("equivalence", "0.2", "0.09"), row("non_inferiority", "0.2", "0.09")
    assert both.chance_to_fail is not None
    assert one.chance_to_fail is not None
    assert both.chance_to_fail < one.chance_to_fail - Fraction(1, 20)


def test_more_blocks_than_are_counted_are_not_judged_as_if_they_were_fewer() -> None:
    alpha, margin = Fraction(1, 25), 0.9
    chances = [
        chance_to_pass(Comparing("blocks", n, margin, alpha), seed=3) for n in (16, 17, 20, 24)
    ]
    assert chances == sorted(chances)
    assert chances[0] < 0.8 < chances[-1]
    assert chances[1] == pytest.approx(chances[0], abs=0.05)
    assert MOST_BLOCKS == 16


def contrast(claim: Claim, margin: str, worse: Worse, scale: Literal["abs", "ratio"]) -> Contrast:
    return Contrast(claim, Margin(Fraction(margin), scale, worse), Fraction(1, 20))


@pytest.mark.parametrize("scale", ["abs", "ratio"])
@pytest.mark.parametrize(
    ("claim", "margin", "worse"),
    [
        ("non_inferiority", "0.2", "higher"),
        ("non_inferiority", "0.2", "lower"),
        ("superiority", "-0.2", "higher"),
        ("superiority", "-0.2", "lower"),
        ("equivalence", "0.2", "lower"),
    ],
)
def test_margin_comes_back_from_its_distance(
    scale: Literal["abs", "ratio"], claim: Claim, margin: str, worse: Worse
) -> None:
    of = contrast(claim, margin, worse, scale)
    sd = (sd_past_margin if claim == "superiority" else sd_to_margin)(of, 0.1)
    again = margin_to_sd(of, sd * 0.999_999, 0.1)
    assert again == Fraction(1, 5)


def test_margin_that_no_rate_or_time_reaches_is_none() -> None:
    lower = contrast("non_inferiority", "0.6", "lower", "ratio")
    assert sd_past_margin(lower, 0.1) == inf
    assert sd_to_margin(contrast("non_inferiority", "1", "lower", "ratio"), 0.1) == inf
    assert margin_to_sd(lower, 200, 0.1) is None
    assert margin_to_sd(contrast("superiority", "-0.2", "lower", "ratio"), 8, 0.1) is None
    assert exp(0.8) > 2
    never = Comparing("blocks", 20, inf, Fraction(1, 25))
    assert chance_to_pass(never, seed=1, runs=10) == 1
    assert chance_to_pass(Comparing("blocks", 8, inf, Fraction(1, 25)), seed=1, runs=10) == 1
