# SPDX-License-Identifier: Apache-2.0
"""How far a gate is from its limit by each operator, and the words of what no number decides."""

from fractions import Fraction
from typing import cast

import pytest

from app.core.protocol.gate import Demand, Domain, identity_demand, parse_gates
from app.core.protocol.gate_results import DecisionGate
from app.core.reason import Reason
from app.core.score.decide import Judged, judge, margin_of
from app.core.score.decision import observe_decision
from app.core.score.interval import Interval, finite, point
from app.core.score.observed import (
    Absence,
    Observed,
    absent,
    exact,
    unknown,
    zero_or_one,
)
from app.core.score.state import State
from app.core.statement.gate_record import Operator
from tests.results import DECIDED, claim, claim_gate, with_cells

SEEN = Interval(finite(3), finite(7))


def demand(op: Operator, limit: int = 5) -> Demand:
    return Demand("bound", "max", op, Fraction(limit), Domain(Fraction(0), None))


@pytest.mark.parametrize(
    ("op", "worst", "nearest"),
    [("<", -2, 2), ("<=", -2, 2), (">", -2, 2), (">=", -2, 2), ("==", -2, None)],
)
def test_margin_is_of_the_worst_value_and_of_a_fail_of_the_nearest(
    op: Operator, worst: int, nearest: int | None
) -> None:
    def margin(state: State) -> object:
        return margin_of(demand(op), Judged(state, Reason.BOUND_HELD, SEEN))

    assert margin(State.PASS) == finite(worst)
    assert margin(State.FAIL) == (None if nearest is None else finite(nearest))


def test_margin_of_a_value_that_must_equal_another_is_minus_its_distance() -> None:
    for value in (3, 7):
        said = Judged(State.FAIL, Reason.BOUND_VIOLATED, point(value))
        assert margin_of(demand("=="), said) == finite(-2)
    nothing = Judged(State.NOT_RUN, Reason.NO_MEASURED_SLOT, None)
    assert margin_of(demand("<="), nothing) is None


def test_identity_needs_no_number_of_slots_and_every_other_gate_does() -> None:
    same = [zero_or_one(value=True)]
    assert judge(identity_demand(), same, independent=0).state is State.PASS
    short = judge(demand("<="), [exact(1)], independent=0)
    assert (short.state, short.reason) == (State.INCONCLUSIVE, Reason.INSUFFICIENT_N)


def test_tool_without_a_result_of_a_gate_is_no_slot_that_is_missing() -> None:
    said = judge(demand("<="), [absent(Absence.NO_GATE), absent(Absence.NOT_STARTED)])
    assert (said.state, said.reason) == (State.NOT_RUN, Reason.NO_GATE_EVALUATED)
    none = judge(demand("<="), [absent(Absence.NOT_STARTED)])
    assert (none.state, none.reason) == (State.NOT_RUN, Reason.NO_MEASURED_SLOT)


@pytest.mark.parametrize(
    ("decision", "says"),
    [
        ("PASS", zero_or_one(value=True)),
        ("FAIL", zero_or_one(value=False)),
        ("REGRESSION", zero_or_one(value=False)),
        ("INCONCLUSIVE", unknown(Reason.TOOL_UNDECIDED)),
        ("ERROR", unknown(Reason.TOOL_UNDECIDED)),
        ("DESCRIPTIVE", absent(Absence.NO_GATE, Reason.NO_GATE_EVALUATED)),
        (None, absent(Absence.NO_GATE, Reason.NO_GATE_EVALUATED)),
    ],
)
def test_l22_label_of_another_tool_is_no_result(decision: str | None, says: Observed) -> None:
    (gate,) = parse_gates(with_cells(claim_gate(), cells=[DECIDED]))
    asked = cast("DecisionGate", gate)
    assert observe_decision(asked, claim(decision)) == says
    unbound = claim(decision, policy_sha256="0" * 64)
    assert observe_decision(asked, unbound) == absent(Absence.UNSCORABLE, Reason.DECISION_NOT_BOUND)
