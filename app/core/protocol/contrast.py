# SPDX-License-Identifier: Apache-2.0
"""A candidate against controls, as locked: what is claimed, at which distance and confidence."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

from app.core.protocol.margin import Margin, alpha_of_attempt

Claim = Literal["non_inferiority", "superiority", "equivalence"]


@dataclass(frozen=True, slots=True)
class Contrast:
    """One comparison's numbers.

    Attributes:
        alpha: the greatest chance of a false claim.
        drift_margin: how far the controls of a bracket may lie apart; None: half the margin.
        cap_drift: controls that drifted, or may have, allow no PASS.
        required_n: observed units an arm needs; None: every planned one.
    """

    claim: Claim
    margin: Margin
    alpha: Fraction
    drift_margin: Fraction | None = None
    cap_drift: bool = True
    required_n: int | None = None

    @property
    def drift(self) -> Margin:
        """The distance at which the controls have drifted."""
        value = abs(self.margin.value) / 2 if self.drift_margin is None else self.drift_margin
        return self.margin.unsigned(value)

    def at_attempt(self, attempt: int) -> Contrast:
        """Return the contrast as the ``attempt``-th study of a head and scope may judge it."""
        return replace(self, alpha=alpha_of_attempt(self.alpha, attempt))
