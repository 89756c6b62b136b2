# SPDX-License-Identifier: Apache-2.0
"""How states combine: the worst hides the better ones, and empty is NOT_RUN (SCORING.md B9)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final, Literal

from app.core.reason import Reason
from app.core.score.state import State
from app.core.statement.gate_record import GateRole
from app.core.statement.judgement import StateCount

Mode = Literal["all", "any", "k_of_n"]

SEVERITY: Final = tuple(State)
"""Worst first: FAIL, INVALID, NOT_RUN, INCONCLUSIVE, PASS."""

_COMBINED: Final = {
    State.PASS: Reason.ALL_GATES_PASS,
    State.FAIL: Reason.GATE_FAILED,
    State.INVALID: Reason.GATE_INVALID,
    State.NOT_RUN: Reason.GATE_NOT_RUN,
    State.INCONCLUSIVE: Reason.GATE_INCONCLUSIVE,
}


def combine(states: Sequence[State], *, mode: Mode = "all", k: int = 1) -> State:
    """Return what ``states`` say together.

    Args:
        states: none: NOT_RUN, whatever the mode.
        mode: ``all`` must pass, ``any`` one, ``k_of_n`` at least ``k``. The latter two FAIL only
            when enough of them can no longer pass.
        k: how many, for ``k_of_n``.
    """
    if not states:
        return State.NOT_RUN
    if mode == "all":
        return worst(states)
    needed = k if mode == "k_of_n" else 1
    counts = Counter(states)
    if counts[State.PASS] >= needed:
        return State.PASS
    hopeful = [state for state in states if state is not State.FAIL]
    return worst(hopeful) if len(hopeful) >= needed else State.FAIL


def worst(states: Iterable[State]) -> State:
    """Return the worst of at least one state."""
    return min(states, key=SEVERITY.index)


def enters(role: GateRole) -> bool:
    """Return whether a gate of ``role`` counts: a validity gate only breaks, exploration never."""
    return role in ("primary", "secondary", "integrity")


def from_control(state: State) -> State | None:
    """Return what of a control arm's state enters its scope: that it could not be scored."""
    return state if state in (State.INVALID, State.NOT_RUN) else None


def combined_reason(state: State, reasons: Iterable[Reason]) -> Reason:
    """Return the reason that all deciding gates share, or that gates of this state decide."""
    distinct = set(reasons)
    if state is State.PASS or len(distinct) != 1:
        return _COMBINED[state]
    return distinct.pop()


def together(said: Sequence[tuple[State, Reason]]) -> tuple[State, Reason]:
    """Return what gates say together and why; no gate: NOT_RUN, whatever else was reported."""
    if not said:
        return State.NOT_RUN, Reason.NO_GATE_EVALUATED
    state = combine([each for each, _ in said])
    return state, combined_reason(state, [reason for each, reason in said if each is state])


def count_vector(states: Iterable[State]) -> StateCount:
    """Return how many there are of each state."""
    counts = Counter(states)
    return StateCount(
        PASS=counts[State.PASS],
        FAIL=counts[State.FAIL],
        INCONCLUSIVE=counts[State.INCONCLUSIVE],
        INVALID=counts[State.INVALID],
        NOT_RUN=counts[State.NOT_RUN],
    )
