# SPDX-License-Identifier: Apache-2.0
"""A study of which a whole arm was left out: every gate says so, whatever it would have read."""

import pytest

from app.core.protocol.plan import plan
from app.core.score.judge import judge_study
from app.core.score.scored_slot import ScoredSlot
from app.core.statement.protocol_document import ProtocolDocument
from tests import contended
from tests.claims import compared, drift, share
from tests.contended import contention, envelope, fairness, ratio
from tests.documents import canary_gate
from tests.gates import bound, identity, integrity
from tests.results import checks_gate, claim_gate, jobs_gate, parity_gate, registry_gate, with_cells
from tests.scores import MISSING, protocol, said

OF = [
    protocol(
        bound(),
        integrity(),
        identity(),
        canary_gate("B"),
        compared(),
        compared("equivalence", "A", "A2", id="bracket-b"),
        share(),
        drift(),
        repetitions=6,
    ),
    contended.protocol(fairness(), ratio(), envelope(), contention(), contention(arm="A2")),
    with_cells(checks_gate(), jobs_gate(), claim_gate(), registry_gate(), parity_gate()),
]


@pytest.mark.parametrize(("of", "arm"), [(of, arm.id) for of in OF for arm in of.arms])
def test_arm_that_was_left_out_unbalances_every_gate(of: ProtocolDocument, arm: str) -> None:
    kept = [ScoredSlot(each, *MISSING) for each in plan(of) if each.arm != arm]
    score = judge_study(of, kept)
    assert {said(each) for each in score.judgements} == {("INVALID", "LEDGER_UNBALANCED")}
    assert {each.state for each in score.scopes} == {"INVALID"}


@pytest.mark.parametrize("of", OF)
def test_study_of_no_slot_at_all_is_unbalanced(of: ProtocolDocument) -> None:
    score = judge_study(of, [])
    assert {said(each) for each in score.judgements} == {("INVALID", "LEDGER_UNBALANCED")}
    assert all(each.observations == [] for each in score.judgements)
