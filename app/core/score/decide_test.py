# SPDX-License-Identifier: Apache-2.0
"""The order of deciding for gates with a p-value (SCORING.md B4); ``decide`` has it for the others.

Whether something passes and whether it fails are two tests: not passing is no failure.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from app.core.reason import Reason
from app.core.score.decide import nothing_measured
from app.core.score.observed import Absence
from app.core.score.sample import Sample
from app.core.score.state import State


@dataclass(frozen=True, slots=True)
class Findings:
    """What a test has found, before it is a state.

    Attributes:
        p_pass: of the claim, in its worst completion.
        p_fail: of its opposite, in the best one.
        least_p: the smallest that ``p_pass`` could be with the planned units.
        held: the reason of a PASS.
        violated: the reason of a FAIL.
        has_enough: the required units were observed, in every arm.
        caps: reasons for which no PASS is given, the first that applies first.
        missing: which control is not there.
        masked: the measured units alone would fail.
        ignorance: the first kind of ignorance of which some completion would decide.
        spread: the controls could not show the margin among themselves.
    """

    alpha: Fraction
    p_pass: Fraction
    p_fail: Fraction
    least_p: Fraction
    held: Reason
    violated: Reason
    has_enough: bool
    caps: tuple[Reason, ...] = ()
    missing: Reason | None = None
    masked: bool = False
    ignorance: Reason | None = None
    spread: bool = False

    def beside(self, *, masked: bool, ignorance: Reason | None) -> Findings:
        """Return the findings with what the unknown units add to them."""
        return replace(self, masked=masked, ignorance=ignorance)


def decide_test(found: Findings) -> tuple[State, Reason]:
    """Return what is established, or the first reason why nothing is."""
    if found.p_fail <= found.alpha:
        return State.FAIL, found.violated
    if found.p_pass <= found.alpha:
        short = () if found.has_enough else (Reason.INSUFFICIENT_N,)
        caps = (*short, *found.caps)
        return (State.INCONCLUSIVE, caps[0]) if caps else (State.PASS, found.held)
    return State.INCONCLUSIVE, _undecided(found)


def _undecided(found: Findings) -> Reason:
    if found.masked:
        return Reason.FAIL_MASKED
    if found.missing is not None:
        return found.missing
    if found.least_p > found.alpha:
        return Reason.INSUFFICIENT_N
    if found.ignorance is not None:
        return found.ignorance
    return Reason.BASELINE_SPREAD if found.spread else Reason.EFFECT_NEAR_MARGIN


def decide_sample(found: Findings, candidate: Sample) -> tuple[State, Reason]:
    """Return what is established of the candidate; without a measured unit, that there is none.

    Conflicting receipts alone can still establish a FAIL, by their hull.
    """
    if candidate.is_measured:
        return decide_test(found)
    conflict = any(each.absence is Absence.CONFLICT for each in candidate.units)
    if conflict and found.p_fail <= found.alpha:
        return decide_test(found)
    return nothing_measured(candidate.units)
