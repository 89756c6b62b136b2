# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a pilot or a gate holds is any JSON
"""A pilot's spread, effects and deadlines are those of its own values, or nothing."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import msgspec
import numpy as np
import pytest

from app.core.protocol.gate import ComparisonGate, DriftGate, parse_gates
from app.core.statement.pilot import PILOT, Pilot
from app.core.statement.protocol_document import ProtocolDocument
from app.service.read_pilot import (
    deadlines_by_pilot,
    effects_of_pilot,
    late_deadlines,
    slowest,
    spread_of,
    values_of,
)
from tests.claims import METRIC, compared, drift
from tests.documents import CELL
from tests.gates import bound
from tests.lints import changed, with_
from tests.refused_makers import eight, with_cell

SLOW, FAST = ["8", "9", "10"], ["7", "9/2", "9.5"]


def series(values: Sequence[str | None], arm: str = "A", **members: Any) -> Any:
    at = {"cell": CELL, "stream_role": "newcomer", "metric": "ttft", "unit": "us"}
    return {"arm": arm, **at, "values": [*values], **members}


def pilot(*of: Any) -> Pilot:
    return msgspec.convert({"schema": PILOT, "series": list(of)}, Pilot)


def gate_of(of: ProtocolDocument) -> ComparisonGate:
    gate = parse_gates(of)[4]
    assert isinstance(gate, ComparisonGate)
    return gate


GATE = gate_of(eight(compared()))
ABSOLUTE = gate_of(eight(with_(compared(), comparison__scale="abs", comparison__margin="5")))
BRACKET = gate_of(eight(compared("non_inferiority", "A", "A2")))


def test_values_are_exact_and_in_the_gates_unit() -> None:
    thirds = pilot(series(["1/3", None, "0.25"], unit="ms"))
    assert values_of(thirds, "A", GATE) == (Fraction(1000, 3), None, Fraction(250))
    assert values_of(thirds, "B", GATE) == ()
    assert slowest(thirds, GATE, ["A", "B"]) == Fraction(1000, 3)
    assert slowest(pilot(series([None])), GATE, ["A"]) is None


@pytest.mark.parametrize(
    "member",
    [
        {"cell": "C9"},
        {"stream_role": "incumbent"},
        {"metric": "settlement"},
        {"unit": "fortnight"},
        {"against_cell": "C1-solo"},
        {"over": "A2"},
    ],
)
def test_values_of_something_else_are_not_the_gates(member: Any) -> None:
    assert values_of(pilot(series(SLOW, **member)), "A", GATE) == ()


def test_unit_of_a_metric_without_other_units_is_its_own() -> None:
    gate = parse_gates(eight(bound("kv-use", metric={"unit": "1", "source": "sampled_max"})))[4]
    of = pilot(series(SLOW, metric="kv-use", unit="blocks"))
    assert values_of(of, "A", gate) == ()  # type: ignore[arg-type]  # a bound has a metric


def test_spread_of_the_control_is_that_of_logarithms_for_a_ratio() -> None:
    spread = spread_of(pilot(series([*SLOW, None])), GATE)
    assert spread is not None
    assert (spread.n, spread.by) == (3, "control")
    assert spread.of_unit == pytest.approx(float(np.std(np.log([8, 9, 10]), ddof=1)))
    apart = spread_of(pilot(series(SLOW)), ABSOLUTE)
    assert apart is not None
    assert apart.of_unit == pytest.approx(float(np.std([8, 9, 10], ddof=1)))


def test_spread_inside_blocks_is_the_one_that_counts_for_blocks_alone() -> None:
    both = pilot(series(SLOW), series(FAST, arm="B"))
    inside = spread_of(both, GATE)
    assert inside is not None
    ratios = np.log([7 / 8, 4.5 / 9, 9.5 / 10])
    assert inside.of_unit == pytest.approx(float(np.std(ratios, ddof=1)) / 2**0.5)
    assert (inside.n, inside.by) == (3, "blocks")
    apart = spread_of(both, ABSOLUTE)
    assert apart is not None
    differences = np.array([1, 4.5, 0.5])
    assert apart.of_unit == pytest.approx(float(np.std(differences, ddof=1)) / 2**0.5)
    ranks = spread_of(both, BRACKET)
    assert ranks is not None
    assert ranks.by == "control"


def test_ratios_of_blocks_may_be_given_as_such() -> None:
    given = pilot(series(["7/8", "0.5", None, "0"], arm="B", over="A", unit="1"))
    spread = spread_of(given, GATE)
    assert spread is not None
    assert (spread.n, spread.by) == (2, "blocks")
    elsewhere = series(["7/8", "0.5"], arm="B", over="A", unit="1", cell="C9")
    assert spread_of(pilot(elsewhere), GATE) is None


def test_ratio_inside_a_boot_is_read_as_such() -> None:
    inside = with_(compared(), population__against_cell="C1-solo")
    gate = gate_of(with_cell(1, inside, compared(id="alone")))
    of = pilot(series(["2", "2.1"], against_cell="C1-solo", unit="1"))
    assert values_of(of, "A", gate) == (Fraction(2), Fraction("2.1"))
    assert list(deadlines_by_pilot(of, with_cell(1, inside))) == []


@pytest.mark.parametrize("values", [["8"], ["8", "0"], [None, None]])
def test_pilot_that_does_not_say_gives_no_spread(values: list[str | None]) -> None:
    assert spread_of(pilot(series(values)), GATE) is None


def known_bad(margin: str, kind: str = "non_inferiority") -> ProtocolDocument:
    def change(value: Any) -> None:
        value["arms"].append({"id": "P", "role": "positive_control", "settings": {}})
        value["order"].append("P")
        value["gates"].append(with_(compared(kind), comparison__margin=margin))

    return changed(change)


def test_effect_of_being_better_is_the_candidates_own_gain() -> None:
    better = known_bad("-0.1", "superiority")
    gained = pilot(series(["10", "10"]), series(["8", "9"], arm="B"), series(["50"], arm="P"))
    assert effects_of_pilot(gained, better) == {"comparison-b": Fraction(1, 10)}
    lost = pilot(series(["10"]), series(["11"], arm="B"))
    assert effects_of_pilot(lost, better) == {"comparison-b": 0}
    assert effects_of_pilot(pilot(series(["10"])), better) == {}


def test_effect_of_being_no_worse_is_what_a_known_bad_control_lost() -> None:
    seen = pilot(series(["10", None]), series(["10"], arm="B"), series(["15"], arm="P"))
    assert effects_of_pilot(seen, known_bad("0.1")) == {"comparison-b": Fraction(1, 2)}
    assert effects_of_pilot(pilot(series(["0"]), series(["15"], arm="P")), known_bad("0.1")) == {}
    unread = changed(lambda d: d["gates"][1].pop("metric"))
    assert effects_of_pilot(seen, unread) == {}


def test_effect_of_a_rate_or_a_distance_is_in_the_scale_of_its_margin() -> None:
    rate = {**METRIC, "name": "decode_rate", "unit": "tokens_per_s"}
    rate["direction"] = "higher_is_better"

    def change(value: Any) -> None:
        value["arms"].append({"id": "P", "role": "positive_control", "settings": {}})
        value["order"].append("P")
        worse = {"comparison__worse": "lower", "metric": rate, "id": "rate"}
        value["gates"].append(with_(compared(), **worse))
        apart = {"comparison__scale": "abs", "comparison__margin": "3", "id": "apart"}
        value["gates"].append(with_(compared(), **apart))

    of = pilot(
        series(["20"], metric="decode_rate", unit="tokens_per_s"),
        series(["5"], arm="P", metric="decode_rate", unit="tokens_per_s"),
        series(["10"]),
        series(["17"], arm="P"),
    )
    assert effects_of_pilot(of, changed(change)) == {"rate": Fraction(3, 4), "apart": 7}


def test_deadline_before_the_pilots_control_or_twice_its_margin_is_told() -> None:
    slow = pilot(series(["100000000", "120000000"]))
    (finding,) = deadlines_by_pilot(slow, eight(compared(), bound()))
    assert finding.code == "E_DEADLINE_LT_LIMIT"
    assert finding.formula == "240000000 us < 2 (1 + 0.1) x the pilot's control"
    stuck = pilot(series(["250000000"]))
    both = list(deadlines_by_pilot(stuck, eight(compared(), bound())))
    assert [each.pointer for each in both] == ["/gates/4", "/gates/5"]
    assert both[1].formula == "240000000 us < the pilot's control, 250000000 us"
    in_time = eight(compared(), bound(), bound("settlement", id="unseen"))
    assert list(deadlines_by_pilot(pilot(series(["1"])), in_time)) == []


def test_deadline_of_more_than_a_hundred_times_the_slowest_control_is_told() -> None:
    of = eight(compared(), bound(), bound("settlement", id="unseen"))
    at_hundred = pilot(series(["1000000", "2400000"]), series(["9"], arm="B"))
    assert list(late_deadlines(at_hundred, of)) == []
    sooner = pilot(series(["2399999", None]))
    (finding,) = late_deadlines(sooner, of)
    assert (finding.code, finding.severity) == ("W_DEADLINE_LATE", "warning")
    assert finding.pointer == "/cells/0/ends/slot_deadline_us"
    assert finding.formula == "240000000 us > 100 x the pilot's control, 2399999 us"
    assert list(late_deadlines(pilot(series(["1"], cell="C9")), of)) == []


def test_spread_of_drift_is_that_of_the_controls_units() -> None:
    (gate,) = (each for each in parse_gates(eight(drift())) if isinstance(each, DriftGate))
    found = spread_of(pilot(series(SLOW)), gate)
    assert found == spread_of(pilot(series(SLOW)), BRACKET)
