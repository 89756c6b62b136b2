# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a gate is any JSON
"""Which gates and slots a scope takes in: families of which one is enough, and other cells."""

from typing import Any

import pytest

from app.core.identity import Scope
from app.core.protocol.gate import parse_gates
from app.core.reason import Reason
from app.core.score.decide import Judged
from app.core.score.scope import Results, _has_claim, places_of
from app.core.score.state import State
from tests import contended
from tests.claims import compared
from tests.contended import SOLO, fairness, of_firsts
from tests.documents import CELL, canary_gate
from tests.gates import bound
from tests.scores import ABANDONED, FAILED, protocol, said, scope, study


def either(arm: str) -> Any:
    """Return a canary of a family of which one place must pass."""
    return canary_gate(arm) | {"family": "either", "family_mode": "any"}


# ---- families ----


def test_candidate_of_a_family_needs_no_gate_outside_it() -> None:
    of = protocol(either("B"), either("C"), arms=("A", "B", "C", "A2"))
    assert said(scope(study(of, {}))) == ("PASS", "ALL_GATES_PASS")
    assert said(scope(study(of, {"B": FAILED}))) == ("PASS", "ALL_GATES_PASS")


def test_family_that_fails_says_why_and_not_only_that_it_does() -> None:
    of = protocol(either("B"), either("C"), arms=("A", "B", "C", "A2"))
    assert said(scope(study(of, {"B": FAILED, "C": FAILED}))) == ("FAIL", "NOT_BEFORE")


def test_family_of_others_is_no_gate_of_a_candidate_that_has_none() -> None:
    of = protocol(either("B"), arms=("A", "B", "C", "A2"))
    assert said(scope(study(of, {}))) == ("NOT_RUN", "NO_GATE_EVALUATED")
    looked = protocol(either("B"), canary_gate("C", role="exploratory"), arms=("A", "B", "C", "A2"))
    assert said(scope(study(looked, {}))) == ("NOT_RUN", "NO_GATE_EVALUATED")


# ---- claims ----


@pytest.mark.parametrize(
    ("changes", "state", "claimed"),
    [
        ({}, State.PASS, True),
        ({}, State.FAIL, False),
        ({}, State.INCONCLUSIVE, False),
        ({"role": "secondary"}, State.PASS, False),
        ({"scope": "performance"}, State.PASS, False),
        ({"arm": "A"}, State.PASS, False),
    ],
)
def test_claim_of_a_scope_is_a_pass_of_its_own_primary_gate_of_a_candidate(
    changes: Any, state: State, *, claimed: bool
) -> None:
    of = protocol(bound(**changes))
    judged = Judged(state, Reason.BOUND_HELD, None, 1, 1)
    results = Results(of, [(gate, judged) for gate in parse_gates(of)], {})
    assert _has_claim(Scope.LIVE_CORRECTNESS, results) is claimed


# ---- cells of other scopes ----


def test_l03_slot_abandoned_in_a_cell_of_another_scope_blocks_no_pass_of_this_one() -> None:
    solo = contended.population("B", SOLO, unit="lane")
    of = contended.protocol(fairness(), fairness(id="solo-b", scope="performance", population=solo))
    alone, together = of_firsts(1), of_firsts(1, 1, 1, 1)
    filled = {f"{arm}/{SOLO}": alone for arm in ("B", "A2")} | {f"A/{SOLO}": ABANDONED}
    found = contended.score(of, filled, rest=together)
    states = {each.scope.value: (each.state, each.reason) for each in found.scopes}
    assert states["fairness"] == ("PASS", "ALL_GATES_PASS")
    assert states["performance"][0] != "PASS"


def test_ratio_reads_both_cells_and_a_plain_comparison_one() -> None:
    plain, ratio = compared(), compared(id="ratio-b")
    ratio["population"] = {**ratio["population"], "against_cell": "C1-solo"}
    one, other = parse_gates(protocol(plain, ratio, repetitions=6))
    assert places_of(one) == (("B", CELL), ("A", CELL))
    assert places_of(other) == (*places_of(one), ("B", "C1-solo"), ("A", "C1-solo"))
