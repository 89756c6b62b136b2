# SPDX-License-Identifier: Apache-2.0
"""Who acts next, and what the author has to do now.

Statements of people (holds, reviews, decisions) stand beside the computed word and only ever lower
it, save that a locked review gate counts the reviews it asks for. Whoever the newest hold in force
names acts next; without a hold the owner follows from the deciding reason and from the owners that
the newest study names.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from app.core.identity import Person
from app.core.reason import Reason
from app.core.statement.study import Owners
from app.core.statement.verdict import HoldRecord, NextAction, RequiredState, State
from app.core.statement.verdict import Reason as ReasonRecord
from app.core.verdict.explain import explain
from app.core.verdict.reason_text import Acts

NO_AUTHOR_ACTION: Final = "none"
"""Stands on every head page unless a statement says otherwise."""

_ACTS_ON: Final[dict[State, Acts]] = {
    "FAIL": "maintainer",
    "INVALID": "runner",
    "NOT_RUN": "runner",
    "INCONCLUSIVE": "maintainer",
    "PASS": "reviewer",
}

_ACTS_FOR: Final[dict[str, Acts]] = {Reason.NO_REVIEW.value: "reviewer"}
"""Who acts where nothing has run and nothing can: a review is nobody's to run."""


def next_action(
    reasons: Sequence[ReasonRecord],
    required: Sequence[RequiredState],
    owners: Owners | None,
    holds: Sequence[HoldRecord] = (),
) -> NextAction:
    """Return whom the newest hold in force names, else who acts on the first of ``reasons``.

    Args:
        reasons: of the word, at least one, the deciding one first.
        required: the states of the required scopes.
        owners: of the newest study; None: there is no study, and nobody is named.
        holds: that concern the claim, in log order.
    """
    held = [hold for hold in holds if hold.in_force]
    if held:
        step = held[-1].next_action
        code = Reason.HOLD_IN_FORCE
        return NextAction(person=step.person, role="named", reason=code, what=step.what)
    first = reasons[0]
    role = _role(first, required)
    return NextAction(person=_person(role, owners), role=role, reason=first.code, what=None)


def author_action_now(holds: Sequence[HoldRecord] = ()) -> str:
    """Return what the newest hold in force that asks the author for something asks for."""
    asked = [hold.author_action_now for hold in holds if hold.in_force]
    return next((one for one in reversed(asked) if one != NO_AUTHOR_ACTION), NO_AUTHOR_ACTION)


def _role(reason: ReasonRecord, required: Sequence[RequiredState]) -> Acts:
    """Return the role that acts on ``reason``: for an unestablished scope its state decides."""
    if reason.code != Reason.SCOPE_NOT_PASS:
        return explain(reason.code).acts
    found = next(state for state in required if state.scope == reason.scope)
    return _ACTS_FOR.get(found.reason) or _ACTS_ON[found.state]


def _person(role: Acts, owners: Owners | None) -> Person | None:
    """Return the person the newest study names for ``role``; reviewers are named by nobody."""
    if owners is None:
        return None
    named: dict[Acts, Person] = {"maintainer": owners.maintainer, "runner": owners.runner}
    return named.get(role)
