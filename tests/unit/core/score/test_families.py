# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a gate is any JSON
"""Which gates and slots a scope takes in: families of which one is enough, and other cells."""

from typing import Any

import pytest

from app.core.identity import Scope
from app.core.protocol.gate import parse_gates
from app.core.reason import Reason
from app.core.score.decide import Judged
from app.core.score.observed import Absence, absent
from app.core.score.scope import Results, _families, _has_abandoned, _has_claim, places_of
from app.core.score.state import State
from tests import contended
from tests.claims import compared
from tests.contended import SOLO, fairness, of_firsts
from tests.documents import CELL, canary_gate
from tests.gates import bound
from tests.results import CPU, parity_gate, with_cells
from tests.scores import ABANDONED, FAILED, protocol, said, scope, study

HELD, BROKEN, LATE = Reason.BOUND_HELD, Reason.BOUND_VIOLATED, Reason.NOT_BEFORE


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
    judged = Judged(state, Reason.BOUND_HELD, None)
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


def test_scope_counts_the_states_that_entered_it() -> None:
    counts = scope(study(protocol(canary_gate("B")), {"B": FAILED})).counts
    assert (counts.PASS, counts.FAIL, counts.NOT_RUN) == (0, 1, 0)


@pytest.mark.parametrize(
    ("places", "expected"),
    [
        (((State.PASS, HELD), (State.FAIL, BROKEN)), (State.FAIL, BROKEN)),
        (((State.PASS, HELD), (State.PASS, HELD)), (State.PASS, Reason.ALL_GATES_PASS)),
        (((State.FAIL, LATE), (State.FAIL, BROKEN)), (State.FAIL, Reason.GATE_FAILED)),
    ],
)
def test_family_asks_for_as_many_places_as_it_was_locked_with(
    places: tuple[tuple[State, Reason], ...], expected: tuple[State, Reason]
) -> None:
    family = {"family": "two", "family_mode": "k_of_n", "family_k": 2}
    of = protocol(*(bound(arm=arm, id=f"bound-{arm.lower()}") | family for arm in ("A", "B")))
    judged = [
        (gate, Judged(state, reason, None))
        for gate, (state, reason) in zip(parse_gates(of), places, strict=True)
    ]
    results = Results(of, judged, {})
    assert list(_families(Scope.LIVE_CORRECTNESS, results)) == [expected]


@pytest.mark.parametrize(("role", "blocks"), [("primary", True), ("exploratory", False)])
def test_slot_abandoned_where_a_scope_only_explores_blocks_no_pass(
    role: str, *, blocks: bool
) -> None:
    of = protocol(bound(role=role))
    held = Judged(State.PASS, Reason.BOUND_HELD, None)
    slots = {("B", CELL): [absent(Absence.ABANDONED)]}
    results = Results(of, [(gate, held) for gate in parse_gates(of)], slots)
    assert _has_abandoned(Scope.LIVE_CORRECTNESS, results) is blocks


def test_parity_reads_both_arms_and_contention_both_cells() -> None:
    (parity,) = parse_gates(with_cells(parity_gate(), cells=[CPU]))
    cell = parity.population.cell
    assert places_of(parity) == (("B", cell), ("A", cell))
    (gate,) = parse_gates(contended.protocol(contended.contention()))
    assert places_of(gate) == (("A", contended.CELL), ("A", SOLO))
