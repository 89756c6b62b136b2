# SPDX-License-Identifier: Apache-2.0
"""The review gate: so many independent people accepted this exact head (SCORING.md B5.14).

People count, not keys, and only those whom nothing ties to the change, to its protocols or to its
runs. Who asks for changes stands against every acceptance. A comment is neither for nor against.
What a doubted key signed is unknown to PASS and still counts for FAIL.
"""

from __future__ import annotations

from collections.abc import Sequence

from app.core.identity import person_of
from app.core.protocol.gate import ReviewGate
from app.core.reason import Reason
from app.core.score.decide import Judged
from app.core.score.interval import point
from app.core.score.state import State
from app.core.statement.people_records import ReviewRecord
from app.core.statement.tally import ReviewTally


def judge_review(gate: ReviewGate, reviews: Sequence[ReviewRecord]) -> Judged:
    """Return what the gate says.

    Args:
        gate: how many acceptances it asks for, and of which scope.
        reviews: all that stand on the head's line, in any order.
    """
    standing = counting(gate, reviews)
    accepted = len(
        {
            person_of(each.person)
            for each in standing
            if each.outcome == "accepted" and not each.suspect
        }
    )
    opposed = any(each.outcome == "changes_requested" for each in standing)
    state, reason = _said(accepted, gate.accepted, opposed=opposed)
    return Judged(state, reason, point(accepted))


def counting(gate: ReviewGate, reviews: Sequence[ReviewRecord]) -> tuple[ReviewTally, ...]:
    """Return the reviews that speak for the gate or against it, in the order of the log."""
    tallies = (
        ReviewTally(
            entry=each.said.entry,
            person=each.said.holder,
            outcome=each.outcome,
            suspect=each.said.suspect,
        )
        for each in reviews
        if each.outcome != "comment" and _stands(gate, each)
    )
    return tuple(sorted(tallies, key=lambda each: each.entry))


def _stands(gate: ReviewGate, review: ReviewRecord) -> bool:
    return review.scope == gate.scope and review.independent and not review.superseded


def _said(accepted: int, wanted: int, *, opposed: bool) -> tuple[State, Reason]:
    if opposed:
        return State.FAIL, Reason.CHANGES_REQUESTED
    if accepted >= wanted:
        return State.PASS, Reason.REVIEWS_ACCEPTED
    if accepted:
        return State.INCONCLUSIVE, Reason.INSUFFICIENT_N
    return State.NOT_RUN, Reason.NO_REVIEW
