# SPDX-License-Identifier: Apache-2.0
"""What a study's judging adds to its gates, each part by itself: flags, and what caps a gate."""

from dataclasses import replace

import pytest

from app.core.protocol.gate import AnyGate, parse_gates
from app.core.protocol.plan import plan
from app.core.reason import Reason
from app.core.score import judge
from app.core.score.decide import Judged
from app.core.score.flags import flags_of
from app.core.score.observe import Evidence, Unit, evidence_of
from app.core.score.observed import Observed, above, exact
from app.core.score.scored import Scored
from app.core.score.scored_slot import ScoredSlot
from app.core.score.state import State
from tests import facts
from tests.claims import compared
from tests.documents import CELL
from tests.gates import bound
from tests.scores import protocol, study

BY_ARM = {
    arm: parse_gates(protocol(bound(arm=arm, id=f"bound-{arm.lower()}")))[0]
    for arm in ("A", "B", "A2")
}
SETTLED, FIRST = (
    parse_gates(protocol(compared(metric=metric), repetitions=6))[0]
    for metric in (
        {**compared()["metric"], "name": "settlement"},
        compared()["metric"],
    )
)


def scored(gate: AnyGate, *units: Observed) -> Scored:
    said = Judged(State.PASS, Reason.BOUND_HELD, None)
    return Scored(gate, tuple(Unit("slot", None, each) for each in units), said)


def flags(*each: Scored) -> list[Reason]:
    return list(flags_of(protocol(), each))


def test_times_of_a_control_that_are_one_and_the_same_are_flagged_and_no_others() -> None:
    same, once = (exact(5), exact(5)), (exact(5),)
    assert flags(scored(BY_ARM["A"], *same)) == [Reason.DEGENERATE_DATA]
    assert flags(scored(BY_ARM["A2"], *same), scored(BY_ARM["B"], *once)) == [
        Reason.DEGENERATE_DATA
    ]
    assert flags(scored(BY_ARM["B"], *same)) == []
    assert flags(scored(BY_ARM["A"], *once), scored(BY_ARM["B"], *same)) == []
    assert flags(scored(BY_ARM["A"], exact(5), exact(6))) == []
    assert flags(scored(BY_ARM["A"], above(5), above(5))) == []


def evidence(arm: str, tokens: int, *, deviated: bool = False) -> Evidence:
    of = protocol()
    planned = next(each for each in plan(of) if each.arm == arm)
    seen = facts.capture(facts.incumbent(), facts.newcomer(tokens=tokens))
    slot = ScoredSlot(planned, "COMPLETE", None, (), (seen,), deviated=deviated)
    return evidence_of(of, slot)


def caps(gate: AnyGate, *slots: Evidence, retried: frozenset[str] = frozenset()) -> list[Reason]:
    by_place = {(each.slot.planned.arm, each.slot.planned.cell): (each,) for each in slots}
    return list(judge._caps(gate, retried, by_place))


def test_unequal_amounts_cap_what_depends_on_the_whole_output_and_nothing_else() -> None:
    unequal = evidence("A", 2), evidence("B", 3)
    assert caps(SETTLED, *unequal) == [Reason.OUTPUT_AMOUNTS_DIFFER]
    assert caps(SETTLED, evidence("A", 2), evidence("B", 2)) == []
    assert caps(SETTLED, evidence("A", 2), evidence("A2", 3)) == []
    assert caps(FIRST, *unequal) == []
    assert caps(BY_ARM["B"], *unequal) == []


@pytest.mark.parametrize("arm", ["A", "B"])
def test_caps_of_a_gate_are_of_every_place_that_it_reads_and_in_their_order(arm: str) -> None:
    other = "B" if arm == "A" else "A"
    touched = evidence(arm, 2, deviated=True), evidence(other, 3)
    expected = [Reason.DEVIATION, Reason.RETRY_SELECTION, Reason.OUTPUT_AMOUNTS_DIFFER]
    assert caps(SETTLED, *touched, retried=frozenset((CELL,))) == expected
    assert caps(SETTLED, *touched, retried=frozenset(("elsewhere",))) == expected[::2]
    assert caps(FIRST, *touched) == [Reason.DEVIATION]
    unread = (evidence("A2", 2, deviated=True),)
    assert caps(SETTLED, *unread) == []


def test_gate_of_a_control_that_means_nothing_is_invalid() -> None:
    gate = scored(SETTLED, exact(1))
    own, control = ("B", CELL), ("A", CELL)
    assert judge._unless_invalid(gate, set()) == gate
    for broken in ({own}, {control}, {own, control}):
        found = judge._unless_invalid(gate, broken)
        assert (found.judged.state, found.judged.reason) == (
            State.INVALID,
            Reason.VALIDITY_GATE_BROKEN,
        )
    failed = replace(gate, judged=replace(gate.judged, state=State.FAIL))
    assert judge._unless_invalid(failed, {own}) == failed
    assert judge._unless_invalid(failed, {control}).judged.state is State.INVALID


def test_study_says_its_flags() -> None:
    of = protocol(bound(arm="A", id="bound-a"), repetitions=2)
    assert study(of, {}).flags == (Reason.DEGENERATE_DATA,)


def test_gate_of_accounts_that_do_not_close_keeps_its_units_and_says_nothing() -> None:
    unit = Unit("slot", None, exact(1))
    found = judge._unbalanced(BY_ARM["A"], (unit,), State.INVALID, Reason.LEDGER_UNBALANCED)
    expected = Judged(State.INVALID, Reason.LEDGER_UNBALANCED, None)
    assert (found.judged, found.units) == (expected, (unit,))
