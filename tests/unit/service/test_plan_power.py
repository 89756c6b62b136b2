# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a gate holds is any JSON
"""Every gate says what it can decide: by its own units, alpha and design, or that nobody knows."""

from fractions import Fraction
from typing import Any

import pytest

from app.core.statement.pilot import Pilot
from app.core.statement.protocol_document import ProtocolDocument
from app.service.plan_power import PowerRow, power_of
from tests.claims import compared, drift, share
from tests.gates import bound
from tests.lints import gated, with_
from tests.refused_makers import FAMILY, eight, waved
from tests.unit.service.test_read_pilot import pilot, series

CALM = ["100", "103", "97", "101", "99"]


def rows(
    of: ProtocolDocument, measured: Pilot | None = None, spread: str = "0.09"
) -> dict[str, PowerRow]:
    found = power_of(of, pilot=measured, spread=Fraction(spread), seed=4)
    return {row.gate: row for row in found}


def test_comparison_at_a_supposed_spread_says_chance_units_and_margin() -> None:
    row = rows(eight(with_(compared(), comparison__margin="0.2")))["comparison-b"]
    assert (row.design, row.n, row.decidable, row.basis) == ("blocks", 8, True, "simulated")
    assert row.chance == pytest.approx(0.955, abs=0.03)
    assert row.chance_to_fail == pytest.approx(0.87, abs=0.05)
    assert row.least_n in (5, 6, 7)
    assert row.least_margin is not None
    assert Fraction("0.1") < row.least_margin < Fraction("0.2")


def test_comparison_that_is_too_narrow_says_what_would_do() -> None:
    noisy = rows(eight(compared()), spread="0.16")["comparison-b"]
    assert (noisy.decidable, noisy.basis) == (False, "simulated")
    assert noisy.least_n is None
    assert noisy.least_margin is not None
    assert noisy.least_margin > Fraction("0.2")
    few = rows(gated(compared(), bound(), repetitions=4))["comparison-b"]
    assert few.chance == 0
    assert (few.decidable, few.least_margin) == (False, None)


def test_spread_and_effect_of_a_pilot_replace_what_is_supposed() -> None:
    row = rows(eight(compared()), pilot(series([*CALM])))["comparison-b"]
    assert row.spread is not None
    assert (row.spread.n, row.decidable) == (5, True)


@pytest.mark.parametrize("values", [["100"], ["100", "100", "100"]])
def test_pilot_that_shows_no_spread_says_nothing_of_a_comparison(values: Any) -> None:
    row = rows(eight(compared()), pilot(series(values)))["comparison-b"]
    assert (row.chance, row.decidable, row.least_n, row.least_margin) == (None, None, None, None)


def test_equivalence_bracket_and_distance_are_judged_as_they_are_locked() -> None:
    both = rows(eight(with_(compared("equivalence"), comparison__margin="0.2")))["comparison-b"]
    one = rows(eight(with_(compared(), comparison__margin="0.2")))["comparison-b"]
    assert both.chance is not None
    assert one.chance is not None
    assert both.chance < one.chance
    ranks = rows(eight(compared("non_inferiority", "A", "A2")))["comparison-b"]
    assert (ranks.design, ranks.n) == ("bracket", 8)
    apart = with_(compared(), comparison__scale="abs", comparison__margin="30")
    assert rows(eight(apart), spread="9")["comparison-b"].decidable is True


def test_any_of_a_family_has_a_part_of_alpha_each() -> None:
    alone = rows(eight(share(p="0.6")))["quantile-b"]
    other = with_(share(p="0.6", id="other", **FAMILY), population__arm="A")
    either = rows(eight(share(p="0.6", **FAMILY), other))["quantile-b"]
    assert alone.least_n is not None
    assert either.least_n is not None
    assert either.least_n > alone.least_n


def test_share_of_boots_counts_boots_and_not_their_slots() -> None:
    in_boots = with_(share(), population__unit="boot")
    assert rows(waved(3, in_boots, repetitions=24))["quantile-b"].n == 8
    assert rows(gated(share(), repetitions=24))["quantile-b"].n == 24


def test_share_is_exact_and_takes_the_pilots_own_units_for_good_ones() -> None:
    at_99 = rows(eight(share()))["quantile-b"]
    assert (at_99.decidable, at_99.basis, at_99.chance_to_fail) == (True, "exact", None)
    three_of_four = pilot(series(["8000000", "9000000", "1", None]))
    measured = rows(eight(share()), three_of_four)["quantile-b"]
    assert measured.what == "p 0.5 where 0.75 of all units are good"
    assert measured.decidable is False
    unread = rows(eight(share()), pilot(series(["1"], cell="C9")))["quantile-b"]
    assert unread.what == at_99.what


@pytest.mark.parametrize(
    ("demand", "values", "met", "least"),
    [
        ("max <= 9", ["7", "9"], True, "9"),
        ("max < 9", ["7", "9"], False, "9"),
        ("all <= 9", ["7", "10"], False, "10"),
        ("max <= 9", ["7", None], False, "7"),
        ("all >= 7", ["7", "10"], True, "7"),
        ("min > 7", ["7", "10"], False, "7"),
        ("median <= 9", ["7", "8", "10"], True, "8"),
    ],
)
def test_limit_is_asked_of_the_pilots_control(
    demand: str, values: Any, met: bool, least: str
) -> None:
    statistic, op, limit = demand.split()
    limited = with_(bound(limit=limit, statistic=statistic), comparison__op=op)
    row = rows(eight(limited), pilot(series(values)))["bound-b"]
    assert (row.design, row.n, row.decidable) == ("sample", len(values), met)
    assert row.least_margin == Fraction(least)


def test_limit_of_which_the_pilot_says_nothing_has_no_row() -> None:
    assert rows(eight(bound(statistic="sum")), pilot(series(["1"]))) == {}
    assert rows(eight(bound()), pilot(series([None]))) == {}
    assert rows(eight(bound())) == {}
    same = with_(bound(), comparison={"kind": "equality", "value": "1"})
    assert rows(eight(same), pilot(series(["1"]))) == {}


def test_drift_is_asked_whether_a_control_is_its_own_return() -> None:
    calm = rows(eight(drift("0.2")), spread="0.05")["drift-a2"]
    assert (calm.design, calm.n, calm.decidable, calm.basis) == ("drift", 8, True, "simulated")
    assert calm.what == "drift margin 0.2, no difference"
    assert (calm.chance_to_fail, calm.least_n) == (None, 4)
    assert calm.least_margin is not None
    assert calm.least_margin < Fraction("0.2")
    noisy = rows(eight(drift("0.2")), spread="0.5")["drift-a2"]
    assert (noisy.decidable, noisy.least_n) == (False, None)
    seen = rows(eight(drift("0.2")), pilot(series([*CALM])))["drift-a2"]
    assert seen.spread is not None
    assert seen.decidable is True
    assert rows(eight(drift()), pilot(series(["100"])))["drift-a2"].chance is None
