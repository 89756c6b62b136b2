# SPDX-License-Identifier: Apache-2.0
"""What a head's studies say together about a scope: the worst wins.

A study under a protocol that the policy lists may satisfy a scope. One under any other protocol can
only lower it: every study on a head counts, so measuring with another yardstick hides nothing. A
study of another commit says nothing about this head, which is NOT_RUN(OTHER_COMMIT) and not its own
states. Where only void studies speak, theirs are shown instead of an empty cell.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from app.core.identity import Scope
from app.core.reason import Reason
from app.core.score.lattice import SEVERITY, count_vector
from app.core.score.state import State as LatticeState
from app.core.statement.verdict import RequiredState, ScopeState, State, StudyRecord
from app.core.verdict.policies import Requirement


@dataclass(frozen=True, slots=True)
class Said:
    """What one study says about one scope of this head."""

    state: State
    reason: str
    study: StudyRecord


def said_about(scope: Scope, study: StudyRecord) -> Said | None:
    """Return what ``study`` says about ``scope`` of this head; None: its protocol has it not."""
    found = next((state for state in study.scopes if state.scope == scope), None)
    if found is None:
        return None
    if not study.tests_head:
        return Said("NOT_RUN", Reason.OTHER_COMMIT, study)
    return Said(found.state, found.reason, study)


def speaking(scope: Scope, studies: Iterable[StudyRecord]) -> list[Said]:
    """Return what the studies say that enter the display: counting ones and replays, else void."""
    by_counting: dict[bool, list[Said]] = {True: [], False: []}
    for study in studies:
        said = said_about(scope, study)
        if said is not None and study.counting != "exploratory":
            by_counting[study.counting != "void"].append(said)
    return by_counting[True] or by_counting[False]


def required_state(demands: Sequence[Requirement], studies: Sequence[StudyRecord]) -> RequiredState:
    """Return the state of one scope, for all ``demands`` that concern it.

    Args:
        demands: at least one, all of one scope.
        studies: every study on the head.
    """
    scope = demands[0].scope
    said = speaking(scope, studies)
    states: list[tuple[State, str]] = [(one.state, one.reason) for one in said]
    if not all(_listed(demand, said) for demand in demands):
        states.append(("NOT_RUN", Reason.NO_STUDY))
    state, reason = _worst(states)
    return RequiredState(
        scope=scope,
        protocols=sorted({protocol for demand in demands for protocol in demand.protocols}),
        state=state,
        reason=reason,
        studies=[one.study.study for one in said],
    )


def required_states(
    demands: Sequence[Requirement], studies: Sequence[StudyRecord]
) -> list[RequiredState]:
    """Return the state of every required scope, scopes in their fixed order."""
    scopes = dict.fromkeys(demand.scope for demand in demands)
    return [required_state([d for d in demands if d.scope == s], studies) for s in scopes]


def scope_states(studies: Sequence[StudyRecord]) -> list[ScopeState]:
    """Return the state of every scope that any study on the head speaks about, required or not.

    The count vector counts studies, not gates.
    """
    states = []
    for scope in Scope:
        said = speaking(scope, studies)
        if said:
            state, reason = _worst([(one.state, one.reason) for one in said])
            vector = count_vector(LatticeState(one.state) for one in said)
            states.append(ScopeState(scope=scope, state=state, reason=reason, counts=vector))
    return states


def severity_of(state: State) -> int:
    """Return the place of ``state`` in the lattice, 0 for the worst."""
    return SEVERITY.index(LatticeState(state))


def _listed(demand: Requirement, said: Sequence[Said]) -> bool:
    """Tell whether any of these studies runs a protocol that may satisfy ``demand``."""
    return any(one.study.protocol.digest in demand.protocols for one in said)


def _worst(states: Sequence[tuple[State, str]]) -> tuple[State, str]:
    """Return the worst state and its reason; among equals the first study's."""
    return min(states, key=lambda one: severity_of(one[0]))
