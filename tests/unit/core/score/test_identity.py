# SPDX-License-Identifier: Apache-2.0
"""A slot of another identity says which one; one of no mismatch is as it is."""

from typing import cast

import pytest

from app.core.protocol.gate import IdentityGate, parse_gates
from app.core.protocol.plan import plan
from app.core.reason import Reason
from app.core.score.identity import observe_identity
from app.core.score.observed import Absence, Observed, absent, zero_or_one
from app.core.score.scored_slot import ScoredSlot
from app.core.statement.judgement import SlotState
from tests.gates import identity
from tests.scores import protocol

OF = protocol(identity())
IMAGE = zero_or_one(value=False, why=Reason.IMAGE_MISMATCH)


@pytest.mark.parametrize(
    ("fields", "reasons", "says"),
    [
        ([], (Reason.IMAGE_MISMATCH, Reason.RANK_MISMATCH), IMAGE),
        (["image"], (Reason.IMAGE_MISMATCH,), IMAGE),
        (["ranks"], (Reason.IMAGE_MISMATCH, Reason.RANK_MISMATCH), IMAGE),
        (["ranks"], (Reason.IMAGE_MISMATCH,), absent(Absence.UNSCORABLE, Reason.IMAGE_MISMATCH)),
        (
            ["ranks"],
            (Reason.IDENTITY_MISMATCH,),
            zero_or_one(value=False, why=Reason.IDENTITY_MISMATCH),
        ),
        ([], (Reason.HARNESS_FAULT,), absent(Absence.UNSCORABLE, Reason.HARNESS_FAULT)),
    ],
)
def test_slot_of_another_identity_says_the_first_that_it_is_not(
    fields: list[str], reasons: tuple[Reason, ...], says: Observed
) -> None:
    (gate,) = parse_gates(protocol(identity(fields=fields or None)))
    (planned, *_) = plan(OF)
    state: SlotState = "INVALID"
    slot = ScoredSlot(planned, state, None, reasons, ())
    assert observe_identity(cast("IdentityGate", gate), slot) == says
