# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a judgement holds is any value
"""A judgement repeats its gate, its numbers and every unit, member for member."""

from fractions import Fraction
from typing import Any

import msgspec
import pytest

from app.core.protocol.gate import AnyGate, parse_gates
from app.core.reason import Reason
from app.core.score.decide import Judged
from app.core.score.envelope import ObservedEnvelope
from app.core.score.interval import Interval, finite, point
from app.core.score.judgement import judgement_of
from app.core.score.observe import Unit
from app.core.score.observed import Absence, Basis, Observed, absent, exact, never
from app.core.score.scored import Scored
from app.core.score.state import State
from app.core.statement.tally import Told
from tests import contended
from tests.contended import envelope, fairness, ratio
from tests.documents import CELL, canary_gate, document, streams_cell
from tests.gates import bound, identity
from tests.results import (
    checks_gate,
    claim_gate,
    equality_gate,
    jobs_gate,
    parity_gate,
    with_cells,
)
from tests.scores import protocol

INCUMBENT, NEWCOMER = streams_cell(document()).streams


def shown(
    gate: AnyGate,
    *units: Unit,
    state: State = State.PASS,
    interval: Interval | None = None,
    seen: ObservedEnvelope | None = None,
) -> Any:
    said = Judged(state, Reason.BOUND_HELD, interval)
    return msgspec.to_builtins(judgement_of(Scored(gate, units, said, envelope=seen)))


(BOUND,) = parse_gates(protocol(bound(limit="10")))


def test_judgement_of_a_bound_says_all_that_it_is_about() -> None:
    lost = absent(Absence.ABANDONED)
    units = (
        Unit("B/1", NEWCOMER, exact(7, 1)),
        Unit("B/2", None, lost, Told(decision="PASS"), Reason.ABANDONED),
    )
    got = shown(BOUND, *units, interval=Interval(finite(6), finite(8)))
    assert got.pop("rule").startswith("max of ttft")
    assert got == {
        "gate": "bound-b",
        "kind": "bound",
        "role": "primary",
        "scope": "live_correctness",
        "arm": "B",
        "cell": CELL,
        "state": "PASS",
        "reason": "BOUND_HELD",
        "unit": "us",
        "limit": "10",
        "observed": {"lo": "6", "hi": "8", "lo_open": False, "hi_open": False},
        "margin": "2",
        "counts": {"planned": 2, "exact": 1, "bounded": 0, "unknown": 1},
        "observations": [
            {
                "slot": "B/1",
                "stream_role": "newcomer",
                "lane": 1,
                "interval": {"lo": "6", "hi": "8", "lo_open": False, "hi_open": False},
                "basis": "exact",
            },
            {
                "slot": "B/2",
                "stream_role": None,
                "lane": None,
                "interval": None,
                "basis": "unknown",
                "absence": "abandoned",
                "why": "ABANDONED",
                "told": {"decision": "PASS"},
            },
        ],
        "domain": {"lo": "0", "hi": "inf", "lo_open": False, "hi_open": True},
    }


def test_gate_whose_units_are_all_exact_says_no_more_than_their_numbers() -> None:
    got = shown(BOUND, Unit("B/1", None, exact(7)), interval=point(7))
    assert not {"domain", "required", "reviews", "inference", "envelope"} & set(got)
    assert not {"absence", "why", "told"} & set(got["observations"][0])


@pytest.mark.parametrize("state", [State.INVALID, State.NOT_RUN])
def test_gate_that_says_nothing_shows_no_number_of_its_own(state: State) -> None:
    got = shown(BOUND, state=state, interval=point(7))
    assert (got["unit"], got["limit"], got["observed"], got["margin"]) == ("us", "10", None, None)


def test_what_is_shown_of_a_unit_stands_in_place_of_what_is_only_true_or_false() -> None:
    unit = Unit("B/1", None, never(5))
    (seen,) = shown(BOUND, unit)["observations"]
    assert seen["interval"] == {"lo": "5", "hi": "inf", "lo_open": True, "hi_open": True}


def numbers(gate: AnyGate) -> tuple[Any, ...]:
    got = shown(gate, Unit("B/1", None, exact(3)), interval=point(2))
    return tuple(got[each] for each in ("unit", "limit", "margin"))


def test_unit_and_limit_are_those_of_each_kind() -> None:
    of_slots = protocol(canary_gate("B"), identity("B"), bound(limit="10"))
    canary, same, timed = (numbers(each) for each in parse_gates(of_slots))
    assert canary == ("us", "0", "-inf")
    assert same == (None, None, None)
    assert timed == ("us", "10", "8")
    lane, apart, around = (
        numbers(each)
        for each in parse_gates(
            contended.protocol(fairness(limit="30"), ratio(limit="4"), envelope())
        )
    )
    assert lane == ("s", "30", "28")
    assert apart == ("1", "4", "2")
    assert around[0] == "1"
    reported = with_cells(
        checks_gate(), jobs_gate(), claim_gate(), parity_gate(), equality_gate("2")
    )
    numbered = {"equality": ("1", "2", "0"), "parity": ("1", "0", "-inf")}
    for each in parse_gates(reported):
        assert numbers(each) == numbered.get(each.id, (None, None, None))


def test_canary_shows_its_worst_delay_and_how_far_that_is_before_nothing() -> None:
    (gate,) = parse_gates(protocol(canary_gate("B")))
    before = [Observed(point(1), Basis.EXACT, shown=point(-each)) for each in (3, 5)]
    got = shown(gate, *(Unit("B/1", None, each) for each in before))
    assert (got["observed"]["lo"], got["observed"]["hi"], got["margin"]) == ("-3", "-3", "3")


def test_envelope_says_each_end_of_what_was_observed() -> None:
    (gate,) = parse_gates(contended.protocol(envelope()))
    ends = ObservedEnvelope(*(point(Fraction(each)) for each in (1, 2, 3, 4, 5, 6)))
    got = shown(gate, interval=point(6), seen=ends)["envelope"]
    low = {name: each["lo"] for name, each in got.items() if name != "max_spread"}
    assert low == {
        "reference_least": "1",
        "reference_greatest": "2",
        "candidate_least": "3",
        "candidate_greatest": "4",
        "spread": "5",
    }
    assert got["max_spread"] == "0.25"
    assert "envelope" not in shown(gate, interval=point(6))
    assert "envelope" not in shown(BOUND, seen=ends)


def test_what_is_contradicted_is_shown_of_a_fail_alone_and_else_may_be_anything() -> None:
    (canary,) = parse_gates(protocol(canary_gate("B")))
    told = Observed(point(0), Basis.UNKNOWN, Absence.CONFLICT, None, shown=point(3))
    three = {"lo": "3", "hi": "3", "lo_open": False, "hi_open": False}
    anything = {"lo": "-inf", "hi": "inf", "lo_open": True, "hi_open": True}
    failed = shown(canary, Unit("B/1", None, told), state=State.FAIL)
    assert (failed["observed"], failed["domain"]) == (three, anything)
    undecided = shown(canary, Unit("B/1", None, told), state=State.INCONCLUSIVE)
    assert undecided["observed"] == anything


def test_distance_of_which_nothing_is_known_is_any_from_zero_on() -> None:
    (parity,) = parse_gates(with_cells(parity_gate()))
    unit = Unit("B/1", None, absent(Absence.ABANDONED))
    got = shown(parity, unit, state=State.INCONCLUSIVE)
    assert got["domain"] == {"lo": "0", "hi": "inf", "lo_open": False, "hi_open": True}
