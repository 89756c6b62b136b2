# SPDX-License-Identifier: Apache-2.0
"""In which sum of the accounts each state of a slot counts."""

from typing import get_args

import pytest

from app.core.protocol.plan import plan
from app.core.score.balance import accounts_of
from app.core.score.scored_slot import ScoredSlot
from app.core.statement.judgement import SlotState
from tests.documents import document

IDLE = ("OPEN", "RESERVED", "MISSING", "ABANDONED")
WAYS = [
    (
        state,
        int(state in IDLE),
        int(state not in IDLE),
        int(state == "WARMUP_FAILED"),
        int(state not in (*IDLE, "WARMUP_FAILED")),
    )
    for state in get_args(SlotState)
]


@pytest.mark.parametrize(("state", "idle", "started", "cold", "measured"), WAYS)
def test_slot_in_no_state_is_counted_elsewhere(
    state: SlotState, idle: int, started: int, cold: int, measured: int
) -> None:
    planned = plan(document())[:1]
    found = accounts_of(planned, [ScoredSlot(planned[0], state, None, (), ())])
    assert found.not_started == idle
    assert (found.started, found.warmup_failed, found.measured) == (started, cold, measured)
    assert found.balanced
