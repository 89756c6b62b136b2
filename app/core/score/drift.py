# SPDX-License-Identifier: Apache-2.0
"""Whether the environment moved between the control and its return (SCORING.md B6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from app.core.protocol.margin import Margin
from app.core.score.interval import Interval
from app.core.score.rank_sum import possible_chance, rank_sum


class DriftState(StrEnum):
    """What two runs of one control say about the time between them."""

    STABLE = "STABLE"
    DRIFTED = "DRIFTED"
    POSSIBLY_DRIFTED = "POSSIBLY_DRIFTED"
    UNRESOLVED = "UNRESOLVED"


@dataclass(frozen=True, slots=True)
class Drift:
    """The pair of tests between the controls.

    Attributes:
        p_upper: that the return is not above the first by the margin.
        p_lower: that the first is not above the return by it.
    """

    state: DriftState
    p_upper: Fraction
    p_lower: Fraction

    @property
    def p(self) -> Fraction:
        """The p of both together: the controls are as good as equal."""
        return max(self.p_upper, self.p_lower)


def drift_of(
    first: Sequence[Interval], back: Sequence[Interval], *, margin: Margin, alpha: Fraction
) -> Drift:
    """Return how ``back`` stands to ``first``; the margin's direction is not read."""
    distance = margin.unsigned()
    upper, lower = rank_sum(back, first, distance), rank_sum(first, back, distance)
    p_upper, p_lower = upper.p_pass, lower.p_pass
    if max(p_upper, p_lower) <= alpha:
        return Drift(DriftState.STABLE, p_upper, p_lower)
    if min(upper.p_fail, lower.p_fail) <= alpha:
        return Drift(DriftState.DRIFTED, p_upper, p_lower)
    possible = min(possible_chance(first, back, distance), possible_chance(back, first, distance))
    state = DriftState.POSSIBLY_DRIFTED if possible <= alpha else DriftState.UNRESOLVED
    return Drift(state, p_upper, p_lower)


def certify(
    first: Sequence[Interval], back: Sequence[Interval], *, margin: Margin, alpha: Fraction
) -> bool:
    """Return whether the controls certify each other at the distance of the gate's own margin."""
    return drift_of(first, back, margin=margin, alpha=alpha).state is DriftState.STABLE
