# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a gate is any JSON
"""A gate with a p-value by itself: its attempt, its caps, its counts, and what one unit is."""

from collections.abc import Mapping
from typing import Any

import msgspec
import pytest

from app.core.protocol.gate import ClaimGate, ComparisonGate, DriftGate, ShareGate, parse_gates
from app.core.protocol.plan import plan
from app.core.reason import Reason
from app.core.score.judge_claim import Claims, claim_units, judge_claim
from app.core.score.number import chance_text
from app.core.score.observe import evidence_of
from app.core.score.scored_slot import ScoredSlot
from app.core.score.state import State
from tests.claims import answered, compared, drift, share
from tests.gates import population
from tests.judged import ARMS, filled_by
from tests.scores import MISSING, protocol

KINDS = {
    "blocks": compared(),
    "bracket": compared("non_inferiority", "A", "A2"),
    "share": share(),
    "drift": drift(),
}


def claims_of(
    record: Any, *, second: bool = False, waves: int = 1, **filled: Any
) -> tuple[ClaimGate, Claims]:
    """Return the one gate, and a good study but for the slots ``filled`` by arm and repetition."""
    made = protocol(record, repetitions=6)
    of = msgspec.structs.replace(made, cells=[msgspec.structs.replace(made.cells[0], waves=waves)])
    evidence: Mapping[Any, Any] = {(arm.id, of.cells[0].id): [] for arm in of.arms}
    for slot in plan(of):
        value = filled.get(f"{slot.arm}{slot.repetition}", ARMS[slot.arm][slot.repetition - 1])
        scored = ScoredSlot(slot, *filled_by(value, slot))
        evidence[(slot.arm, slot.cell)].append(evidence_of(of, scored))
    (gate,) = parse_gates(of)
    assert isinstance(gate, ComparisonGate | ShareGate | DriftGate)
    return gate, Claims(of, evidence, {gate.scope: 2} if second else {}, ())


@pytest.mark.parametrize("kind", KINDS)
def test_claim_says_its_attempt_and_its_chances(kind: str) -> None:
    found = judge_claim(*claims_of(KINDS[kind], second=True))
    record = found.record
    assert record.attempt == 2
    chances = [chance_text(each) for each in (found.p_pass, found.p_fail, found.alpha)]
    assert chances == [record.p_pass, record.p_fail, record.alpha]


@pytest.mark.parametrize("kind", KINDS)
def test_claim_gives_no_pass_beside_a_cap(kind: str) -> None:
    gate, claims = claims_of(KINDS[kind])
    assert judge_claim(gate, claims).judged.state is State.PASS
    capped = Claims(claims.document, claims.evidence, claims.attempts, (Reason.DEVIATION,))
    judged = judge_claim(gate, capped).judged
    assert (judged.state, judged.reason) == (State.INCONCLUSIVE, Reason.DEVIATION)


def test_units_of_a_claim_are_the_planned_ones_of_its_own_arm() -> None:
    gate, claims = claims_of(compared(), B2=MISSING)
    units = claim_units(gate, claims)
    assert [each.slot for each in units] == [
        each.id for each in plan(claims.document) if each.arm == "B"
    ]


def test_share_of_fewer_boots_than_planned_passes_nothing() -> None:
    at = population("B", role="newcomer", unit="boot")
    record = share(population=at, slot_summary="max")
    assert judge_claim(*claims_of(record)).judged.state is State.PASS
    joined: Any = {f"B{n}": answered(ARMS["B"][n - 1], "one") for n in (1, 2)}
    judged = judge_claim(*claims_of(record, **joined)).judged
    assert (judged.state, judged.reason) == (State.INCONCLUSIVE, Reason.INSUFFICIENT_N)


def test_missing_wave_of_a_boot_is_no_block_of_its_own() -> None:
    record = compared(slot_summary="median")
    found = judge_claim(*claims_of(record, waves=2, B1=MISSING)).record
    assert found.subsets[0].subsets == 2**3
