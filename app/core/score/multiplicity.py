# SPDX-License-Identifier: Apache-2.0
"""Many claims at once: Holm over a family that wants any of them, and over all FAILs (B8)."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from app.core.reason import Reason
from app.core.score.holm import holm
from app.core.score.state import State


@dataclass(frozen=True, slots=True)
class Claimed:
    """One claim as far as corrections go.

    Attributes:
        family: whose PASSes are corrected together; None: it stands alone.
        member: what counts as one of the family: claims of one member must all hold.
        failing: whose FAILs are corrected together; None: it is no comparison.
    """

    state: State
    reason: Reason
    p_pass: Fraction
    p_fail: Fraction
    alpha: Fraction
    family: Hashable | None
    member: Hashable
    failing: Hashable | None


@dataclass(frozen=True, slots=True)
class Corrected:
    """One claim after the corrections; None: nothing was to be corrected."""

    state: State
    reason: Reason
    p_pass: Fraction | None
    p_fail: Fraction | None


def corrected(claims: Sequence[Claimed]) -> tuple[Corrected, ...]:
    """Return every claim with the p-values of its family and of its scope corrected."""
    passing = _passing(claims)
    failing = _failing(claims)
    return tuple(
        _after(claim, passing.get(index), failing.get(index)) for index, claim in enumerate(claims)
    )


def _passing(claims: Sequence[Claimed]) -> Mapping[int, Fraction]:
    """Return the corrected p of a PASS of every claim in a family, the same within a member."""
    found: dict[int, Fraction] = {}
    for family in {each.family for each in claims if each.family is not None}:
        members: dict[Hashable, list[int]] = {}
        for index, claim in enumerate(claims):
            if claim.family == family:
                members.setdefault(claim.member, []).append(index)
        worst = [max(claims[each].p_pass for each in indices) for indices in members.values()]
        for indices, p in zip(members.values(), holm(worst), strict=True):
            found |= dict.fromkeys(indices, p)
    return found


def _failing(claims: Sequence[Claimed]) -> Mapping[int, Fraction]:
    found: dict[int, Fraction] = {}
    for scope in {each.failing for each in claims if each.failing is not None}:
        indices = [index for index, each in enumerate(claims) if each.failing == scope]
        adjusted = holm([claims[each].p_fail for each in indices])
        found |= dict(zip(indices, adjusted, strict=True))
    return found


def _after(claim: Claimed, p_pass: Fraction | None, p_fail: Fraction | None) -> Corrected:
    state, reason = claim.state, claim.reason
    if state is State.PASS and p_pass is not None and p_pass > claim.alpha:
        state, reason = State.INCONCLUSIVE, Reason.EFFECT_NEAR_MARGIN
    if state is State.FAIL and p_fail is not None and p_fail > claim.alpha:
        state, reason = State.INCONCLUSIVE, Reason.FAIL_NOT_AFTER_HOLM
    return Corrected(state, reason, p_pass, p_fail)
