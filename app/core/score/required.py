# SPDX-License-Identifier: Apache-2.0
"""How many units PASS needs and how many count, where a gate's units do not say it themselves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.core.identity import ArmId
from app.core.score.observe import Unit
from app.core.statement.judgement import CountedOf, RequiredOf


@dataclass(frozen=True, slots=True)
class Counted:
    """An arm's planned units as observed, and how many of them count.

    Attributes:
        n: None: each observed one.
    """

    arm: ArmId
    units: Sequence[Unit]
    n: int | None = None


def required_of(required: int | None, arms: Sequence[Counted]) -> RequiredOf | None:
    """Return what PASS needs of each arm; None: every planned unit, and each observed one counts.

    Args:
        required: None: every planned one.
        arms: of the gate, its own first.
    """
    seen = [sum(unit.observed.is_observed for unit in each.units) for each in arms]
    counted = [n if each.n is None else each.n for each, n in zip(arms, seen, strict=True)]
    n = len(arms[0].units) if required is None else required
    if counted == seen and all(n == len(each.units) for each in arms):
        return None
    return RequiredOf(
        n=n, counted=[CountedOf(arm=each.arm, n=n) for each, n in zip(arms, counted, strict=True)]
    )
